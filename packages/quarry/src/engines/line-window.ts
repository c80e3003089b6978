import { byteOrderMark } from "../files/decode.js";
import type { LineHit } from "../search/engine.js";
import type { OpenFile } from "../workspace/guard.js";
import { LINE_BYTES, type ConfirmedLine, type ContextLine } from "./confirmed.js";

const WINDOW_BYTES = 1_048_576;
/** What is read before the line that is looked for, in a file that does not fit. */
const LEAD_BYTES = 131_072;
const LF = 10;
const CR = 13;

/**
 * A stretch of a file in memory, in which lines are found by their offset. Files up to 1 MiB are there whole after one system
 * call; of a larger one the window moves along with the lines that are asked for.
 */
export class LineWindow {
  readonly #bytes = Buffer.allocUnsafeSlow(WINDOW_BYTES);
  #file: OpenFile | null = null;
  /** The file's bytes `[#start, #end)` are in the window. */
  #start = 0;
  #end = 0;
  /** Bytes before the text: a byte order mark. */
  #mark = 0;

  /** @returns false where the text is not UTF-8. */
  open(file: OpenFile): boolean {
    this.#file = file;
    this.#load(0);
    const mark = byteOrderMark(this.#bytes.subarray(0, Math.min(3, this.#end)));
    this.#mark = mark?.length ?? 0;
    return mark === null || mark.encoding === "utf-8";
  }

  /**
   * The line of a hit, copied where it is not the hit's own text.
   * @returns null where it is not there or differs; undefined where that cannot be told here (no offset, or a line, with its
   * context, that does not fit into the window).
   */
  line(hit: LineHit, context: number): ConfirmedLine | null | undefined {
    if (hit.offset === undefined) return undefined;
    const at = hit.offset + this.#mark;
    if (!this.#holds(at, context)) {
      this.#load(Math.max(0, at - LEAD_BYTES));
      if (!this.#holds(at, context)) return at >= this.#end ? null : undefined;
    }
    const start = at - this.#start;
    if (at > this.#mark && this.#bytes[start - 1] !== LF) return null;
    const end = this.#lineEnd(start);
    const length = this.#textEnd(start, end) - start;
    const { text } = hit;
    if (!this.#same(start, length, text, hit.cut)) return null;
    const from = length <= LINE_BYTES ? 0 : Math.min(Math.max(0, hit.column - (LINE_BYTES >> 1)), length - LINE_BYTES);
    const own = !hit.cut && length <= LINE_BYTES;
    return {
      line: hit.line,
      column: hit.column,
      columnPoints: from === 0 ? null : this.#codePoints(start, start + hit.column) + 1,
      bytes: own ? text : Buffer.from(this.#bytes.subarray(start + from, start + from + Math.min(length, LINE_BYTES))),
      from,
      length,
      before: context === 0 ? NONE : this.#before(start, hit.line, context),
      after: context === 0 ? NONE : this.#after(end, hit.line, context),
    };
  }

  #load(position: number): void {
    const file = this.#file as OpenFile;
    const want = Math.min(WINDOW_BYTES, Math.max(0, file.size - position));
    this.#start = position;
    this.#end = position + file.read(this.#bytes.subarray(0, want), position);
  }

  /** True where the line at a position of the file, the byte before it and its context lie in the window. */
  #holds(at: number, context: number): boolean {
    const file = this.#file as OpenFile;
    if (at < this.#start || at >= this.#end) return false;
    const window = this.#bytes.subarray(0, this.#end - this.#start);
    let from = at - this.#start;
    if (this.#start > 0) {
      if (from === 0) return false;
      for (let n = 0, b = from; n < context; n++) {
        if (b < 2) return false;
        const before = window.lastIndexOf(LF, b - 2);
        if (before === -1) return false;
        b = before + 1;
      }
    }
    if (this.#end >= file.size) return true;
    for (let n = 0; n <= context; n++) {
      const end = window.indexOf(LF, from);
      if (end === -1) return false;
      from = end + 1;
    }
    return true;
  }

  /** Where the line's LF is, or the end of the window. */
  #lineEnd(start: number): number {
    const size = this.#end - this.#start;
    const end = this.#bytes.indexOf(LF, start);
    return end === -1 || end > size ? size : end;
  }

  #textEnd(start: number, end: number): number {
    const terminated = end < this.#end - this.#start;
    return terminated && end > start && this.#bytes[end - 1] === CR ? end - 1 : end;
  }

  #same(start: number, length: number, text: Buffer, cut: boolean): boolean {
    if (cut ? text.length > length : text.length !== length) return false;
    return this.#bytes.compare(text, 0, text.length, start, start + text.length) === 0;
  }

  #before(start: number, line: number, context: number): ContextLine[] {
    const lines: ContextLine[] = [];
    const first = Math.max(0, this.#mark - this.#start);
    let end = start - 1;
    for (let n = 1; n <= context && end >= first && line - n >= 1; n++) {
      const from = Math.max(first, end === first ? first : this.#bytes.lastIndexOf(LF, end - 1) + 1);
      lines.unshift(this.#contextLine(line - n, from, end));
      end = from - 1;
    }
    return lines;
  }

  #after(end: number, line: number, context: number): ContextLine[] {
    const lines: ContextLine[] = [];
    const size = this.#end - this.#start;
    let from = end + 1;
    for (let n = 1; n <= context && from < size; n++) {
      const to = this.#lineEnd(from);
      lines.push(this.#contextLine(line + n, from, to));
      from = to + 1;
    }
    return lines;
  }

  #contextLine(line: number, from: number, end: number): ContextLine {
    const length = this.#textEnd(from, end) - from;
    return { line, bytes: Buffer.from(this.#bytes.subarray(from, from + Math.min(length, LINE_BYTES))), length };
  }

  #codePoints(from: number, to: number): number {
    let n = 0;
    for (let i = from; i < to; i++) if (((this.#bytes[i] as number) & 0xc0) !== 0x80) n += 1;
    return n;
  }
}

const NONE: readonly ContextLine[] = [];
