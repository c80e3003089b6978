import { QuarryError } from "../errors/errors.js";
import type { OpenFile } from "../workspace/guard.js";

/** Bytes read at once, and the size of the buffer a reader needs. */
export const BLOCK_BYTES = 262_144;

/** A NUL in this many bytes at the start makes a file binary (ripgrep's first buffer). */
export const BINARY_HEAD_BYTES = 65_536;

/** A byte order mark: what it says and how long it is. */
export interface ByteOrderMark {
  readonly encoding: "utf-8" | "utf-16le" | "utf-16be";
  readonly length: 2 | 3;
}

/** The byte order mark that a file starts with, or null. */
export function byteOrderMark(head: Uint8Array): ByteOrderMark | null {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: "utf-8", length: 3 };
  if (head[0] === 0xff && head[1] === 0xfe) return { encoding: "utf-16le", length: 2 };
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: "utf-16be", length: 2 };
  return null;
}

/**
 * True where a file is not text: a NUL in its first 64 KiB, unless a UTF-16 mark explains it. (`FF FE 00 00` is UTF-32,
 * which nobody here decodes.)
 */
export function isBinary(head: Uint8Array): boolean {
  const mark = byteOrderMark(head);
  if (mark !== null && mark.encoding !== "utf-8") return head[2] === 0 && head[3] === 0;
  const nul = head.indexOf(0);
  return nul !== -1 && nul < BINARY_HEAD_BYTES;
}

/**
 * The canonical name of a WHATWG encoding label.
 * @throws QuarryError INVALID_ARGUMENT for a label that is not known.
 */
export function encodingName(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw new QuarryError(
      "INVALID_ARGUMENT",
      `unknown encoding ${JSON.stringify(label)}; known are the WHATWG labels, such as utf-8, utf-16le, gbk, shift_jis, euc-kr, windows-1252`,
      { argument: "encoding" },
    );
  }
}

/**
 * The content of an open file as UTF-8, block by block, exactly as ripgrep decodes it: a byte order mark decides and is
 * taken off; else `encoding` decides; UTF-8 (the default) passes through with its invalid bytes as they are; anything else
 * is decoded with U+FFFD for what is not valid in it.
 */
export class TextBlocks {
  /** Canonical WHATWG name of what the file is decoded from. Known after the first `next`. */
  encoding = "utf-8";
  /** True where the file starts with a byte order mark. Known after the first `next`. */
  marked = false;
  /** Bytes of the file read so far. */
  bytesRead = 0;
  readonly #file: OpenFile;
  readonly #asked: string | null;
  readonly #buffer: Buffer;
  readonly #onRaw: ((bytes: Buffer) => void) | null;
  #decode: ((bytes: Buffer | null) => Buffer) | null = null;
  #done = false;

  /**
   * @param encoding a WHATWG label, or null to detect.
   * @param buffer where blocks are read into, at least 4 bytes; a block is valid until the next call.
   * @param onRaw sees the file's bytes before they are decoded.
   */
  constructor(file: OpenFile, encoding: string | null, buffer: Buffer, onRaw: ((bytes: Buffer) => void) | null = null) {
    this.#file = file;
    this.#asked = encoding === null ? null : encodingName(encoding);
    this.#buffer = buffer;
    this.#onRaw = onRaw;
  }

  /** The next block, which may be empty; null at the end of the file. */
  next(): Buffer | null {
    if (this.#done) return null;
    const first = this.bytesRead === 0;
    let block = this.#buffer.subarray(0, this.#file.read(this.#buffer, this.bytesRead));
    this.#done = block.length < this.#buffer.length;
    this.bytesRead += block.length;
    this.#onRaw?.(block);
    if (first) {
      const mark = byteOrderMark(block);
      this.marked = mark !== null;
      this.encoding = mark?.encoding ?? this.#asked ?? "utf-8";
      if (mark !== null) block = block.subarray(mark.length);
      this.#decode = this.encoding === "utf-8" ? null : transcoder(this.encoding);
    }
    if (this.#decode === null) return block;
    const text = this.#decode(block);
    return this.#done ? Buffer.concat([text, this.#decode(null)]) : text;
  }
}

/** Makes UTF-8 of what comes in pieces; null says that nothing more comes. */
function transcoder(encoding: string): (bytes: Buffer | null) => Buffer {
  if (encoding === "windows-1252") {
    return (bytes) => (bytes === null ? Buffer.alloc(0) : Buffer.from(fromWindows1252(bytes), "utf8"));
  }
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  return (bytes) => Buffer.from(bytes === null ? decoder.decode() : decoder.decode(bytes, { stream: true }), "utf8");
}

/** By our own table: some versions of Node take windows-1252 for ISO 8859-1. Source: https://encoding.spec.whatwg.org/#windows-1252 */
function fromWindows1252(bytes: Buffer): string {
  // eslint-disable-next-line no-control-regex -- the C1 range is what the two encodings differ in
  return bytes.toString("latin1").replace(/[\u0080-\u009f]/g, (c) => WINDOWS_1252_C1[c.charCodeAt(0) - 0x80] as string);
}

const WINDOWS_1252_C1 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";
