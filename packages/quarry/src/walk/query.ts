import type { FileBatch } from "../search/engine.js";
import type { RelPath } from "../paths/path.js";
import type { SkipCounts } from "../search/coverage.js";
import type { Target } from "../workspace/mount.js";

/** Which files a question is about. Globs are relative to each target; without `/` they mean a base name at any depth. */
export interface WalkQuery {
  readonly targets: readonly Target[];
  /** A file is about the question where any of these matches; empty means every file. */
  readonly include: readonly string[];
  /** A file or folder that any of these matches is left out. */
  readonly exclude: readonly string[];
  /** ripgrep's type names and plain extensions (`ts`, `.ts`); empty means every type. */
  readonly types: readonly string[];
  /** Ignore rules do not count. VCS folders stay hidden. */
  readonly includeIgnored: boolean;
  /** Base names that are left out wherever they stand, as ignored ones; what is below them is not looked at. */
  readonly ignoresName?: (name: string) => boolean;
  /** Files over this size in bytes are left out as too large; 0 for no limit (then nothing is asked of the system). */
  readonly maxFileBytes: number;
  /** Decides what is walked, in place of every rule above but denied paths. Ignore files are then read as ripgrep reads them. */
  readonly decides?: EntryRule;
  /**
   * Hands on, instead of the files that are about the question, those that would be if they were not left out for this one
   * reason. For the second look of an empty answer. Absent: the question's own files.
   */
  readonly only?: LeftOutReason;
}

/**
 * Whether a file is handed on, or a folder entered.
 * @param path relative to the target's mount.
 * @param ignored what the ignore files say; null where they say nothing or do not count.
 */
export type EntryRule = (path: RelPath, name: string, isDir: boolean, ignored: boolean | null) => boolean;

/** The reasons that a second look can undo. */
export type LeftOutReason = "ignored" | "hidden" | "excluded" | "tooLarge";

/** One thing met in a walk that is about the question. */
export interface WalkEntry {
  readonly target: Target;
  /** Relative to the target's mount, canonical. */
  readonly path: RelPath;
  readonly kind: "file" | "directory" | "link" | "special";
}

/** What the walk left out and why. Grows while the walk runs; final when it has ended. */
export interface WalkReport {
  /** Files handed on. */
  files: number;
  skipped: SkipCounts;
  /** The first left-out paths of a kind (at most 20 each), so that a note can say where. Denied ones are never in here. */
  readonly samples: { readonly [K in "ignored" | "excluded" | "links" | "unreadable" | "special"]: RelPath[] };
  /** Sentences for the answer, e.g. that rules from above were dropped for a named folder. */
  readonly notes: string[];
  /** True where the walk was ended by its signal: the counts are then of what was seen. */
  stopped: boolean;
}

/** One walk, to be consumed once. Where a glob proves meaningless at its end, the iteration throws INVALID_GLOB. */
export interface Walk {
  readonly report: WalkReport;
  /** Files in order, in batches of at most `chunkFiles`, with the whole folders among them. */
  batches(chunkFiles: number): AsyncIterable<FileBatch>;
  /**
   * Files, and where `dirs` is set the folders between them (a folder comes before what is in it), in order, in groups. With
   * `others` links and special files are among them (they are counted in any case). `maxDepth` is in levels below each target.
   */
  entries(options: {
    readonly dirs: boolean;
    readonly maxDepth?: number;
    readonly others?: boolean;
  }): AsyncIterable<readonly WalkEntry[]>;
}
