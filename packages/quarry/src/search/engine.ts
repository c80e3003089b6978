import type { Target } from "../workspace/mount.js";
import type { RelPath } from "../paths/path.js";
import type { IncompleteReason } from "./coverage.js";
import type { LineQuery } from "./query.js";

/** The engines. `auto` is a choice, not an engine. */
export const ENGINE_NAMES = ["ripgrep", "kernel", "index", "wasm", "bash"] as const;
export type EngineName = (typeof ENGINE_NAMES)[number];

/**
 * A folder all of whose searchable files (everything that `rg --no-ignore --hidden` would search below it) are in the batch,
 * so that a program that walks by itself may be given the folder in place of the files.
 */
export interface WholeTree {
  /** `""` where the whole mount is meant. */
  readonly path: RelPath;
  /** Its files are `files.slice(from, to)` of the batch. */
  readonly from: number;
  readonly to: number;
}

/** Files of one target in the walker's order, and the outermost whole folders among them. Never empty. */
export interface FileBatch {
  readonly target: Target;
  /** Relative to the target's mount, canonical. */
  readonly files: readonly RelPath[];
  /** Disjoint, by ascending `from`. */
  readonly trees: readonly WholeTree[];
}

/** Text in UTF-16 shows a NUL this early, where its script has letters below U+0100 at all. */
export const NUL_HEAD_BYTES = 16;

/** One matching line. */
export interface LineHit {
  /** From 1. A line ends at LF. */
  readonly line: number;
  /** Offset of the first match in the line, in bytes of its UTF-8 (after decoding), from 0. */
  readonly column: number;
  /**
   * The line's bytes without its terminator (LF or CRLF), in UTF-8 after decoding; a prefix where `cut`. Empty where the
   * engine was asked for positions alone.
   */
  readonly text: Buffer;
  /** The same as a string, where the engine knows that all of it is ASCII. */
  readonly ascii?: string | undefined;
  /** True where the engine shortened `text`. */
  readonly cut: boolean;
  /** Where the line starts in the file's text after decoding (a byte order mark is not part of it); absent where unknown. */
  readonly offset?: number;
}

/** Lines of one file that are whole, as they came from a worker: nothing is made for each. */
export interface PackedLines {
  readonly count: number;
  /** Their texts, one after the other. */
  readonly text: Buffer;
  /** The number of the `i`th line, from 1. */
  line(i: number): number;
  /** Bytes of the `i`th text. */
  bytesOf(i: number): number;
}

/** The matching lines of one file, by line. Never empty. */
export interface FileHits {
  readonly target: Target;
  readonly path: RelPath;
  /** An engine may make them when they are asked for: who needs `packed` alone does not ask. */
  readonly hits: readonly LineHit[];
  /** The same lines, where the engine has them so, all of them whole. */
  readonly packed?: PackedLines | null;
  /**
   * False where the engine opened the file by itself: then this is a proposal, and nothing of it is shown before it was
   * read again through the guard and found the same.
   */
  readonly guarded: boolean;
}

/**
 * Takes what an engine finds, file by file in the walker's order. Answers true to go on, false for enough: the engine
 * then ends all its work and returns normally. An error thrown here ends the search likewise and is thrown on.
 */
export type HitSink = (found: FileHits) => boolean | Promise<boolean>;

/** One search: the question, the files as they are found, and what ends it. */
export interface SearchJob {
  readonly query: LineQuery;
  /** In the walker's order; read with back-pressure. */
  readonly batches: AsyncIterable<FileBatch>;
  /** Processes or workers at once; at least 1. */
  readonly parallel: number;
  /** When aborted, everything that the engine started ends at once and `search` returns with what it has reported. */
  readonly signal: AbortSignal;
  /**
   * Stands for the answer that this search is a part of: what is written after the first part has begun need not be in the others. Absent where
   * it is all of one.
   */
  readonly answer?: object;
  /** Of the first so many files it may be asked, where nothing is found, whether the pattern is there in another letter case. Not asked where absent. */
  readonly otherCaseFiles?: number;
}

/** What an engine says when it is done. Counts that only reading can tell. */
export interface EngineReport {
  /** Files searched to their end or up to `sink`'s false. */
  readonly filesSearched: number;
  /** Files with a match and a NUL in their first 64 KiB. Their hits are not reported. */
  readonly binary: number;
  /** Files that could not be opened, by path, in order. */
  readonly unreadable: readonly { readonly target: Target; readonly path: RelPath }[];
  /** Why not every file was searched to its end; null where all were. */
  readonly incomplete: IncompleteReason | null;
  /** The engine's own words for that, host paths masked; null where there are none. */
  readonly reason: string | null;
  /**
   * Files with a NUL in their first `NUL_HEAD_BYTES`, in no order: text in UTF-16 without a byte order mark is among them. Absent where
   * the engine does not see what it reads.
   */
  readonly nulHeads?: readonly { readonly target: Target; readonly path: RelPath }[];
  /**
   * All files among the first `otherCaseFiles` in which the pattern may be in another letter case, and perhaps more files, in no order. Absent where
   * the engine did not look, or has found something.
   */
  readonly otherCase?: readonly { readonly target: Target; readonly path: RelPath }[];
  /** Who answered, where that is another engine than the one that was asked. */
  readonly answeredBy?: SearchEngine["name"];
  /** Why the engines before it did not answer; absent where none was asked in vain. */
  readonly fallback?: string;
}

/** Can the engine run here? A sentence for `quarry doctor` and for errors. */
export interface EngineStatus {
  readonly available: boolean;
  readonly detail: string;
}

/**
 * Decides which lines of the walker's files match. Contract, checked by the conformance suite for every engine:
 *
 * - hits come in the walker's order, each file at most once, lines ascending;
 * - an invalid pattern is a QuarryError INVALID_PATTERN with the engine's reason, also when there is no file at all;
 * - a failure is an error or an `incomplete` report, never an empty answer;
 * - when `search` settles, nothing that it started is alive.
 */
export interface SearchEngine {
  /** `auto` where it chooses for each question. */
  readonly name: EngineName | "auto";
  status(): Promise<EngineStatus>;
  search(job: SearchJob, sink: HitSink): Promise<EngineReport>;
}
