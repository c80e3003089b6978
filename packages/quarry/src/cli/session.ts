import { homedir, userInfo } from "node:os";
import { parse } from "node:path";
import type { Command } from "commander";
import { QuarryError } from "../errors/errors.js";
import { PROFILES, profileMounts, profileTools, type Profile } from "../tools/profiles.js";
import { ENGINE_CHOICES, tools, type EngineChoice, type Tools } from "../tools/registry.js";
import type { Tool, ToolKind } from "../tools/tool.js";
import { Workspace } from "../workspace/workspace.js";
import { addConfigOptions, configuredTool, type ConfigOptions } from "./configured.js";
import { milliseconds } from "./options.js";

/** Options that every searching command shares. */
export interface SharedOptions extends Pick<ConfigOptions, "config" | "thread" | "groups"> {
  readonly root?: string[];
  readonly json?: boolean;
  readonly engine?: EngineChoice;
  readonly timeout?: string;
  readonly pcre2?: boolean;
  /** false: `--no-artifacts`. */
  readonly artifacts?: boolean;
}

/** Adds the shared options to a command. */
export function addSharedOptions(command: Command): Command {
  return addConfigOptions(command)
    .option(
      "--root <folder>",
      "folder to work in; repeatable (default: the folder you are in)",
      (one: string, all: string[] = []) => [...all, one],
    )
    .option("--json", "print the structured value as JSON")
    .option("--engine <name>", `${ENGINE_CHOICES.join(", ")} (default auto)`)
    .option("--timeout <span>", "time limit of the call, e.g. 500ms, 10s, 2m (default 30s)")
    .option("--no-artifacts", "do not keep the complete result of a cut page in the cache folder");
}

/** Adds the choice of a profile, and the argument that only `dsh` has. */
export function addProfileOptions(command: Command, own: readonly string[]): Command {
  command.option("--profile <name>", `${PROFILES.join(" or ")}: whose arguments, caps and texts (default quarry)`);
  if (own.includes("include"))
    command.option("--include <glob>", "only in the profile dsh: one glob of files to search");
  return command;
}

/** The tool of a configuration, or of another profile than `quarry`; null for neither. */
export async function otherProfileTool(
  options: SharedOptions & { readonly profile?: Profile },
  kind: ToolKind,
): Promise<Tool | null> {
  const configured = await configuredTool(options, kind);
  if (configured !== null) return configured;
  const { profile = "quarry" } = options;
  if (profile === "quarry") return null;
  const workspace = await openWorkspace(options, profile);
  const made = await profileTools(workspace, profile, toolsOptions(options, workspace));
  return made.find((tool) => tool.kind === kind) ?? null;
}

/**
 * The roots of a call: those that were named, or the folder one is in.
 * @throws QuarryError INVALID_ARGUMENT in a home folder or at the top of a disk, where nobody means "all of it".
 */
export function chooseRoots(named: readonly string[] | undefined): readonly string[] {
  if (named !== undefined && named.length > 0) return named;
  const here = process.cwd();
  if (here === homedir() || here === parse(here).root) {
    throw new QuarryError(
      "INVALID_ARGUMENT",
      "this is a home folder or the top of a disk, and no --root says what to search",
      {
        argument: "root",
        remedy: "Go to a project's folder, or name one: --root <folder>; --root . takes this one.",
      },
    );
  }
  return [here];
}

/** Opens the workspace and its tools for one command. */
export async function openTools(
  options: SharedOptions,
): Promise<{ readonly workspace: Workspace; readonly tools: Tools }> {
  const workspace = await openWorkspace(options);
  return { workspace, tools: tools(workspace, toolsOptions(options, workspace)) };
}

function openWorkspace(options: SharedOptions, profile: Profile = "quarry"): Promise<Workspace> {
  const mounts = profileMounts(profile, chooseRoots(options.root), "read");
  return Workspace.open({ mounts, acceptHostPaths: profile !== "deerflow" });
}

function toolsOptions(options: SharedOptions, workspace: Workspace): Parameters<typeof profileTools>[2] {
  return {
    settings: options.timeout === undefined ? {} : { timeoutMs: milliseconds(options.timeout) },
    artifacts: options.artifacts === false ? false : { owner: artifactOwner(workspace) },
    pcre2: options.pcre2 === true,
    ...(options.engine === undefined ? {} : { engine: options.engine }),
  };
}

/** Artifacts of the command line belong to the user and the roots: the next command over the same roots opens them. */
function artifactOwner(workspace: Workspace): string {
  const roots = workspace.mounts.map((mount) => mount.hostRoot).sort();
  return ["cli", String(process.getuid?.() ?? userInfo().username), ...roots].join("\0");
}
