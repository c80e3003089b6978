/**
 * What the tools of the `deerflow` profile ask, wherever the files are: on this machine (`LocalSandbox`), in a container, elsewhere.
 * All paths are absolute virtual ones (`/mnt/user-data/workspace/a.py`); no provider shows a host path.
 *
 * Every provider obeys one conformance suite (`test/sandbox/conformance.ts`). One whose answers are not ours is wrapped
 * (`guardedSandbox`) before a tool calls it.
 */
export interface Sandbox {
  /** Paths below a folder that match, in path order. @throws QuarryError INVALID_GLOB, TIMED_OUT, ABORTED, and as `ls`. */
  glob(question: GlobQuestion, call?: SandboxCall): Promise<GlobFound>;
  /** Lines of text files that match, by path, then line. @throws QuarryError INVALID_PATTERN, INVALID_GLOB, TIMED_OUT, ABORTED, and as `ls`. */
  grep(question: GrepQuestion, call?: SandboxCall): Promise<GrepFound>;
  /**
   * What is in a folder, in path order.
   * @throws QuarryError INVALID_ARGUMENT (the path is not absolute), OUTSIDE_WORKSPACE, DENIED, DISABLED, NOT_FOUND, NOT_A_DIRECTORY, UNREADABLE.
   */
  ls(question: ListQuestion, call?: SandboxCall): Promise<Listed>;
  /** Lines of a text file. @throws QuarryError BINARY_FILE, NOT_A_FILE, and as `ls`. */
  readFile(question: ReadQuestion, call?: SandboxCall): Promise<ReadText>;
  /** Makes a file and the folders above it, replaces all of it, or adds to its end. @throws QuarryError READ_ONLY, WRITE_FAILED, and as `ls`. */
  writeFile(question: WriteQuestion, call?: SandboxCall): Promise<WrittenFile>;
  /** Replaces text in one file. @throws QuarryError OLD_STR_NOT_FOUND, OLD_STR_NOT_UNIQUE, READ_ONLY, and as `readFile`. */
  strReplace(question: ReplaceQuestion, call?: SandboxCall): Promise<ReplacedText>;
}

/** What a caller may give beside the question. */
export interface SandboxCall {
  /** Ends the call and everything that it started. */
  readonly signal?: AbortSignal;
  /** Told now and then how far a long search is. */
  readonly onProgress?: (progress: { readonly files: number; readonly matches: number }) => void;
}

export interface GlobQuestion {
  /** Relative to `path`: without `/` the base name at any depth, otherwise anchored there; `**` is zero or more folders. */
  readonly pattern: string;
  readonly path: string;
  readonly includeDirs: boolean;
  /** At least 1. */
  readonly maxResults: number;
}

export interface GrepQuestion {
  /** In ripgrep's dialect. */
  readonly pattern: string;
  /** A folder or a file. */
  readonly path: string;
  /** Which files, as `GlobQuestion.pattern`; null for all. */
  readonly glob: string | null;
  /** The pattern is plain text. */
  readonly literal: boolean;
  readonly caseSensitive: boolean;
  /** Lines; at least 1. */
  readonly maxResults: number;
}

export interface ListQuestion {
  readonly path: string;
}

export interface ReadQuestion {
  readonly path: string;
  /** From 1; null for the file's start. */
  readonly startLine: number | null;
  /** Inclusive; null for the file's end. */
  readonly endLine: number | null;
}

export interface WriteQuestion {
  readonly path: string;
  readonly content: string;
  /** Add to the end of what is there. */
  readonly append: boolean;
}

export interface ReplaceQuestion {
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
  /** Every place; otherwise the text has to be there exactly once. */
  readonly all: boolean;
}

/**
 * Why something is not in an answer. `binary`, `tooLarge` and `longLines` count what would match and is not shown: files with a NUL in
 * their first 8 KiB, files over 1,000,000 bytes, lines over 2,000 characters. `links`: symbolic links, which a search does not follow.
 * `changed`: lines that were no longer there when they were read again. `outside`: answers of a remote provider that lay outside the
 * question or were of a wrong form. `ignored`: names of the shared ignore set, version control
 * aside.
 */
export const SKIP_REASONS = [
  "binary",
  "tooLarge",
  "longLines",
  "links",
  "special",
  "unreadable",
  "denied",
  "disabled",
  "changed",
  "outside",
  "ignored",
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/** Counts by reason; what is absent is zero. */
export type Skipped = { readonly [K in SkipReason]?: number };

/** What a search says of itself. */
export interface SearchFacts {
  /** More results exist. Exactly as many as were asked for are not cut. */
  readonly truncated: boolean;
  /** Present where part of the search could not be done; a note says why. */
  readonly unfinished?: true;
  readonly skipped: Skipped;
  /** Sentences that belong to the answer. */
  readonly notes: readonly string[];
}

/** One matching line. */
export interface SandboxMatch {
  readonly path: string;
  /** From 1. */
  readonly lineNumber: number;
  /** At most 200 characters, `...` where it was cut. */
  readonly line: string;
}

export interface GlobFound extends SearchFacts {
  /** Folders without a slash at their end. */
  readonly paths: readonly string[];
}

export interface GrepFound extends SearchFacts {
  readonly matches: readonly SandboxMatch[];
}

export interface ListedEntry {
  readonly path: string;
  readonly kind: "file" | "directory";
}

export interface Listed extends SearchFacts {
  readonly entries: readonly ListedEntry[];
}

export interface ReadText {
  /** The lines, with LF between them and none at the end. */
  readonly text: string;
  /** The first line shown; of a file without lines 1. */
  readonly startLine: number;
  /** The last line shown; `startLine - 1` where none is. */
  readonly endLine: number;
  readonly totalLines: number;
  readonly notes: readonly string[];
}

export interface WrittenFile {
  /** The file was not there before. */
  readonly created: boolean;
  readonly notes: readonly string[];
}

export interface ReplacedText {
  /** Places where the text stood. */
  readonly replacements: number;
  readonly notes: readonly string[];
}
