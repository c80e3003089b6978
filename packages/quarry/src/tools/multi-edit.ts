import { editText } from "../profiles/quarry/edit-text.js";
import type { EditValue } from "../search/values.js";
import { answer } from "./answer.js";
import { inputSchema, readArguments } from "./arguments.js";
import { MULTI_EDIT_ARGUMENTS } from "./edit-schemas.js";
import { lateEditing } from "./late-editing.js";
import type { Rooms } from "./rooms.js";
import type { Tool } from "./tool.js";

export function multiEditTool(rooms: Rooms): Tool<EditValue> {
  const editing = lateEditing(rooms);
  return {
    kind: "multi_edit",
    name: "multi_edit",
    title: "Make several replacements in a file",
    description: "str_replace several times in one file, each on the result of the one before; all or none.",
    inputSchema: inputSchema(MULTI_EDIT_ARGUMENTS),
    readOnly: false,
    call: (args, options) =>
      answer(rooms.workspace, async () => {
        const { path, edits, if_version } = readArguments(MULTI_EDIT_ARGUMENTS, args);
        const wanted = edits.map((e) => ({ oldText: e.old_str, newText: e.new_str, all: e.replace_all ?? false }));
        const value = await (await editing()).replace(path, wanted, if_version, options?.signal);
        return { isError: false, text: editText(value), value, complete: true, empty: false };
      }),
  };
}
