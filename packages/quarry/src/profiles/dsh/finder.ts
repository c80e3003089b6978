import type { GlobArguments, GrepArguments } from "./arguments.js";
import type { Complaints } from "./complaints.js";
import type { ListedFile, MatchRecord } from "./parse.js";
import type { DshSettings } from "./settings.js";

/** On whose behalf a search runs, and where. */
export interface SearchCall {
  /** The caller's folder; left out where the executor's own is meant. */
  readonly workdir?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Files as ripgrep prints them. */
export interface Listed {
  /** Oldest modification first, files of equal age by path. */
  readonly files: readonly ListedFile[];
  readonly complaints: Complaints | null;
  /** Absolute; where the search ran. */
  readonly workdir: string;
}

/** Lines as ripgrep prints them; those of a file by number. */
export interface FoundLines {
  readonly records: readonly MatchRecord[];
  readonly complaints: Complaints | null;
  readonly workdir: string;
}

/** Who finds. What is said of it is the profile's, whoever found it. */
export interface Finder {
  /** @throws SearchFailure, ArgumentFailure. */
  listFiles(args: GlobArguments, call: SearchCall, settings: DshSettings): Promise<Listed>;
  /** @throws SearchFailure. */
  findLines(args: GrepArguments, call: SearchCall, settings: DshSettings): Promise<FoundLines>;
}
