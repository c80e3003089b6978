import type { Needle } from "./needles.js";

/** Numbers of one record in `Kernel.records`. */
export const RECORD = { line: 0, start: 1, end: 2, match: 3, size: 4 } as const;

/**
 * Finds needles, and the lines that hold them, in the text that its user puts into `window`. One text at a time, one thread.
 * All positions are bytes from the start of the window. The two that there are, WebAssembly and plain TypeScript, do the same.
 */
export interface Kernel {
  /** Where the text goes; a view that `reserve` may replace. */
  readonly window: Uint8Array;
  /**
   * Makes the window at least so long; what is in it stays.
   * @throws RangeError where there is not so much memory.
   */
  reserve(bytes: number): void;
  /** Takes needles that `fitsKernel`. */
  prepare(needles: readonly Needle[]): void;
  /**
   * Records lines of the text `[from, to)` that hold a needle: the line's number, where it starts, where it ends (its LF or
   * `to`), where its first match starts. `from` must be the start of a line, whose number is `line`.
   * @returns how many; fewer than `maxRecords` means that there are no more. Else `next` is where to go on.
   */
  find(from: number, to: number, line: number): number;
  /** Four numbers a record, see `RECORD`. Valid until the next `find` or `reserve`. */
  readonly records: Uint32Array;
  readonly maxRecords: number;
  /** Where `find` stopped: a start of a line (or `to`); lines before it are counted. */
  readonly next: number;
  /** The number of the line at `next`. */
  readonly nextLine: number;
  /** LFs in `[from, to)`. */
  countLines(from: number, to: number): number;
  /** The first NUL in `[from, to)`, or `to`. */
  firstNul(from: number, to: number): number;
  /** What `[from, to)` holds: the sum of 1 for bytes from 0x80 on, 2 for a CR, 4 for a NUL. */
  traits(from: number, to: number): number;
  /** True where `[from, to)` holds U+017F or what may be U+212A (the bytes 84 AA). */
  oddFolds(from: number, to: number): boolean;
}
