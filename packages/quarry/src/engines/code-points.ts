import { BLOCK_BYTES, byteOrderMark, TextBlocks } from "../files/decode.js";
import type { LineHit } from "../search/engine.js";
import type { OpenFile } from "../workspace/guard.js";

/**
 * Code points between the start of a hit's line and its column; a byte that is not UTF-8 counts as one where it stands
 * alone. For lines that are too long to be kept whole.
 * @param encoding as in the query: a WHATWG label, or null.
 */
export function codePointsBefore(file: OpenFile, encoding: string | null, hit: LineHit): number {
  return hit.offset !== undefined && isUtf8(file, encoding)
    ? atOffset(file, hit.offset + markLength(file), hit.column)
    : inText(file, encoding, hit);
}

function atOffset(file: OpenFile, position: number, bytes: number): number {
  const buffer = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, bytes));
  let n = 0;
  for (let done = 0; done < bytes;) {
    const got = file.read(buffer.subarray(0, Math.min(buffer.length, bytes - done)), position + done);
    if (got === 0) break;
    n += starts(buffer, 0, got);
    done += got;
  }
  return n;
}

function inText(file: OpenFile, encoding: string | null, hit: LineHit): number {
  const blocks = new TextBlocks(file, encoding, Buffer.allocUnsafe(BLOCK_BYTES));
  let line = 1;
  let left = hit.column;
  let n = 0;
  for (let block = blocks.next(); block !== null && left > 0; block = blocks.next()) {
    let at = 0;
    while (line < hit.line) {
      const end = block.indexOf(10, at);
      if (end === -1) break;
      line += 1;
      at = end + 1;
    }
    if (line < hit.line) continue;
    const to = Math.min(block.length, at + left);
    n += starts(block, at, to);
    left -= to - at;
  }
  return n;
}

function starts(bytes: Buffer, from: number, to: number): number {
  let n = 0;
  for (let i = from; i < to; i++) if (((bytes[i] as number) & 0xc0) !== 0x80) n += 1;
  return n;
}

function isUtf8(file: OpenFile, encoding: string | null): boolean {
  const mark = markOf(file);
  if (mark !== null) return mark.encoding === "utf-8";
  return encoding === null || /^utf-?8$/i.test(encoding.trim());
}

function markLength(file: OpenFile): number {
  return markOf(file)?.length ?? 0;
}

function markOf(file: OpenFile): ReturnType<typeof byteOrderMark> {
  const head = Buffer.alloc(3);
  return byteOrderMark(head.subarray(0, file.read(head, 0)));
}
