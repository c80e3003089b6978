import { Command } from "commander";
import { QuarryError } from "../../errors/errors.js";
import { READ_FILE_ARGUMENTS } from "../../tools/schemas.js";
import { addToolOptions, toolArguments } from "../options.js";
import { runTool } from "../run.js";
import { addSharedOptions, openTools, otherProfileTool, type SharedOptions } from "../session.js";

export function readCommand(): Command {
  const command = new Command("read")
    .description("show a file's lines, numbered")
    .argument("<path>", "the file")
    .option("--lines <a:b>", "from line a to line b; either may be missing");
  addToolOptions(command, READ_FILE_ARGUMENTS, ["path"]);
  return addSharedOptions(command).action(
    async (path: string, options: SharedOptions & Record<string, unknown> & { lines?: string }) => {
      const range = options.lines === undefined ? {} : lineRange(options.lines);
      const args = { ...toolArguments(READ_FILE_ARGUMENTS, options), path, ...range };
      const tool = (await otherProfileTool(options, "read_file")) ?? (await openTools(options)).tools.read_file;
      await runTool(tool, args, { json: options.json === true });
    },
  );
}

function lineRange(text: string): { start_line?: number; end_line?: number } {
  const found = /^(\d*):(\d*)$/.exec(text) ?? /^(\d+)$/.exec(text);
  if (found === null || text === ":") {
    throw new QuarryError(
      "INVALID_ARGUMENT",
      `--lines must be A:B, A: or :B with line numbers from 1, not ${JSON.stringify(text)}`,
      { argument: "lines" },
    );
  }
  const start = found[1] ?? "";
  const end = found[2] ?? start;
  return { ...(start === "" ? {} : { start_line: Number(start) }), ...(end === "" ? {} : { end_line: Number(end) }) };
}
