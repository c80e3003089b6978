import {
  PROFILE_TOOLS,
  PROFILES,
  READ_GROUP,
  THREAD_FOLDERS,
  THREAD_ROOT,
  WRITE_GROUP,
  type Profile,
} from "../config/choices.js";
import type { ConfiguredTool, QuarryConfig } from "../config/file.js";
import { configError } from "../config/problems.js";
import type { Settings } from "../config/tunables.js";
import { QuarryError } from "../errors/errors.js";
import { quote } from "../workspace/refusal.js";
import { threadFolders } from "../workspace/threads.js";
import { Workspace, type MountOptions } from "../workspace/workspace.js";
import { loadTool } from "./load-tool.js";
import { profileTools } from "./profiles.js";
import type { EngineChoice, ToolsOptions } from "./registry.js";
import type { Tool } from "./tool.js";

/** Who calls, and what the caller's face says over the configuration. */
export interface Caller {
  /** The thread whose folders are shown; needed where there is nothing else to show. */
  readonly thread?: string;
  /** The groups that are on for this caller: some of the configuration's; all of those where absent. */
  readonly groups?: readonly string[];
  /** As in `ToolsOptions`; an owner of this call's own where absent. */
  readonly artifacts?: ToolsOptions["artifacts"];
  /** Over the configuration's. */
  readonly settings?: Partial<Settings>;
  readonly engine?: EngineChoice;
  readonly pcre2?: boolean;
  /** As in `ToolsOptions`. */
  readonly buildIndex?: boolean;
}

/** What a caller may see and do. */
export interface Configured {
  readonly workspace: Workspace;
  /** In the order of the configuration, or of the profile. */
  readonly tools: readonly Tool[];
}

/**
 * The one way from a configuration to a workspace and its tools, for every face.
 * @throws QuarryError INVALID_ARGUMENT for a thread or group that the configuration does not know; CONFIG_INVALID for a tool that
 * cannot be loaded; what `threadFolders` and the profiles throw.
 */
export async function openConfigured(config: QuarryConfig, caller: Caller = {}): Promise<Configured> {
  const groups = groupsOf(config, caller);
  const mounts = await mountsOf(config, caller);
  const workspace = await Workspace.open({ mounts });
  // Folders of a thread were opened without following a link; a mount follows those that stand there when it is made.
  const exchanged = mounts.some(({ name, host }, i) => isOfThread(name) && workspace.mounts[i]?.hostRoot !== host);
  if (exchanged) throw new QuarryError("OUTSIDE_WORKSPACE", "a folder of the thread was exchanged for a link");
  return { workspace, tools: await toolsOf(config, caller, workspace, groups) };
}

function groupsOf(config: QuarryConfig, { groups }: Caller): ReadonlySet<string> {
  const unknown = groups?.find((group) => !config.groups.includes(group));
  if (unknown === undefined) return new Set(groups ?? config.groups);
  throw new QuarryError(
    "INVALID_ARGUMENT",
    `the group ${quote(unknown)} is not on in the configuration; on are ${config.groups.join(", ") || "none"}`,
    { argument: "groups" },
  );
}

function isOfThread(name: string | undefined): boolean {
  return THREAD_FOLDERS.some((folder) => name === `${THREAD_ROOT}/${folder}`.slice(1));
}

async function mountsOf(config: QuarryConfig, { thread }: Caller): Promise<readonly MountOptions[]> {
  const mounts = config.mounts.map(({ path, ...mount }) => ({ name: path.slice(1), ...mount }));
  if (thread === undefined) {
    if (mounts.length > 0) return mounts;
    throw new QuarryError(
      "INVALID_ARGUMENT",
      "the configuration shows folders of threads alone, and no thread is named",
      {
        argument: "thread",
        remedy: "Name the thread: --thread ID.",
      },
    );
  }
  if (config.threads === null)
    throw new QuarryError("INVALID_ARGUMENT", "the configuration has no threads", { argument: "thread" });
  const folders = await threadFolders(config.threads, thread, THREAD_FOLDERS);
  const own = THREAD_FOLDERS.map((name) => ({
    name: `${THREAD_ROOT}/${name}`.slice(1),
    host: folders[name],
    access: "write" as const,
  }));
  return [...own, ...mounts];
}

async function toolsOf(
  config: QuarryConfig,
  caller: Caller,
  workspace: Workspace,
  groups: ReadonlySet<string>,
): Promise<Tool[]> {
  const build = profileBuilder(config, caller, workspace);
  const writable = workspace.mounts.some((mount) => mount.access === "write");
  const may = (tool: Tool, group: string): boolean => groups.has(group) && (tool.readOnly || writable);
  if (config.tools === null) {
    const all = await build(config.profile, null);
    return all.filter((tool) => may(tool, tool.readOnly ? READ_GROUP : WRITE_GROUP));
  }
  const found: Tool[] = [];
  for (const entry of config.tools) {
    // A module that is off is not loaded.
    if (!groups.has(entry.group)) continue;
    const tool = await toolOf(config, entry, workspace, build);
    if (!tool.readOnly && entry.group === READ_GROUP)
      throw configError(config.file, [
        { line: entry.line, text: `the tool ${entry.name} changes files and cannot be in the group ${READ_GROUP}` },
      ]);
    if (may(tool, entry.group)) found.push(tool);
  }
  return found;
}

type Build = (profile: Profile, maxResults: number | null) => Promise<readonly Tool[]>;

async function toolOf(config: QuarryConfig, entry: ConfiguredTool, workspace: Workspace, build: Build): Promise<Tool> {
  const own = PROFILES.find((profile) => entry.module === `quarry/${profile}`);
  if (own === undefined) {
    const { name, group, maxResults, options } = entry;
    return loadTool(config, entry, { workspace, settings: config.settings, name, group, maxResults, options });
  }
  const tool = (await build(own, entry.maxResults)).find((one) => one.kind === entry.export);
  if (tool !== undefined) return { ...tool, name: entry.name };
  const kinds = PROFILE_TOOLS[own].join(", ");
  throw configError(config.file, [{ line: entry.line, text: `quarry/${own} has no ${entry.export}; it has ${kinds}` }]);
}

/** Makes a profile's tools, once for each ceiling. */
function profileBuilder(config: QuarryConfig, caller: Caller, workspace: Workspace): Build {
  const made = new Map<string, Promise<readonly Tool[]>>();
  const settings = { ...config.settings, ...caller.settings };
  const options = {
    engine: caller.engine ?? config.engine,
    artifacts: caller.artifacts ?? false,
    pcre2: caller.pcre2 === true,
    buildIndex: caller.buildIndex === true,
    write: true,
  } as const;
  return (profile, maxResults) => {
    const key = `${profile} ${maxResults}`;
    let tools = made.get(key);
    if (tools === undefined) {
      tools = profileTools(workspace, profile, {
        ...options,
        settings,
        ...(maxResults === null ? {} : { maxResults }),
      });
      made.set(key, tools);
    }
    return tools;
  };
}
