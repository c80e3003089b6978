import type { Settings } from "../config/tunables.js";
import type { SearchEngine } from "../search/engine.js";
import type { MaybeStore } from "../spill/store.js";
import type { Workspace } from "../workspace/workspace.js";

/** What every tool is built over. */
export interface Rooms {
  readonly workspace: Workspace;
  readonly settings: Settings;
  /** The engine that answers; asked once a call. */
  readonly engine: () => Promise<SearchEngine>;
  /** Where complete results go; null where they are switched off. */
  readonly store: () => MaybeStore;
  /** PCRE2's look-around and backreferences are allowed. */
  readonly pcre2: boolean;
}
