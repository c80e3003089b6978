import { isUtf8 } from "node:buffer";

/** A line as it is shown. */
export interface LineText {
  readonly text: string;
  /** The text is a part of the line. */
  readonly clipped: boolean;
  /** Bytes that are not UTF-8 were replaced by U+FFFD. */
  readonly lossy: boolean;
}

const MARK = "…";

/**
 * A line's bytes as text of at most `width` code points, cut around the column where it is longer; cuts are marked by an
 * ellipsis and never fall inside a code point.
 * @param bytes the line, or a window of it that begins `from` bytes into the line.
 * @param column byte offset in the line that is to be seen.
 * @param length bytes of the whole line.
 */
export function lineText(bytes: Buffer, from: number, column: number, length: number, width: number): LineText {
  const lossy = !isUtf8(bytes) && !isUtf8(trimPartial(bytes, from > 0, from + bytes.length < length));
  const whole = from === 0 && bytes.length === length;
  // No line of n bytes has more than n code points.
  if (whole && length <= width) return { text: bytes.toString("utf8"), clipped: false, lossy };
  if (whole && codePoints(bytes, bytes.length) <= width) return { text: bytes.toString("utf8"), clipped: false, lossy };
  const at = Math.min(Math.max(0, column - from), bytes.length);
  const start = back(bytes, at, Math.floor(width / 4));
  const end = forward(bytes, start, width);
  const shownStart = end === bytes.length ? back(bytes, end, width) : start;
  const head = from + shownStart > 0 ? MARK : "";
  const tail = from + end < length ? MARK : "";
  return { text: head + bytes.toString("utf8", shownStart, end) + tail, clipped: true, lossy };
}

/** Code points in the first `end` bytes; a byte that is not UTF-8 counts as one where it stands alone. */
export function codePoints(bytes: Buffer, end: number): number {
  let n = 0;
  for (let i = 0; i < end; i++) if (((bytes[i] as number) & 0xc0) !== 0x80) n += 1;
  return n;
}

/** The offset `n` code points before `at`. */
function back(bytes: Buffer, at: number, n: number): number {
  let i = at;
  for (let left = n; left > 0 && i > 0; left--) {
    i -= 1;
    while (i > 0 && ((bytes[i] as number) & 0xc0) === 0x80) i -= 1;
  }
  return i;
}

/** The offset `n` code points after `at`. */
function forward(bytes: Buffer, at: number, n: number): number {
  let i = at;
  for (let left = n; left > 0 && i < bytes.length; left--) {
    i += 1;
    while (i < bytes.length && ((bytes[i] as number) & 0xc0) === 0x80) i += 1;
  }
  return i;
}

/** Leaves out the parts of code points that a window's edges cut: they are no sign of another encoding. */
function trimPartial(bytes: Buffer, cutBefore: boolean, cutAfter: boolean): Buffer {
  let start = 0;
  let end = bytes.length;
  if (cutBefore) while (start < Math.min(3, end) && ((bytes[start] as number) & 0xc0) === 0x80) start += 1;
  if (cutAfter) {
    let i = end - 1;
    while (i > start && end - i < 4 && ((bytes[i] as number) & 0xc0) === 0x80) i -= 1;
    if (i >= start && ((bytes[i] as number) & 0xc0) === 0xc0) end = i;
  }
  return bytes.subarray(start, end);
}
