import { userInfo } from "node:os";
import { resolve } from "node:path";
import type { Command } from "commander";
import type { QuarryConfig } from "../config/file.js";
import { QuarryError } from "../errors/errors.js";
import type { Caller, Configured } from "../tools/configured.js";
import type { EngineChoice } from "../tools/registry.js";
import type { Tool, ToolKind } from "../tools/tool.js";
import { milliseconds } from "./options.js";

/** Options of a command that can work from a configuration file. */
export interface ConfigOptions {
  readonly config?: string;
  readonly thread?: string;
  readonly groups?: string;
  readonly engine?: EngineChoice;
  readonly timeout?: string;
  readonly pcre2?: boolean;
  /** false: `--no-artifacts`. */
  readonly artifacts?: boolean;
  /** These three say what the file says, and do not go with it. */
  readonly root?: readonly string[];
  readonly profile?: string;
  readonly allowWrite?: boolean;
}

/** Adds them to a command. */
export function addConfigOptions(command: Command): Command {
  return command
    .option("--config <file>", "take folders, tools and limits from this file (docs/configuration.md)")
    .option("--thread <id>", "with --config: show the folders of this thread")
    .option("--groups <names>", "with --config: only these of its tool groups, e.g. file:read");
}

/**
 * The configuration of a command; null where it names none.
 * @throws QuarryError CONFIG_INVALID; INVALID_ARGUMENT for options that do not go together.
 */
export async function readConfig(options: ConfigOptions): Promise<QuarryConfig | null> {
  const wrong = (one: string, text: string): QuarryError =>
    new QuarryError("INVALID_ARGUMENT", `--${one} ${text}`, { argument: one });
  if (options.config === undefined) {
    if (options.thread !== undefined) throw wrong("thread", "needs --config, which says where threads are");
    if (options.groups !== undefined) throw wrong("groups", "needs --config, which says what is in a group");
    return null;
  }
  if ((options.root ?? []).length > 0) throw wrong("root", "does not go with --config, which names the folders");
  if (options.profile !== undefined) throw wrong("profile", "does not go with --config, which names the profile");
  if (options.allowWrite === true)
    throw wrong("allow-write", "does not go with --config, whose groups and mounts say what may be changed");
  const { loadConfig } = await import("../config/file.js");
  return loadConfig(options.config);
}

/** What a command's caller is, over the configuration. */
export function callerOf(options: ConfigOptions, artifacts: NonNullable<Caller["artifacts"]>): Caller {
  return {
    artifacts,
    pcre2: options.pcre2 === true,
    ...(options.thread === undefined ? {} : { thread: options.thread }),
    ...(options.groups === undefined ? {} : { groups: options.groups.split(",").map((name) => name.trim()) }),
    ...(options.timeout === undefined ? {} : { settings: { timeoutMs: milliseconds(options.timeout) } }),
    ...(options.engine === undefined ? {} : { engine: options.engine }),
  };
}

/** Opens what a configuration and a caller's face give together. */
export async function openFromConfig(config: QuarryConfig, caller: Caller): Promise<Configured> {
  const { openConfigured } = await import("../tools/configured.js");
  return openConfigured(config, caller);
}

/**
 * The tool of a configuration that does what a command does; null where the command names no configuration.
 * @throws QuarryError INVALID_ARGUMENT where the configuration has no such tool for this caller.
 */
export async function configuredTool(options: ConfigOptions, kind: ToolKind): Promise<Tool | null> {
  const config = await readConfig(options);
  if (config === null) return null;
  // The next command over the same file and thread opens what this one kept.
  const owner = [
    "cli",
    String(process.getuid?.() ?? userInfo().username),
    resolve(config.location),
    options.thread ?? "",
  ];
  const artifacts = options.artifacts === false ? (false as const) : { owner: owner.join("\0") };
  const { tools } = await openFromConfig(config, callerOf(options, artifacts));
  const tool = tools.find((one) => one.kind === kind);
  if (tool !== undefined) return tool;
  const on = tools.map((one) => one.name).join(", ");
  throw new QuarryError("INVALID_ARGUMENT", `${config.file} has no ${kind} switched on; on are ${on || "no tools"}`, {
    argument: "config",
    remedy: "List the tool, switch its group on, and for writing make a mount read-write.",
  });
}
