import { QuarryError } from "../errors/errors.js";
import { readRange, type ReadValue } from "../files/read.js";
import { readText } from "../profiles/quarry/read-text.js";
import { answer } from "./answer.js";
import { inputSchema, readArguments } from "./arguments.js";
import { Clock } from "./clock.js";
import { chosenEncoding } from "./encoding.js";
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
    call: (args, options = {}) =>
      answer(rooms.workspace, async () => {
        const { path, start_line, end_line, encoding } = readArguments(READ_FILE_ARGUMENTS, args);
        const label = chosenEncoding(encoding);
        const range = {
          ...(start_line === undefined ? {} : { startLine: start_line }),
          ...(end_line === undefined ? {} : { endLine: end_line }),
          ...(label === null ? {} : { encoding: label }),
        };
        const target = rooms.workspace.resolve(path, "file");
        const clock = new Clock(rooms.settings.timeoutMs, options.signal);
        try {
          const value = await readRange(rooms.workspace, target, { ...range, signal: clock.signal }, rooms.settings);
          return { isError: false, text: readText(value), value, complete: true, empty: false };
        } catch (error) {
          if (clock.reason !== "timeout" || !(error instanceof QuarryError) || error.code !== "ABORTED") throw error;
          throw new QuarryError("TIMED_OUT", "the time limit was reached before the file's end", {
            remedy: "Raise the time limit, or use grep to find the place.",
          });
        } finally {
          clock.stop();
        }
      }),
  };
}
