import { isUtf8 } from "node:buffer";
import { buffer } from "node:stream/consumers";
import { Command } from "commander";
import { QuarryError } from "../../errors/errors.js";
import { runTool } from "../run.js";
import { addWritingOptions, openWritingTool, type WritingOptions } from "../writing.js";

interface WriteOptions extends WritingOptions {
  readonly createDirs?: boolean;
  readonly ifVersion?: string;
}

export function writeCommand(): Command {
  const command = new Command("write")
    .description("make a file, or replace all of one, from standard input")
    .argument("<path>", "the file")
    .option("--create-dirs", "make the folders that are missing")
    .option("--if-version <version>", "the version that is replaced; needed where the file exists");
  return addWritingOptions(command).action(async (path: string, options: WriteOptions) => {
    const tool = await openWritingTool(options, "write_file");
    const args = {
      path,
      content: await readStdin(),
      ...(options.createDirs === true ? { create_dirs: true } : {}),
      ...(options.ifVersion === undefined ? {} : { if_version: options.ifVersion }),
    };
    await runTool(tool, args, { json: options.json === true });
  });
}

/** @throws QuarryError INVALID_ARGUMENT for bytes that are not UTF-8: they would be written as something else. */
async function readStdin(): Promise<string> {
  const bytes = await buffer(process.stdin);
  if (isUtf8(bytes)) return bytes.toString("utf8");
  throw new QuarryError("INVALID_ARGUMENT", "standard input is not UTF-8 text", {
    argument: "content",
    remedy: "Nothing was written. Give the content in UTF-8.",
  });
}
