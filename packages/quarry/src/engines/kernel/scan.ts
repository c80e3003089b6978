import { BINARY_HEAD_BYTES, byteOrderMark } from "../../files/decode.js";
import { NUL_HEAD_BYTES } from "../../search/engine.js";
import type { OpenFile } from "../../workspace/guard.js";
import { RECORD, type Kernel } from "./kernel.js";
import type { Needle } from "./needles.js";
import { OUTCOME, type HitWriter, type Outcome } from "./packed.js";
import type { KernelPlan } from "./plan.js";
import { RANGE_NUMBERS } from "./protocol.js";

/** A file is looked at in pieces of this size, cut at line ends. */
const WINDOW_BYTES = 1_048_576;
/** The window grows up to this for a line that does not fit; longer ones are another engine's. */
const MAX_WINDOW_BYTES = 33_554_432;
/** What is read of a file before its size is asked for: most are smaller. */
const FIRST_BYTES = 131_072;
/** Lines between two looks at the stop flag. */
const LOOK_EVERY = 64;
/** A mark of UTF-8 has so many. */
const MARK_BYTES = 3;
const LF = 10;
const CR = 13;

/** U+017F, which folds to `s`, and U+212A, which folds to `k`: their UTF-8, a character a byte. */
const ODD_S = "\u00c5\u00bf";
const ODD_K = "\u00e2\u0084\u00aa";
const ODD_FOLDS = [Buffer.from(ODD_S, "latin1"), Buffer.from(ODD_K, "latin1")];
/** A longer line with one of them is another engine's. */
const MAX_FOLDED_BYTES = 65_536;

/** Of `Kernel.traits`. */
const NOT_ASCII = 1;

/** Thrown where the search was stopped in the middle of a file. */
export const STOPPED = new Error("the search was stopped");

/**
 * Searches files by one plan. The rules, which the conformance suite states for every engine: a mark of UTF-8 is no part of the
 * text; a line ends at LF, and a CR before it is no part of the line; a NUL in the first 64 KiB of a text makes it binary; behind a
 * later one nothing is reported but that there is something.
 */
export class Scanner {
  readonly #kernel: Kernel;
  readonly #plan: KernelPlan;
  readonly #regex: RegExp | null;
  readonly #stopped: () => boolean;
  /** The kernel's window, and of it: all of it as a Buffer, and what most files need; made anew where the window was. */
  #window: Uint8Array = new Uint8Array(0);
  #buffer: Buffer = Buffer.alloc(0);
  #first: Uint8Array = new Uint8Array(0);
  #unlooked = 0;
  #nulHead = false;
  /** null where nobody asks, or the answer is known. */
  #otherwise: readonly Needle[] | null = null;
  #mayOtherwise = false;
  /** What the kernel was prepared for. */
  #needles: readonly Needle[];

  constructor(kernel: Kernel, plan: KernelPlan, stopped: () => boolean) {
    this.#kernel = kernel;
    this.#plan = plan;
    this.#stopped = stopped;
    this.#regex = plan.pattern === null ? null : new RegExp(plan.pattern.source);
    this.#needles = plan.needles;
    kernel.prepare(plan.needles);
  }

  /** True where the file that was looked at last has a NUL in its first bytes. */
  get nulHead(): boolean {
    return this.#nulHead;
  }

  /** True where `KernelPlan.otherCase` may be in the file that was looked at last, and that was asked. Of a file with lines it says nothing. */
  get mayOtherwise(): boolean {
    return this.#mayOtherwise;
  }

  /**
   * Searches one file and adds its lines to `out`.
   * @param asksOtherCase see `mayOtherwise`.
   * @throws QuarryError UNREADABLE; STOPPED.
   */
  scan(file: OpenFile, out: HitWriter, asksOtherCase = false): Outcome {
    this.#nulHead = false;
    this.#mayOtherwise = false;
    this.#otherwise = asksOtherCase ? this.#plan.otherCase : null;
    /** -1 as long as the first window may hold all of it. */
    let size = -1;
    let windowBytes = FIRST_BYTES;
    const text = new Text(out);
    /** Of the file: where the window starts. */
    let position = 0;
    /** Bytes in the window that are looked at with the next piece. */
    let held = 0;
    const rule = this.#plan.textRule;
    /** Nobody shows the lines of this file: that it has some is all that is asked. */
    let enough = false;
    for (;;) {
      this.#reserve(windowBytes);
      const wanted = size < 0 ? windowBytes : Math.min(windowBytes - held, size - position - held);
      const got = file.read(this.#view(held, wanted), position + held);
      const filled = held + got;
      if (got === wanted && size < 0) {
        // Files whose size the system does not tell (those of /proc) have 0.
        size = file.size === 0 ? Infinity : file.size;
        windowBytes = Math.min(Math.max(size, FIRST_BYTES), WINDOW_BYTES);
      }
      const last = got < wanted || position + filled >= size;
      let from = 0;
      if (position === 0 && held === 0) {
        this.#nulHead = hasNul(this.#buffer, Math.min(filled, NUL_HEAD_BYTES));
        // Of a file that is in the window whole nothing is saved.
        enough =
          rule !== null &&
          !last &&
          (size > rule.maxFileBytes || this.#buffer.subarray(0, Math.min(filled, rule.nulHeadBytes)).includes(0));
        // Every mark starts with a byte that no text in UTF-8 is likely to.
        const marked = filled >= 2 && (this.#buffer[0] as number) >= 0xef;
        const mark = marked ? byteOrderMark(this.#buffer.subarray(0, Math.min(3, filled))) : null;
        if (mark !== null && mark.encoding !== "utf-8") return OUTCOME.elsewhere;
        text.markBytes = mark?.length ?? 0;
      }
      if (position === 0) from = text.markBytes;
      const to = last ? filled : this.#buffer.lastIndexOf(LF, filled - 1) + 1;
      if (!last && to <= from) {
        if (windowBytes >= MAX_WINDOW_BYTES) return OUTCOME.elsewhere;
        held = filled;
        windowBytes = Math.min(windowBytes * 4, MAX_WINDOW_BYTES);
        continue;
      }
      const outcome = this.#piece(text, position, from, to, last);
      if (outcome !== null) return outcome;
      if (last || (enough && !text.clean)) return OUTCOME.hits;
      this.#buffer.copyWithin(0, to, filled);
      held = filled - to;
      position += to;
      if (this.#stopped()) throw STOPPED;
    }
  }

  /**
   * Searches parts of a file whose text is known to have neither a NUL nor a mark of another encoding than UTF-8.
   * @param parts see `Skips.ranges`.
   * @returns null where the file is shorter than that, and nothing was added.
   * @throws as `scan`.
   */
  scanParts(file: OpenFile, out: HitWriter, parts: Uint32Array): Outcome | null {
    this.#nulHead = false;
    this.#look(this.#plan.needles);
    const text = new Text(out);
    this.#reserve(FIRST_BYTES);
    const head = this.#view(0, MARK_BYTES);
    text.markBytes = byteOrderMark(this.#buffer.subarray(0, file.read(head, 0)))?.length ?? 0;
    for (let at = 0; at < parts.length; at += RANGE_NUMBERS) {
      const position = parts[at] as number;
      const length = (parts[at + 1] as number) - position;
      this.#reserve(length);
      if (file.read(this.#view(0, length), position) !== length) {
        out.restart();
        return null;
      }
      const from = position === 0 ? text.markBytes : 0;
      const found = this.#kernel.find(from, length, parts[at + 2] as number);
      const outcome = found === 0 ? null : this.#take(text, position, length, found);
      if (outcome !== null) return outcome;
      if (this.#stopped()) throw STOPPED;
    }
    return OUTCOME.hits;
  }

  /** `[from, from + length)` of the window. */
  #view(from: number, length: number): Uint8Array {
    return from === 0 && length === FIRST_BYTES ? this.#first : this.#window.subarray(from, from + length);
  }

  #reserve(bytes: number): void {
    const kernel = this.#kernel;
    if (kernel.window.length < bytes) kernel.reserve(Math.max(bytes, WINDOW_BYTES));
    const { window } = kernel;
    if (this.#window === window) return;
    this.#window = window;
    this.#buffer = Buffer.from(window.buffer, window.byteOffset, window.byteLength);
    this.#first = window.subarray(0, FIRST_BYTES);
  }

  /** Searches whole lines, `[from, to)` of the window; null to go on with the next. */
  #piece(text: Text, position: number, from: number, to: number, last: boolean): Outcome | null {
    const kernel = this.#kernel;
    if (this.#plan.avoidsOddFolds && kernel.oddFolds(from, to) && this.#foldsToMatch(from, to))
      return OUTCOME.elsewhere;
    // A text of one piece without a match is done, whatever else is in it.
    if (this.#isNothing(from, to) && last && text.clean) return null;
    this.#look(this.#plan.needles);
    const found = kernel.find(from, to, text.line);
    if (found === 0 && last && text.clean) return null;
    const nul = text.nul === "none" && this.#plan.textRule === null ? kernel.firstNul(from, to) : to;
    if (nul < to || text.nul !== "none") return this.#withNul(text, position, from, to, nul, found);
    const outcome = this.#take(text, position, to, found);
    if (outcome === null && !last) text.line = kernel.nextLine + kernel.countLines(kernel.next, to);
    return outcome;
  }

  /** True where nothing matches in any letter case, if that is asked: then nothing matches as it is asked either, and one look answers both. */
  #isNothing(from: number, to: number): boolean {
    if (this.#otherwise === null) return false;
    this.#look(this.#otherwise);
    if (this.#kernel.find(from, to, 1) === 0 && !holdsOddFold(this.#kernel, from, to)) return true;
    this.#mayOtherwise = true;
    this.#otherwise = null;
    return false;
  }

  /** What the kernel looks for from now on. */
  #look(needles: readonly Needle[]): void {
    if (this.#needles === needles) return;
    this.#needles = needles;
    this.#kernel.prepare(needles);
  }

  /**
   * True where a line with U+017F or U+212A may match, when these are taken for the letters that they fold to: lines without them are decided as
   * all others. May say so where none does.
   */
  #foldsToMatch(from: number, to: number): boolean {
    const buffer = this.#buffer.subarray(from, to);
    const needles = this.#plan.needles.map(({ bytes }) => Buffer.from(bytes).toString("latin1").toLowerCase());
    for (const odd of ODD_FOLDS) {
      for (let at = buffer.indexOf(odd); at !== -1;) {
        const start = at === 0 ? 0 : buffer.lastIndexOf(LF, at - 1) + 1;
        const next = buffer.indexOf(LF, at);
        const end = next === -1 ? buffer.length : next;
        if (end - start > MAX_FOLDED_BYTES) return true;
        const line = buffer.toString("latin1", start, end).replaceAll(ODD_S, "s").replaceAll(ODD_K, "k").toLowerCase();
        if (needles.some((needle) => line.includes(needle))) return true;
        at = end === buffer.length ? -1 : buffer.indexOf(odd, end);
      }
    }
    return false;
  }

  /** A piece with the text's first NUL at `nul`, or one behind it. */
  #withNul(text: Text, position: number, from: number, to: number, nul: number, found: number): Outcome | null {
    const kernel = this.#kernel;
    if (this.#regex !== null && (found > 0 || text.candidates)) return OUTCOME.elsewhere;
    let behind = from;
    if (text.nul === "none") {
      text.nul = position + nul - text.markBytes < BINARY_HEAD_BYTES ? "early" : "late";
      if (text.nul === "late") {
        behind = this.#buffer.subarray(0, nul).lastIndexOf(LF) + 1;
        if (behind < from) behind = from;
        const before = this.#take(text, position, behind, kernel.find(from, behind, text.line));
        if (before !== null) return before;
      }
    }
    if (kernel.find(behind, to, 1) === 0) return null;
    return text.nul === "early" ? OUTCOME.binary : OUTCOME.nulBehind;
  }

  /** Adds the lines that `find` recorded, and all that follow up to `to`. */
  #take(text: Text, position: number, to: number, found: number): Outcome | null {
    const kernel = this.#kernel;
    const { records, maxRecords } = kernel;
    for (let n = found; ; n = kernel.find(kernel.next, to, kernel.nextLine)) {
      for (let at = 0; at < n * RECORD.size; at += RECORD.size) {
        const line = records[at + RECORD.line] as number;
        const start = records[at + RECORD.start] as number;
        const end = records[at + RECORD.end] as number;
        const stop = end < to && end > start && this.#buffer[end - 1] === CR ? end - 1 : end;
        let match = records[at + RECORD.match] as number;
        if (this.#regex !== null) {
          const column = this.#decide(this.#regex, start, stop);
          text.candidates = true;
          if (column === null) return OUTCOME.elsewhere;
          if (column === -1) continue;
          match = start + column;
        }
        text.clean = false;
        text.out.hit(line, match - start, position + start - text.markBytes, kernel.window, start, stop);
      }
      if (text.out.hits > this.#plan.enoughLines) return OUTCOME.hits;
      if (n < maxRecords) return null;
      if (this.#stopped()) throw STOPPED;
    }
  }

  /** Where the pattern matches a line first; -1 for nowhere; null where that is not decided here. */
  #decide(regex: RegExp, start: number, end: number): number | null {
    if (++this.#unlooked >= LOOK_EVERY) {
      this.#unlooked = 0;
      if (this.#stopped()) throw STOPPED;
    }
    const { pattern } = this.#plan;
    if (pattern === null || end - start > pattern.maxLineBytes) return null;
    if ((this.#kernel.traits(start, end) & (pattern.anyBytes ? ~NOT_ASCII : ~0)) !== 0) return null;
    return this.#buffer.toString("latin1", start, end).search(regex);
  }
}

/** True where `[from, to)` of the kernel's window holds U+017F or U+212A. */
export function holdsOddFold(kernel: Kernel, from: number, to: number): boolean {
  if (!kernel.oddFolds(from, to)) return false;
  const { buffer, byteOffset } = kernel.window;
  const text = Buffer.from(buffer, byteOffset + from, to - from);
  return ODD_FOLDS.some((odd) => text.includes(odd));
}

function hasNul(bytes: Uint8Array, end: number): boolean {
  for (let i = 0; i < end; i++) if (bytes[i] === 0) return true;
  return false;
}

/** What is known of the text of one file. */
class Text {
  readonly out: HitWriter;
  markBytes = 0;
  /** The number of the first line of the next piece. */
  line = 1;
  nul: "none" | "early" | "late" = "none";
  /** No hit so far. */
  clean = true;
  /** Lines were put to the pattern. */
  candidates = false;

  constructor(out: HitWriter) {
    this.out = out;
  }
}
