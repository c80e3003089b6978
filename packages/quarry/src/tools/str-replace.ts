import { editText } from "../profiles/quarry/edit-text.js";
import type { EditValue } from "../search/values.js";
import { answer } from "./answer.js";
import { inputSchema, readArguments } from "./arguments.js";
import { STR_REPLACE_ARGUMENTS } from "./edit-schemas.js";
import { lateEditing } from "./late-editing.js";
import type { Rooms } from "./rooms.js";
import type { Tool } from "./tool.js";

export function strReplaceTool(rooms: Rooms): Tool<EditValue> {
  const editing = lateEditing(rooms);
  return {
    kind: "str_replace",
    name: "str_replace",
    title: "Replace text in a file",
    description: "Replaces old_str with new_str in one file. Read the file first.",
    inputSchema: inputSchema(STR_REPLACE_ARGUMENTS),
    readOnly: false,
    call: (args, options) =>
      answer(rooms.workspace, async () => {
        const { path, old_str, new_str, replace_all, if_version } = readArguments(STR_REPLACE_ARGUMENTS, args);
        const edit = { oldText: old_str, newText: new_str, all: replace_all ?? false };
        const value = await (await editing()).replace(path, [edit], if_version, options?.signal);
        return { isError: false, text: editText(value), value, complete: true, empty: false };
      }),
  };
}
