import { randomUUID } from "node:crypto";
import { resolveSettings } from "../config/settings.js";
import type { Settings } from "../config/tunables.js";
import { RipgrepEngine } from "../engines/ripgrep/engine.js";
import { QuarryError } from "../errors/errors.js";
import type { SearchEngine } from "../search/engine.js";
import { artifactStore } from "./artifact-store.js";
import type { Workspace } from "../workspace/workspace.js";
import { globTool } from "./glob.js";
import { grepTool } from "./grep.js";
import { lsTool } from "./ls.js";
import { multiEditTool } from "./multi-edit.js";
import { readFileTool } from "./read-file.js";
import type { Rooms } from "./rooms.js";
import { strReplaceTool } from "./str-replace.js";
import { writeFileTool } from "./write-file.js";

/** Which engine answers. */
export const ENGINE_CHOICES = ["auto", "ripgrep"] as const;
export type EngineChoice = (typeof ENGINE_CHOICES)[number];

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
  const engine = chooseEngine(options.engine ?? "auto");
  const store = artifactStore(workspace, options.artifacts ?? { owner: `object:${randomUUID()}` }, settings);
  const rooms: Rooms = { workspace, settings, engine, store };
  return {
    grep: grepTool(rooms),
    glob: globTool(rooms),
    read_file: readFileTool(rooms),
    ls: lsTool(rooms),
    ...(options.write === true ? { str_replace: strReplaceTool(rooms), multi_edit: multiEditTool(rooms), write_file: writeFileTool(rooms) } : {}),
  };
}

/** One of each, for `quarry doctor`. */
export function allEngines(): readonly SearchEngine[] {
  return [new RipgrepEngine()];
}

function chooseEngine(choice: EngineChoice): () => Promise<SearchEngine> {
  if (!ENGINE_CHOICES.includes(choice)) {
    throw new QuarryError("INVALID_ARGUMENT", `unknown engine ${JSON.stringify(choice)}; known are ${ENGINE_CHOICES.join(", ")}`, { argument: "engine" });
  }
  const engine = new RipgrepEngine();
  let found = false;
  return async () => {
    if (found) return engine;
    const { available, detail } = await engine.status();
    if (!available) throw new QuarryError("ENGINE_UNAVAILABLE", detail);
    // Asked once: where it vanishes later, the search itself says so.
    found = true;
    return engine;
  };
}

