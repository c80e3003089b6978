import { Command } from "commander";
import { runTool } from "../run.js";
import { addWritingOptions, openWritingTool, type WritingOptions } from "../writing.js";

interface EditOptions extends WritingOptions {
  readonly old: string;
  readonly new: string;
  readonly all?: boolean;
  readonly ifVersion?: string;
}

export function editCommand(): Command {
  const command = new Command("edit")
    .description("replace text in a file, exactly once or everywhere")
    .argument("<path>", "the file")
    .requiredOption("--old <text>", "the text as it stands in the file")
    .requiredOption("--new <text>", "what takes its place")
    .option("--all", "replace every place")
    .option("--if-version <version>", "only where the file still has this version (quarry read shows it)");
  return addWritingOptions(command).action(async (path: string, options: EditOptions) => {
    const tool = await openWritingTool(options, "str_replace");
    const args = {
      path,
      old_str: options.old,
      new_str: options.new,
      ...(options.all === true ? { replace_all: true } : {}),
      ...(options.ifVersion === undefined ? {} : { if_version: options.ifVersion }),
    };
    await runTool(tool, args, { json: options.json === true });
  });
}
