/**
 * The order of the rooms, lowest first: a file imports from its own room and from rooms above it in this list, never
 * from one below. A folder of `src/` that is missing here fails the test: give it its place.
 */
export const ROOMS = [
  "errors",
  "paths",
  /** The words that rooms share; not a folder: see `ROOM_OF_FILE`. */
  "words",
  "config",
  "workspace",
  "files",
  "walk",
  "executors",
  "engines",
  "retention",
  "spill",
  "sandbox",
  "profiles",
  "tools",
  "audit",
  /** `src/index.ts`, what a program imports. */
  "library",
  "adapters",
  "mcp",
  "cli",
] as const;

export type Room = (typeof ROOMS)[number];

/** Files and folders that do not belong to the room whose name their folder has, by path below `src/`. Keep it short. */
export const ROOM_OF_FILE: Readonly<Record<string, Room>> = {
  "search/": "words",
  "workspace/mount.ts": "words",
  "walk/query.ts": "words",
  "tools/tool.ts": "words",
  "index.ts": "library",
  "deerflow.ts": "library",
  "dsh.ts": "library",
};

/** Files of more than 400 lines, by path below the repository's root, each with its reason. */
export const LONG_FILES: Readonly<Record<string, string>> = {};

/** Names that say nothing of what a file holds. */
export const EMPTY_NAMES = /^(utils?|helpers?|managers?|common|misc|shared)\b/i;
