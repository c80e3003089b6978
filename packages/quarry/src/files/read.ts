import { isUtf8 } from "node:buffer";
import { setImmediate } from "node:timers/promises";
import type { Settings } from "../config/tunables.js";
import { QuarryError } from "../errors/errors.js";
import { openFile, type OpenFile } from "../workspace/guard.js";
import type { Target } from "../workspace/mount.js";
import type { Workspace } from "../workspace/workspace.js";
import { BINARY_HEAD_BYTES, BLOCK_BYTES, TextBlocks, isBinary } from "./decode.js";
import { EolCount, type Eol } from "./eol.js";
import { binaryKind, unmarkedUtf16, type BinaryKind } from "./kind.js";
import { LineScan, type LineBytes } from "./lines.js";
import { VersionHash } from "./version.js";

/** A line is cut after this many code points; grep shows the place of a match in a longer one. */
export const READ_LINE_POINTS = 2_000;

/** One line of a file. */
export interface ReadLine {
  /** From 1; a line ends at LF or CRLF, nothing else. */
  readonly line: number;
  /** Without its line end; tabs and all else as in the file. */
  readonly text: string;
  /** Present where `text` is only the line's start. */
  readonly clipped?: true;
  /** The whole line's bytes of UTF-8, where it is clipped. */
  readonly lineBytes?: number;
}

/** The structured value of read_file. */
export interface ReadValue {
  /** Can be given back to any tool as it stands. */
  readonly path: string;
  /** The first line that was asked for. */
  readonly startLine: number;
  /** The last line shown; `startLine - 1` where none is. */
  readonly endLine: number;
  readonly totalLines: number;
  readonly lines: readonly ReadLine[];
  /** Lines that were asked for are missing for want of room; `nextStartLine` goes on. */
  readonly truncated: boolean;
  /** Present exactly where `truncated`. */
  readonly nextStartLine?: number;
  /** Names the file's content; `if_version` of an edit takes it. */
  readonly version: string;
  /** WHATWG name of what the text was decoded from; `binary` where there is no text. */
  readonly encoding: string;
  readonly eol: Eol;
  /** Size of the file. */
  readonly bytes: number;
  readonly notes: readonly string[];
  /** Present where the file is not text: then there are no lines. */
  readonly binary?: BinaryKind;
}

export interface ReadRange {
  /** From 1; the file's start where absent. */
  readonly startLine?: number;
  /** Inclusive; the file's end where absent, and where it lies behind it. */
  readonly endLine?: number;
  /** A WHATWG label for what no byte order mark tells. */
  readonly encoding?: string;
  readonly signal?: AbortSignal;
}

/**
 * Reads a range of lines, with the whole file's version and number of lines, in one pass and bounded memory.
 * @throws QuarryError INVALID_ARGUMENT for a range that is none, ABORTED, and what opening throws. A range behind the end
 * and a binary are answers, not errors.
 */
export async function readRange(
  workspace: Workspace,
  target: Target,
  range: ReadRange,
  settings: Pick<Settings, "readLines" | "readBytes">,
): Promise<ReadValue> {
  const first = range.startLine ?? 1;
  checkRange(first, range.endLine);
  const file = openFile(target.mount, target.path);
  try {
    const head = Buffer.allocUnsafe(Math.min(BINARY_HEAD_BYTES, file.size + 1));
    const start = head.subarray(0, file.read(head, 0));
    const guessed = range.encoding === undefined && isBinary(start) ? unmarkedUtf16(start) : null;
    const encoding = range.encoding ?? guessed;
    const path = workspace.show(target, target.path);
    if (encoding === null && isBinary(start))
      return { ...(await binaryValue(file, first, range.signal)), path, binary: binaryKind(start) };
    const shown = new Shown(first, range.endLine ?? Number.POSITIVE_INFINITY, settings);
    const pass = await readThrough(file, encoding, shown, range.signal);
    const last = shown.lines.at(-1)?.line ?? first - 1;
    const truncated =
      shown.lines.length > 0 && last < Math.min(range.endLine ?? Number.POSITIVE_INFINITY, pass.totalLines);
    return {
      path,
      startLine: first,
      endLine: last,
      totalLines: pass.totalLines,
      lines: shown.lines,
      truncated,
      ...(truncated ? { nextStartLine: last + 1 } : {}),
      version: pass.version,
      encoding: pass.encoding,
      eol: pass.eol.kind,
      bytes: pass.bytes,
      notes: notes(pass, shown, first, guessed),
    };
  } finally {
    file.close();
  }
}

function checkRange(first: number, last: number | undefined): void {
  if (!Number.isSafeInteger(first) || first < 1) {
    throw new QuarryError("INVALID_ARGUMENT", `start_line must be a whole number from 1, not ${first}`, {
      argument: "start_line",
    });
  }
  if (last !== undefined && (!Number.isSafeInteger(last) || last < first)) {
    throw new QuarryError(
      "INVALID_ARGUMENT",
      `end_line must be a whole number from start_line (${first}), not ${last}`,
      { argument: "end_line" },
    );
  }
}

/** Takes the lines of the range as long as there is room. */
class Shown {
  readonly lines: ReadLine[] = [];
  /** Numbers of shown lines with bytes that are not UTF-8. */
  readonly lossy: number[] = [];
  readonly #first: number;
  readonly #last: number;
  readonly #maxBytes: number;
  #bytes = 0;
  #full = false;

  constructor(first: number, last: number, settings: Pick<Settings, "readLines" | "readBytes">) {
    this.#first = first;
    this.#last = Math.min(last, first + settings.readLines - 1);
    this.#maxBytes = settings.readBytes;
  }

  next(line: number): number {
    if (this.#full || line > this.#last) return Number.POSITIVE_INFINITY;
    return Math.max(line, this.#first);
  }

  column(): number {
    return 0;
  }

  isWanted(): boolean {
    return true;
  }

  take({ line, prefix, length }: LineBytes): void {
    const whole = prefix.length === length;
    const bytes = whole ? prefix : withoutPartialEnd(prefix);
    const text = bytes.toString("utf8");
    const cut = clip(text);
    const clipped = !whole || cut.length < text.length;
    const size = Buffer.byteLength(cut) + ROW_BYTES;
    if (this.lines.length > 0 && this.#bytes + size > this.#maxBytes) {
      this.#full = true;
      return;
    }
    this.#bytes += size;
    if (!isUtf8(bytes)) this.lossy.push(line);
    this.lines.push(clipped ? { line, text: cut, clipped: true, lineBytes: length } : { line, text });
  }
}

/** What the number, tab and newline of a shown line count for. */
const ROW_BYTES = 8;

function clip(text: string): string {
  if (text.length <= READ_LINE_POINTS) return text;
  let end = 0;
  for (let points = 0; points < READ_LINE_POINTS && end < text.length; points++)
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

/** Without a code point that the end of the buffer cuts in two. */
function withoutPartialEnd(bytes: Buffer): Buffer {
  let at = bytes.length - 1;
  while (at > 0 && at > bytes.length - 4 && ((bytes[at] as number) & 0xc0) === 0x80) at--;
  return (bytes[at] ?? 0) >= 0xc0 ? bytes.subarray(0, at) : bytes;
}

interface Pass {
  readonly totalLines: number;
  readonly version: string;
  readonly encoding: string;
  readonly marked: boolean;
  readonly eol: EolCount;
  readonly bytes: number;
  readonly unterminated: boolean;
  readonly nulLine: number | null;
}

/** Blocks between two looks at the rest of the program: about 16 MB. */
const BLOCKS_AT_ONCE = 64;

async function readThrough(
  file: OpenFile,
  encoding: string | null,
  shown: Shown,
  signal: AbortSignal | undefined,
): Promise<Pass> {
  const hash = new VersionHash();
  const eol = new EolCount();
  const buffer = Buffer.allocUnsafeSlow(Math.max(4_096, Math.min(BLOCK_BYTES, file.size + 1)));
  const blocks = new TextBlocks(file, encoding, buffer, (bytes) => hash.add(bytes));
  const scan = new LineScan(READ_LINE_POINTS * 4 + 4, true, shown);
  let count = 0;
  for (let block = blocks.next(); block !== null; block = blocks.next()) {
    eol.add(block);
    scan.push(block);
    if (++count % BLOCKS_AT_ONCE === 0) await pause(signal);
  }
  const totalLines = scan.end();
  return {
    totalLines,
    version: hash.version(),
    encoding: blocks.encoding,
    marked: blocks.marked,
    eol,
    bytes: blocks.bytesRead,
    unterminated: scan.unterminated,
    nulLine: scan.nul?.line ?? null,
  };
}

async function pause(signal: AbortSignal | undefined): Promise<void> {
  await setImmediate();
  if (signal?.aborted === true) throw new QuarryError("ABORTED", "the read was cancelled before the file's end");
}

async function binaryValue(
  file: OpenFile,
  first: number,
  signal: AbortSignal | undefined,
): Promise<Omit<ReadValue, "path">> {
  const hash = new VersionHash();
  const buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  let bytes = 0;
  for (let count = 1, got = buffer.length; got === buffer.length; count++) {
    got = file.read(buffer, bytes);
    hash.add(buffer.subarray(0, got));
    bytes += got;
    if (count % BLOCKS_AT_ONCE === 0) await pause(signal);
  }
  const none = { startLine: first, endLine: first - 1, totalLines: 0, lines: [], truncated: false, notes: [] };
  return { ...none, version: hash.version(), encoding: "binary", eol: "none", bytes };
}

/** The note for a file that ends without a line end. */
export const NO_FINAL_NEWLINE = "the last line has no newline at its end";

function notes(pass: Pass, shown: Shown, first: number, guessed: string | null): string[] {
  const out: string[] = [];
  const last = shown.lines.at(-1)?.line ?? 0;
  if (pass.totalLines === 0)
    out.push(pass.bytes === 0 ? "the file is empty" : "the file holds a byte order mark and nothing else");
  else if (shown.lines.length === 0) {
    out.push(
      `start_line ${first} is past the end: the file has ${pass.totalLines} line${pass.totalLines === 1 ? "" : "s"}`,
    );
  }
  if (guessed !== null) out.push(`decoded as ${guessed}, which its bytes look like; it has no byte order mark`);
  else if (pass.encoding !== "utf-8") out.push(`decoded from ${pass.encoding}${pass.marked ? "" : ", as asked"}`);
  else if (pass.marked) out.push("the file starts with a UTF-8 byte order mark, which is not shown");
  if (pass.encoding !== "utf-8" && shown.lines.some((l) => l.text.includes("\ufffd"))) {
    out.push(`some bytes are not valid ${pass.encoding} and are shown as U+FFFD`);
  }
  if (shown.lossy.length > 0) {
    const more = shown.lossy.length > 10 ? ` and ${shown.lossy.length - 10} more` : "";
    const which = shown.lossy.length === 1 ? "line" : "lines";
    out.push(
      `not UTF-8: bytes of ${which} ${shown.lossy.slice(0, 10).join(", ")}${more} are of another encoding and shown as U+FFFD`,
    );
  }
  if (pass.nulLine !== null) out.push(`the file holds NUL bytes, the first in line ${pass.nulLine}`);
  const endings = pass.eol.note();
  if (endings !== null) out.push(endings);
  if (pass.unterminated && last === pass.totalLines) out.push(NO_FINAL_NEWLINE);
  if (shown.lines.some((l) => l.clipped))
    out.push(`lines longer than ${READ_LINE_POINTS} characters are cut; grep shows a match in them in its place`);
  return out;
}
