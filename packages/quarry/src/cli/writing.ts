import type { Command } from "commander";
import { QuarryError } from "../errors/errors.js";
import { tools, type Tools } from "../tools/registry.js";
import { Workspace } from "../workspace/workspace.js";
import { milliseconds } from "./options.js";
import { chooseRoots } from "./session.js";

/** Options that every command that changes files shares. */
export interface WritingOptions {
  readonly root?: string[];
  readonly json?: boolean;
  readonly timeout?: string;
  readonly allowWrite?: boolean;
}

/** Adds the shared options to a command. */
export function addWritingOptions(command: Command): Command {
  return command
    .option("--allow-write", "needed: without it nothing is changed")
    .option(
      "--root <folder>",
      "folder to work in; repeatable (default: the folder you are in)",
      (one: string, all: string[] = []) => [...all, one],
    )
    .option("--json", "print the structured value as JSON")
    .option("--timeout <span>", "how long to wait for another edit of the same file (default 30s)");
}

/**
 * Opens the tools that change files, for one command.
 * @throws QuarryError READ_ONLY where the command line does not allow it.
 */
export async function openWritingTools(options: WritingOptions): Promise<Required<Tools>> {
  if (options.allowWrite !== true) {
    throw new QuarryError("READ_ONLY", "this command changes a file, and writing is off", {
      remedy: "Nothing was changed. Add --allow-write to allow it.",
    });
  }
  const mounts = chooseRoots(options.root).map((host) => ({ host, access: "write" as const }));
  const workspace = await Workspace.open({ mounts, acceptHostPaths: true });
  const settings = options.timeout === undefined ? {} : { timeoutMs: milliseconds(options.timeout) };
  return tools(workspace, { settings, artifacts: false, write: true }) as Required<Tools>;
}
