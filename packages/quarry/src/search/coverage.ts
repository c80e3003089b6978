/**
 * What was and was not searched. Counts are of entries: a folder that is left out whole counts once, since nobody looks
 * inside it. Two kinds are found only by reading, so they count files whose content matched: `binary`, `tooLarge` is by size.
 */
export interface SkipCounts {
  /** Left out by .gitignore, .ignore, .rgignore or .git/info/exclude. */
  ignored: number;
  /** Version control folders (.git and its kin) and every nested .git of any kind. */
  hidden: number;
  /** Left out by an include glob, an exclude glob or a type of the query. Files; an excluded folder counts once. */
  excluded: number;
  /** Files that hold a match and a NUL byte in their first 64 KiB: they were searched, their lines are not shown. */
  binary: number;
  /** Files over `maxFileBytes`. */
  tooLarge: number;
  /** Files and folders that the system would not open or list. */
  unreadable: number;
  /** Symbolic links met in a walk: not followed. */
  links: number;
  /** Devices, pipes, sockets: never opened. */
  special: number;
  /** What the workspace's rules deny: a number, never a name. */
  denied: number;
  /** Folders that the configuration switched off, such as disabled skills. */
  disabled: number;
}

/** The reasons for which a search is not complete; closed. */
export type IncompleteReason =
  /** The time limit ended it. */
  | "timeout"
  /** The caller ended it. */
  | "cancelled"
  /** An engine died or could not finish part of the files. */
  | "engine"
  /** A folder or file could not be read. */
  | "unreadable"
  /** Matches behind a NUL byte of an otherwise textual file are not shown. */
  | "nul-byte"
  /** A file changed or moved while it was searched, and what was found could not be confirmed. */
  | "changed";

/** How much of what a question is about was searched. */
export interface Coverage {
  /** True where every file that the query is about was searched to its end. */
  complete: boolean;
  /** The gravest reason where it is not complete; null where it is. Order of gravity: as in `IncompleteReason`. */
  reason: IncompleteReason | null;
  /** Files that were opened and searched (binary ones included). */
  filesSearched: number;
  skipped: SkipCounts;
}

/** All zero. */
export function noSkips(): SkipCounts {
  return {
    ignored: 0,
    hidden: 0,
    excluded: 0,
    binary: 0,
    tooLarge: 0,
    unreadable: 0,
    links: 0,
    special: 0,
    denied: 0,
    disabled: 0,
  };
}

const GRAVITY: readonly IncompleteReason[] = ["timeout", "cancelled", "engine", "unreadable", "nul-byte", "changed"];

/** The graver of two reasons. */
export function graver(a: IncompleteReason | null, b: IncompleteReason | null): IncompleteReason | null {
  if (a === null) return b;
  if (b === null) return a;
  return GRAVITY.indexOf(a) <= GRAVITY.indexOf(b) ? a : b;
}
