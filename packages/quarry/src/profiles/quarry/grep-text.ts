import { isAscii, isUtf8 } from "node:buffer";
import type { PackedLines } from "../../search/engine.js";
import type { FileCount, GrepValue, Match } from "../../search/values.js";
import { completeResult, everythingLeftOut, incompleteLine, leftOut, plural, thousands } from "./coverage-text.js";

/**
 * The text of a grep answer. Matches are grouped under their file's path, each as `LINE text`; no path is repeated.
 * Indentation is left out, which saves a tenth of the tokens; what is shown is still a part of the line as it stands. Where
 * context is asked for, indentation is kept, context lines are `LINE-text`, and `--` stands between groups of lines that do
 * not touch. A path that could be mistaken for one of these lines gets `./` in front, which every tool accepts.
 */
export class GrepLines {
  #path: string | null = null;
  /** The last line that was given, and the lines behind it that were not yet: one of them may be the next match. */
  #lastLine = 0;
  #after: readonly string[] = [];
  #afterBytes = 0;
  /** What `packed` gives. */
  #bytes: Buffer = Buffer.alloc(0);

  /**
   * The lines that one more match adds, with those behind the match before. Matches are given in order.
   * @returns `bytes`: by how much the whole text grows, the lines behind this match counted.
   */
  match(m: Match): { readonly text: string; readonly bytes: number } {
    const promised = this.#afterBytes;
    let text = m.path === this.#path ? this.#behind(m.line) : this.rest();
    if (m.path !== this.#path) {
      this.#path = m.path;
      this.#lastLine = 0;
      text += `${pathLine(m.path)}\n`;
    }
    const before = m.before ?? [];
    const first = m.line - before.length;
    const contextual = m.before !== undefined || m.after !== undefined;
    if (contextual && this.#lastLine > 0 && first > this.#lastLine + 1) text += "--\n";
    before.forEach((line, i) => {
      if (first + i > this.#lastLine) text += `${first + i}-${line}\n`;
    });
    text += `${m.line} ${contextual ? m.text : m.text.trim()}${m.lossy === true ? " [not UTF-8]" : ""}\n`;
    this.#lastLine = m.line;
    this.#after = m.after ?? [];
    this.#afterBytes = this.#after.length === 0 ? 0 : Buffer.byteLength(this.#linesBehind(Infinity));
    return { text, bytes: Buffer.byteLength(text) - promised + this.#afterBytes };
  }

  /**
   * As `match`, for all matches in one file, where none has context: in UTF-8, and nothing is made for each. A broad question has hundreds of
   * thousands of them.
   * @param lineWidth code points that are shown of a line.
   * @returns the text, valid until this is called again, and its lines; null, and nothing is done, where some line is not shown as it stands.
   */
  packed(
    path: string,
    lines: PackedLines,
    lineWidth: number,
  ): { readonly text: Uint8Array; readonly lines: number } | null {
    const head = path === this.#path ? this.rest() : `${this.rest()}${pathLine(path)}\n`;
    const room = Buffer.byteLength(head) + lines.text.length + lines.count * MOST_BESIDE;
    if (this.#bytes.length < room) this.#bytes = Buffer.allocUnsafeSlow(room * 2);
    const end = writeLines(this.#bytes, this.#bytes.write(head), lines, lineWidth);
    if (end === null) return null;
    this.#path = path;
    this.#lastLine = lines.line(lines.count - 1);
    return { text: this.#bytes.subarray(0, end), lines: head.split("\n").length - 1 + lines.count };
  }

  /** The lines behind the last match: they end the text. */
  rest(): string {
    return this.#behind(Infinity);
  }

  #behind(end: number): string {
    const text = this.#linesBehind(end);
    this.#lastLine = Math.min(this.#lastLine + this.#after.length, Math.max(this.#lastLine, end - 1));
    this.#after = [];
    this.#afterBytes = 0;
    return text;
  }

  #linesBehind(end: number): string {
    return this.#after
      .map((line, i) => (this.#lastLine + 1 + i < end ? `${this.#lastLine + 1 + i}-${line}\n` : ""))
      .join("");
  }
}

/** Bytes of a line beside its text: ten digits, a space, LF. */
const MOST_BESIDE = 12;
const LF = 10;
const SPACE = 32;
const ZERO = 48;
const NOT_ASCII = 128;

/**
 * Writes `LINE text` for each line, without white space around it.
 * @returns where they end; null where a line may be longer than `lineWidth` code points or is not UTF-8.
 */
function writeLines(into: Buffer, at: number, lines: PackedLines, lineWidth: number): number | null {
  const { text, count } = lines;
  const ascii = isAscii(text);
  // All of them is UTF-8, and no character stands at the edge of two of them: each is.
  if (!ascii && !isUtf8(text)) return null;
  let next = 0;
  let end = at;
  for (let i = 0; i < count; i++) {
    let from = next;
    next += lines.bytesOf(i);
    let to = next;
    if (to - from > lineWidth) return null;
    while (from < to && isSpace(text[from] as number)) from += 1;
    while (from < to && isSpace(text[to - 1] as number)) to -= 1;
    // White space beyond ASCII begins and ends with such a byte too.
    if (!ascii && from < to && ((text[from] as number) | (text[to - 1] as number)) >= NOT_ASCII) return null;
    end = writeNumber(into, end, lines.line(i));
    into[end++] = SPACE;
    while (from < to) into[end++] = text[from++] as number;
    into[end++] = LF;
  }
  return end;
}

/** What `trim` takes away of ASCII. */
function isSpace(byte: number): boolean {
  return byte === SPACE || (byte >= 9 && byte <= 13);
}

/** Writes a number from 0 in decimals. @returns where it ends. */
function writeNumber(into: Buffer, at: number, n: number): number {
  let end = at + 1;
  for (let rest = n; rest >= 10; rest = Math.floor(rest / 10)) end += 1;
  let rest = n;
  for (let i = end - 1; i >= at; i--) {
    const tens = Math.floor(rest / 10);
    into[i] = ZERO + rest - tens * 10;
    rest = tens;
  }
  return end;
}

/** One line of a per-file answer: `COUNT path`, or the path alone. */
export function fileLine(file: FileCount, withCount: boolean): string {
  return withCount ? `${file.count} ${file.path}\n` : `${pathLine(file.path)}\n`;
}

/** The whole text around the page's lines. */
export function grepText(value: GrepValue, body: string): string {
  const lines: string[] = [];
  const incomplete = incompleteLine(value.coverage);
  if (incomplete !== null) lines.push(incomplete);
  lines.push(headline(value));
  if (value.total === 0) {
    const out = everythingLeftOut(value.coverage);
    if (out !== null) lines.push(out);
    lines.push(...value.notes);
  }
  const head = lines.join("\n");
  const foot: string[] = [];
  const next = nextLine(value);
  if (next !== null) foot.push(next);
  if (value.total > 0) {
    const out = leftOut(value.coverage);
    if (out !== null) foot.push(out);
  }
  if (value.total > 0) foot.push(...value.notes.map((note) => `(${note})`));
  return [head, body.replace(/\n$/, ""), foot.join("\n")].filter((part) => part !== "").join("\n");
}

function headline(v: GrepValue): string {
  if (v.total === 0) return `0 matches in ${plural(v.coverage.filesSearched, "file")}.`;
  const total =
    v.files === undefined
      ? `${plural(v.total, "match", "matches")} in ${plural(v.totalFiles, "file")}`
      : `${plural(v.totalFiles, "file")} with ${plural(v.total, "matching line")}`;
  return v.shown === 0 || !v.truncated ? total : `${thousands(v.shown)} of ${total}`;
}

/** How to get the rest; null where all is shown. */
function nextLine(v: GrepValue): string | null {
  if (v.shown === 0 && v.total > 0) return "(Nothing here: the offset is past the end.)";
  if (!v.truncated) return null;
  return `(More: offset=${v.nextOffset}.${completeResult(v)})`;
}

function pathLine(path: string): string {
  return /^(?:\d+(?:[ -]|$)|--$|INCOMPLETE|\()/.test(path) ? `./${path}` : path;
}
