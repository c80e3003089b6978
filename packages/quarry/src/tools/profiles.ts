import { basename, resolve } from "node:path";
import { PROFILES, type Profile } from "../config/choices.js";
import { resolveSettings } from "../config/settings.js";
import { QuarryError } from "../errors/errors.js";
import type { MountOptions, Workspace } from "../workspace/workspace.js";
import { artifactStore } from "./artifact-store.js";
import { maskedResult } from "./masked-result.js";
import { tools, type ToolsOptions } from "./registry.js";
import type { Tool } from "./tool.js";

export { PROFILES, type Profile } from "../config/choices.js";

/** Where `deerflow` shows the folder that it works in. */
const DEERFLOW_ROOT = "mnt/user-data/workspace";

/**
 * The mounts of a profile for folders that nobody gave a name: `deerflow` has absolute virtual paths, so there one folder is
 * `/mnt/user-data/workspace`, and several are the folders in it.
 */
export function profileMounts(
  profile: Profile,
  folders: readonly string[],
  access: NonNullable<MountOptions["access"]>,
): readonly MountOptions[] {
  if (profile !== "deerflow") return folders.map((host) => ({ host, access }));
  const taken = new Set<string>();
  return folders.map((host) => {
    // oxlint-disable-next-line no-control-regex -- a folder's name may hold them, a mount's name may not
    const base = basename(resolve(host)).replace(/[\u0000-\u001f\u007f\\]/g, "_") || "root";
    let name = base;
    for (let n = 2; taken.has(name); n++) name = `${base}-${n}`;
    taken.add(name);
    return { host, access, name: folders.length === 1 ? DEERFLOW_ROOT : `${DEERFLOW_ROOT}/${name}` };
  });
}

/**
 * The tools of a profile over one workspace. `dsh` has `glob` and `grep` alone, with its own caps; `engine` and `write` do not concern it.
 * `deerflow` keeps no artifacts.
 * @throws QuarryError INVALID_ARGUMENT for a profile that does not exist.
 */
export async function profileTools(
  workspace: Workspace,
  profile: Profile,
  options: ToolsOptions & {
    readonly artifacts: Exclude<ToolsOptions["artifacts"], undefined>;
    /** Most results of one call of glob or grep, which no call lifts. */
    readonly maxResults?: number;
  },
): Promise<readonly Tool[]> {
  const { maxResults } = options;
  switch (profile) {
    case "quarry":
      return maxResults === undefined
        ? Object.values(tools(workspace, options))
        : withCeiling(
            Object.values(tools(workspace, { ...options, settings: { ...options.settings, maxResults } })),
            maxResults,
          );
    case "dsh": {
      const { dshTools } = await import("./dsh.js");
      const timeoutMs = options.settings?.timeoutMs;
      const store = artifactStore(workspace, options.artifacts, resolveSettings(options.settings));
      return dshTools({
        workspace,
        store,
        settings: {
          ...(timeoutMs === undefined ? {} : { timeoutMs }),
          ...(maxResults === undefined ? {} : { globMaxResults: maxResults, grepMaxMatches: maxResults }),
        },
      });
    }
    case "deerflow": {
      const [{ deerflowTools }, { LocalSandbox }] = await Promise.all([
        import("./deerflow.js"),
        import("./local-sandbox.js"),
      ]);
      const { settings, engine, write } = options;
      const sandbox = new LocalSandbox(workspace, {
        ...(settings === undefined ? {} : { settings }),
        ...(engine === undefined ? {} : { engine }),
      });
      const made = deerflowTools({
        sandbox,
        ...(write === undefined ? {} : { write }),
        ...(maxResults === undefined ? {} : { maxResults: { glob: maxResults, grep: maxResults } }),
      });
      return withMaskedErrors(made, workspace);
    }
    default:
      throw new QuarryError(
        "INVALID_ARGUMENT",
        `unknown profile ${JSON.stringify(profile)}; known are ${PROFILES.join(", ")}`,
        {
          argument: "profile",
        },
      );
  }
}

/** These tools know a sandbox and no mounts, and a refusal of theirs repeats arguments. Contents are never masked. */
function withMaskedErrors(made: readonly Tool[], workspace: Workspace): readonly Tool[] {
  return made.map((tool) => ({
    ...tool,
    call: async (args, options) => {
      const result = await tool.call(args, options);
      return result.isError ? maskedResult(result, workspace) : result;
    },
  }));
}

/** What a call asks for is not more than the ceiling; other arguments go on as they came. */
function withCeiling(made: readonly Tool[], most: number): readonly Tool[] {
  return made.map((tool) => ({
    ...tool,
    call: (args, options) => tool.call(atMost(args, most), options),
  }));
}

function atMost(args: unknown, most: number): unknown {
  if (typeof args !== "object" || args === null || !("max_results" in args)) return args;
  const { max_results: asked } = args;
  return typeof asked === "number" && Number.isInteger(asked) && asked > most ? { ...args, max_results: most } : args;
}
