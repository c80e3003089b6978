import { readRange, type ReadValue } from "../files/read.js";
import { readText } from "../profiles/quarry/read-text.js";
import { answer } from "./answer.js";
import { inputSchema, readArguments } from "./arguments.js";
import type { Rooms } from "./rooms.js";
import { READ_FILE_ARGUMENTS } from "./schemas.js";
import type { Tool } from "./tool.js";

export function readFileTool(rooms: Rooms): Tool<ReadValue> {
  return {
    kind: "read_file",
    name: "read_file",
    title: "Read a file",
    description: "Shows a file's lines, numbered, and its version for edits.",
    inputSchema: inputSchema(READ_FILE_ARGUMENTS),
    readOnly: true,
    call: (args) =>
      answer(rooms.workspace, async () => {
        const { path, start_line, end_line } = readArguments(READ_FILE_ARGUMENTS, args);
        const range = { ...(start_line === undefined ? {} : { startLine: start_line }), ...(end_line === undefined ? {} : { endLine: end_line }) };
        const target = rooms.workspace.resolve(path, "file");
        const value = await readRange(rooms.workspace, target, range, rooms.settings);
        return { isError: false, text: readText(value), value, complete: true, empty: false };
      }),
  };
}
