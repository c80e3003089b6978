import type { RelPath } from "../paths/path.js";
import type { Target } from "../workspace/mount.js";

/** Most bytes of one line that are given. */
export const LINE_BYTES = 16_384;

/** A line beside a match. */
export interface ContextLine {
  readonly line: number;
  /** Its first bytes, at most `LINE_BYTES`, in UTF-8 after decoding, without its terminator. */
  readonly bytes: Buffer;
  /** Bytes of the whole line. */
  readonly length: number;
}

/** A matching line as the guard read it. */
export interface ConfirmedLine {
  readonly line: number;
  /** Offset of the first match in the line, in bytes of its UTF-8, from 0. */
  readonly column: number;
  /** The same in code points, from 1; null where `bytes` starts with the line, so that it can be counted there. */
  readonly columnPoints: number | null;
  /** The line without its terminator; where it is longer than `LINE_BYTES`, a part of that size that holds the column. */
  readonly bytes: Buffer;
  /** `bytes` as a string, where it is known that all of them are ASCII. */
  readonly ascii?: string | undefined;
  /** Where `bytes` starts in the line. */
  readonly from: number;
  /** Bytes of the whole line. */
  readonly length: number;
  /** Context, oldest first; empty where none was asked for. Lines that match themselves are in it too. */
  readonly before: readonly ContextLine[];
  readonly after: readonly ContextLine[];
}

/** What is left of one file's hits. */
export interface ConfirmedHits {
  readonly target: Target;
  readonly path: RelPath;
  /** In the order of the hits. */
  readonly lines: readonly ConfirmedLine[];
  /** Hits that are not there, or that the guard does not let us see. */
  readonly dropped: number;
}
