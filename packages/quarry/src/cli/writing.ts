import type { Command } from "commander";
import { QuarryError } from "../errors/errors.js";
import { tools, type Tools } from "../tools/registry.js";
import { Workspace } from "../workspace/workspace.js";
import type { Tool } from "../tools/tool.js";
import { addConfigOptions, configuredTool, type ConfigOptions } from "./configured.js";
import { milliseconds } from "./options.js";
import { chooseRoots } from "./session.js";

/** Options that every command that changes files shares. */
export interface WritingOptions extends Pick<ConfigOptions, "config" | "thread" | "groups"> {
  readonly root?: string[];
  readonly json?: boolean;
  readonly timeout?: string;
  readonly allowWrite?: boolean;
}

/** Adds the shared options to a command. */
export function addWritingOptions(command: Command): Command {
  return addConfigOptions(command)
    .option("--allow-write", "needed without --config: nothing is changed otherwise")
    .option(
      "--root <folder>",
      "folder to work in; repeatable (default: the folder you are in)",
      (one: string, all: string[] = []) => [...all, one],
    )
    .option("--json", "print the structured value as JSON")
    .option("--timeout <span>", "how long to wait for another edit of the same file (default 30s)");
}

/**
 * Opens a tool that changes files, for one command.
 * @throws QuarryError READ_ONLY where the command line does not allow it; INVALID_ARGUMENT where the configuration does not.
 */
export async function openWritingTool(options: WritingOptions, kind: "str_replace" | "write_file"): Promise<Tool> {
  const configured = await configuredTool({ ...options, artifacts: false }, kind);
  if (configured !== null) return configured;
  if (options.allowWrite !== true) {
    throw new QuarryError("READ_ONLY", "this command changes a file, and writing is off", {
      remedy: "Nothing was changed. Add --allow-write to allow it.",
    });
  }
  const mounts = chooseRoots(options.root).map((host) => ({ host, access: "write" as const }));
  const workspace = await Workspace.open({ mounts, acceptHostPaths: true });
  const settings = options.timeout === undefined ? {} : { timeoutMs: milliseconds(options.timeout) };
  return (tools(workspace, { settings, artifacts: false, write: true }) as Required<Tools>)[kind];
}
