import { editText } from "../profiles/quarry/edit-text.js";
import type { EditValue } from "../search/values.js";
import { answer } from "./answer.js";
import { inputSchema, readArguments } from "./arguments.js";
import { WRITE_FILE_ARGUMENTS } from "./edit-schemas.js";
import { lateEditing } from "./late-editing.js";
import type { Rooms } from "./rooms.js";
import type { Tool } from "./tool.js";

export function writeFileTool(rooms: Rooms): Tool<EditValue> {
  const editing = lateEditing(rooms);
  return {
    kind: "write_file",
    name: "write_file",
    title: "Write a whole file",
    description: "Makes a new file, or replaces all of an existing one. For a change in a file use str_replace.",
    inputSchema: inputSchema(WRITE_FILE_ARGUMENTS),
    readOnly: false,
    call: (args, options) =>
      answer(rooms.workspace, async () => {
        const { path, content, create_dirs, if_version } = readArguments(WRITE_FILE_ARGUMENTS, args);
        const { writeWhole } = await import("./write-whole.js");
        const value = await writeWhole(
          await editing(),
          path,
          content,
          create_dirs ?? false,
          if_version,
          options?.signal,
        );
        return { isError: false, text: editText(value), value, complete: true, empty: false };
      }),
  };
}
