import { randomUUID } from "node:crypto";
import { resolveSettings } from "../config/settings.js";
import type { Settings } from "../config/tunables.js";
import { QuarryError } from "../errors/errors.js";
import { ENGINE_NAMES, type SearchEngine } from "../search/engine.js";
import { artifactStore } from "./artifact-store.js";
import type { Workspace } from "../workspace/workspace.js";
import { indexesOf, type IndexLimits } from "./index-folder.js";
import { globTool } from "./glob.js";
import { grepTool } from "./grep.js";
import { lsTool } from "./ls.js";
import { multiEditTool } from "./multi-edit.js";
import { readFileTool } from "./read-file.js";
import type { Rooms } from "./rooms.js";
import { strReplaceTool } from "./str-replace.js";
import { writeFileTool } from "./write-file.js";

/** Which engine answers. */
export const ENGINE_CHOICES = ["auto", ...ENGINE_NAMES] as const;
/** One of `ENGINE_CHOICES`. */
export type EngineChoice = (typeof ENGINE_CHOICES)[number];

/** What `tools` may be told; all of it may be absent. */
export interface ToolsOptions {
  /** Over the defaults of `docs/settings.md`. */
  readonly settings?: Partial<Settings>;
  /** `auto` where absent. */
  readonly engine?: EngineChoice;
  /**
   * Whom artifacts belong to: the same owner finds them again. Where absent, an owner of its own that ends with this object.
   * `false` switches artifacts off.
   */
  readonly artifacts?: { readonly owner: string } | false;
  /** Also the tools that change files; each refuses where the mount is not read-write. False where absent. */
  readonly write?: boolean;
  /**
   * Look-around and backreferences are allowed, which ripgrep's own program alone can search. They can take long; the time
   * limit ends them. False where absent: a caller cannot ask for it.
   */
  readonly pcre2?: boolean;
  /**
   * An index that is missing or too old is built beside the searches (`indexMinFiles`), by the engines `auto` and `index`. For programs that
   * stay. False where absent: then an index is used where there is one (`quarry index build`).
   */
  readonly buildIndex?: boolean;
}

/** The tools over one workspace, by what they do. */
export interface Tools {
  readonly grep: ReturnType<typeof grepTool>;
  readonly glob: ReturnType<typeof globTool>;
  readonly read_file: ReturnType<typeof readFileTool>;
  readonly ls: ReturnType<typeof lsTool>;
  /** This one and those below: present where writing was asked for. */
  readonly str_replace?: ReturnType<typeof strReplaceTool>;
  readonly multi_edit?: ReturnType<typeof multiEditTool>;
  readonly write_file?: ReturnType<typeof writeFileTool>;
}

/**
 * Makes the tools over a workspace.
 * @throws QuarryError INVALID_ARGUMENT for a setting or an engine that does not exist.
 */
export function tools(workspace: Workspace, options: ToolsOptions = {}): Tools {
  const settings = resolveSettings(options.settings);
  const engine = chooseEngine(options.engine ?? "auto", options.buildIndex === true ? settings : null);
  const store = artifactStore(workspace, options.artifacts ?? { owner: `object:${randomUUID()}` }, settings);
  const rooms: Rooms = { workspace, settings, engine, store, pcre2: options.pcre2 === true };
  return {
    grep: grepTool(rooms),
    glob: globTool(rooms),
    read_file: readFileTool(rooms),
    ls: lsTool(rooms),
    ...(options.write === true
      ? { str_replace: strReplaceTool(rooms), multi_edit: multiEditTool(rooms), write_file: writeFileTool(rooms) }
      : {}),
  };
}

/** One of each that `auto` asks, for `quarry doctor`. That nobody has an rg of their own, which `bash` runs, is no fault. */
export async function allEngines(): Promise<readonly SearchEngine[]> {
  const { makeEngine } = await import("../engines/auto/choose.js");
  return ENGINE_NAMES.filter((name) => name !== "bash").map((name) => makeEngine(name));
}

/**
 * The engine of a choice, made when it is first asked for.
 * @param build the limits by which indexes are built; null where none are.
 * @throws QuarryError INVALID_ARGUMENT for one that does not exist.
 */
export function chooseEngine(choice: EngineChoice, build: IndexLimits | null = null): () => Promise<SearchEngine> {
  if (!ENGINE_CHOICES.includes(choice)) {
    throw new QuarryError(
      "INVALID_ARGUMENT",
      `unknown engine ${JSON.stringify(choice)}; known are ${ENGINE_CHOICES.join(", ")}`,
      { argument: "engine" },
    );
  }
  let engine: Promise<SearchEngine> | null = null;
  // Loaded when something is searched. Whether it can run is not asked first, which would be one more process for each
  // command: its search says so itself.
  return () =>
    (engine ??= import("../engines/auto/choose.js").then(({ makeEngine }) =>
      makeEngine(choice, { indexes: indexesOf(build) }),
    ));
}
