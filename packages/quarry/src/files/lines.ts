import type { OpenFile } from "../workspace/guard.js";
import { BLOCK_BYTES, TextBlocks } from "./decode.js";

/** Bytes of a line that are kept from its start where nobody says otherwise. */
export const LINE_PREFIX_BYTES = 16_384;

/** One line of a file, in UTF-8 after decoding. A line ends at LF or CRLF, nothing else; its terminator is not part of it. */
export interface LineBytes {
  /** From 1. */
  readonly line: number;
  /** The whole line's length in bytes. */
  readonly length: number;
  /** The line's first bytes, at most `maxLineBytes`: the whole line where `prefix.length === length`. */
  readonly prefix: Buffer;
  /** The bytes around the asked column where the line is longer than `prefix`; empty otherwise. At most `maxLineBytes`. */
  readonly window: Buffer;
  /** Offset of `window` in the line. */
  readonly windowStart: number;
  /** False for a context line that was not asked for itself. */
  readonly wanted: boolean;
}

/** A line that is asked for, and the byte offset in it (from 0) around which its window lies. */
export interface WantedLine {
  readonly line: number;
  readonly column: number;
}

export interface ReadLinesOptions {
  /** A WHATWG label for what no byte order mark tells; null means UTF-8. */
  readonly encoding: string | null;
  /** Lines before and after each wanted one; 0 where absent. */
  readonly context?: number;
  /** Most bytes kept of one line's start, and of its window; 16 KiB where absent. */
  readonly maxLineBytes?: number;
  /** Read to the end of the file, so that `totalLines` is known. */
  readonly toEnd?: boolean;
}

export interface LineRead {
  /** The wanted lines that exist and their context, ascending, each once. */
  readonly lines: readonly LineBytes[];
  /** The first NUL of the decoded content that was passed: its offset in bytes and its line; null where none was. */
  readonly nul: { readonly offset: number; readonly line: number } | null;
  /** Lines of the file; null where reading ended before the end of the file. */
  readonly totalLines: number | null;
}

/**
 * Reads some lines of a file in one pass that ends after the last of them. Memory is bounded by what is kept, also for a
 * file that is one line of any size.
 * @param wanted ascending, each line at most once; plain numbers have their window at the line's start.
 * @throws QuarryError UNREADABLE where reading fails, INVALID_ARGUMENT for an unknown encoding.
 */
export function readLines(
  file: OpenFile,
  wanted: readonly (number | WantedLine)[],
  options: ReadLinesOptions,
): LineRead {
  const context = options.context ?? 0;
  const lines: LineBytes[] = [];
  const numbers = wanted.map((w) => (typeof w === "number" ? w : w.line));
  let at = 0;
  const blocks = new TextBlocks(file, options.encoding, SCRATCH);
  const scan = new LineScan(options.maxLineBytes ?? LINE_PREFIX_BYTES, options.toEnd ?? false, {
    next(line) {
      while (at < numbers.length && (numbers[at] as number) + context < line) at++;
      return at < numbers.length ? Math.max(line, (numbers[at] as number) - context) : Number.POSITIVE_INFINITY;
    },
    column(line) {
      const w = wanted[indexOfLine(numbers, at, line)];
      return typeof w === "object" ? w.column : 0;
    },
    isWanted: (line) => indexOfLine(numbers, at, line) !== -1,
    take: (line) => void lines.push(line),
  });
  for (let block = blocks.next(); block !== null; block = blocks.next()) {
    if (!scan.push(block)) return { lines, nul: scan.nul, totalLines: null };
  }
  return { lines, totalLines: scan.end(), nul: scan.nul };
}

/** Shared by all calls: each is synchronous from its start to its end. */
const SCRATCH = Buffer.allocUnsafeSlow(BLOCK_BYTES);
const SCRATCH_WORDS = new Int32Array(SCRATCH.buffer);

function indexOfLine(numbers: readonly number[], from: number, line: number): number {
  for (let i = from; i < numbers.length && (numbers[i] as number) <= line; i++) if (numbers[i] === line) return i;
  return -1;
}

/** Which lines a scan keeps, and where they go. */
export interface LineDemand {
  /** The first line from `line` on that is to be kept; Infinity for none. Asked with ascending numbers. */
  next(line: number): number;
  /** Byte offset that the window of a line lies around. */
  column(line: number): number;
  isWanted(line: number): boolean;
  take(line: LineBytes): void;
}

/** One pass over the blocks of a text, which are pushed in. */
export class LineScan {
  /** The first NUL so far. */
  nul: { offset: number; line: number } | null = null;
  readonly #maxBytes: number;
  readonly #toEnd: boolean;
  readonly #demand: LineDemand;
  /** The line that the next byte belongs to. */
  #line = 1;
  #offset = 0;
  /** The next line to keep. */
  #next: number;
  /** A kept line whose end has not come yet. */
  #open: Collector | null = null;
  #lineHasBytes = false;

  /**
   * @param maxBytes kept of one line's start, and of its window.
   * @param toEnd count on when no more lines are demanded.
   */
  constructor(maxBytes: number, toEnd: boolean, demand: LineDemand) {
    this.#maxBytes = maxBytes;
    this.#toEnd = toEnd;
    this.#demand = demand;
    this.#next = demand.next(1);
  }

  /** True where the last line so far has no terminator. */
  get unterminated(): boolean {
    return this.#lineHasBytes;
  }

  /** @returns false where nothing more is wanted; the block may be reused afterwards. */
  push(block: Buffer): boolean {
    if (this.nul === null) this.#lookForNul(block, this.#offset, this.#line);
    let at = 0;
    while (at < block.length) {
      if (this.#next === Number.POSITIVE_INFINITY && !this.#toEnd) return false;
      at = this.#line < this.#next ? this.#skip(block, at) : this.#keep(block, at);
    }
    this.#offset += block.length;
    return true;
  }

  /** Ends the text. @returns the number of lines. */
  end(): number {
    if (this.#open !== null) this.#demand.take(this.#open.finish(false));
    this.#open = null;
    return this.#lineHasBytes ? this.#line : this.#line - 1;
  }

  #skip(block: Buffer, at: number): number {
    const skipped = skipLines(block, at, Math.min(this.#next - this.#line, Number.MAX_SAFE_INTEGER));
    this.#line += skipped.lines;
    this.#lineHasBytes = block[skipped.at - 1] !== LF;
    return skipped.at;
  }

  #keep(block: Buffer, at: number): number {
    const end = block.indexOf(LF, at);
    const wanted = this.#demand.isWanted(this.#line);
    if (this.#open === null && end !== -1 && end - at <= this.#maxBytes) {
      this.#demand.take(shortLine(this.#line, block, at, end, wanted));
    } else {
      this.#open ??= new Collector(this.#line, this.#maxBytes, this.#demand.column(this.#line), wanted);
      this.#open.add(block, at, end === -1 ? block.length : end);
      this.#lineHasBytes = true;
      if (end === -1) return block.length;
      this.#demand.take(this.#open.finish(true));
      this.#open = null;
    }
    this.#lineHasBytes = false;
    this.#line += 1;
    this.#next = this.#demand.next(this.#line);
    return end + 1;
  }

  #lookForNul(block: Buffer, offset: number, line: number): void {
    const at = block.indexOf(0);
    if (at !== -1) this.nul = { offset: offset + at, line: line + countLines(block, 0, at) };
  }
}

/** A line that lies whole in its block and is kept whole: nearly every line. */
function shortLine(line: number, block: Buffer, from: number, end: number, wanted: boolean): LineBytes {
  const prefix = Buffer.from(block.subarray(from, end > from && block[end - 1] === CR ? end - 1 : end));
  return { line, length: prefix.length, prefix, window: EMPTY, windowStart: 0, wanted };
}

/** Gathers one line's start and window as its pieces come. */
class Collector {
  readonly #line: number;
  readonly #max: number;
  readonly #windowStart: number;
  readonly #wanted: boolean;
  #length = 0;
  #lastByte = -1;
  readonly #prefix: Buffer[] = [];
  readonly #window: Buffer[] = [];

  constructor(line: number, max: number, column: number, wanted: boolean) {
    this.#line = line;
    this.#max = max;
    this.#windowStart = Math.max(0, column - (max >> 1));
    this.#wanted = wanted;
  }

  /** The bytes `block[from, to)` of the line. Copies what it keeps, since the block is reused. */
  add(block: Buffer, from: number, to: number): void {
    if (from === to) return;
    keep(this.#prefix, block, from, to, this.#length, 0, this.#max);
    // The window of a line that is kept whole is not needed; that is known as soon as it is longer than its prefix.
    if (this.#windowStart > 0) keep(this.#window, block, from, to, this.#length, this.#windowStart, this.#max);
    this.#length += to - from;
    this.#lastByte = block[to - 1] as number;
  }

  finish(terminated: boolean): LineBytes {
    const length = terminated && this.#lastByte === CR ? this.#length - 1 : this.#length;
    const prefix = joined(this.#prefix).subarray(0, length);
    const whole = prefix.length === length;
    const start = this.#windowStart;
    const window = whole ? EMPTY : start === 0 ? prefix : joined(this.#window).subarray(0, Math.max(0, length - start));
    return { line: this.#line, length, prefix, window, windowStart: whole ? 0 : start, wanted: this.#wanted };
  }
}

const LF = 10;
const CR = 13;
const EMPTY = Buffer.alloc(0);

function joined(parts: readonly Buffer[]): Buffer {
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}

/** Copies the part of `block[from, to)`, which lies at `offset` of its line, that falls into `[start, start + max)`. */
function keep(
  into: Buffer[],
  block: Buffer,
  from: number,
  to: number,
  offset: number,
  start: number,
  max: number,
): void {
  const first = Math.max(from, from + start - offset);
  const last = Math.min(to, from + start + max - offset);
  if (first < last) into.push(Buffer.from(block.subarray(first, last)));
}

/** Goes past up to `lines` line ends: in long strides where counting is enough, byte by byte at the end. */
function skipLines(block: Buffer, from: number, lines: number): { at: number; lines: number } {
  let at = from;
  let left = lines;
  for (const stride of STRIDES) {
    while (at < block.length) {
      const to = Math.min(block.length, at + stride);
      const n = countLines(block, at, to);
      if (n >= left) break;
      left -= n;
      at = to;
    }
  }
  while (left > 0 && at < block.length) if (block[at++] === LF) left -= 1;
  return { at, lines: lines - left };
}

const STRIDES = [8_192, 512];

/** Line feeds in `block[from, to)`, four bytes at a time: four times as fast as byte by byte. */
export function countLines(block: Buffer, from: number, to: number): number {
  const words =
    block.buffer === SCRATCH.buffer ? SCRATCH_WORDS : new Int32Array(block.buffer, 0, block.buffer.byteLength >> 2);
  let count = 0;
  let at = from;
  while (at < to && (block.byteOffset + at) % 4 !== 0) if (block[at++] === LF) count++;
  let word = (block.byteOffset + at) >> 2;
  const lastWord = word + ((to - at) >> 2);
  at += Math.max(0, lastWord - word) * 4;
  while (word < lastWord) {
    // Each byte of `sum` counts up to 255 zero bytes of (word xor LF LF LF LF).
    let sum = 0;
    const stop = Math.min(lastWord, word + 255);
    for (; word < stop; word++) {
      const x = (words[word] as number) ^ 0x0a0a0a0a;
      sum += (~(((x & 0x7f7f7f7f) + 0x7f7f7f7f) | x | 0x7f7f7f7f) >>> 7) & 0x01010101;
    }
    count += (sum & 0xff) + ((sum >>> 8) & 0xff) + ((sum >>> 16) & 0xff) + (sum >>> 24);
  }
  while (at < to) if (block[at++] === LF) count++;
  return count;
}
