import { QuarryError } from "../errors/errors.js";
import { byteOrderMark, isBinary } from "./decode.js";

/** How the bytes of a text stand for the characters of its arguments. */
export type UnitEncoding = "utf-8" | "utf-16le" | "utf-16be";

/**
 * A file's content as a string with one code unit for each byte (UTF-8 and everything that is not UTF-16) or for each two
 * bytes (UTF-16), so that every byte is kept through searching and cutting, whether it is valid in its encoding or not.
 */
export interface Units {
  readonly encoding: UnitEncoding;
  /** The byte order mark; empty where there is none. */
  readonly mark: Buffer;
  /** Everything behind the mark. */
  readonly body: string;
  /** A last byte that is half a UTF-16 code unit; empty otherwise. */
  readonly rest: Buffer;
}

const NOTHING = Buffer.alloc(0);

/** @throws QuarryError BINARY_FILE; `shown` is the file's path in the message. */
export function toUnits(content: Buffer, shown: string): Units {
  if (isBinary(content))
    throw new QuarryError("BINARY_FILE", `${shown} is a binary file (it holds NUL bytes): Quarry edits text only`);
  const found = byteOrderMark(content);
  const mark = found === null ? NOTHING : content.subarray(0, found.length);
  const body = content.subarray(mark.length);
  if (found === null || found.encoding === "utf-8")
    return { encoding: "utf-8", mark, body: body.toString("latin1"), rest: NOTHING };
  const whole = body.subarray(0, body.length & ~1);
  const little = found.encoding === "utf-16be" ? swapped(whole) : whole;
  return { encoding: found.encoding, mark, body: little.toString("utf16le"), rest: body.subarray(whole.length) };
}

/** The bytes again, with another body. */
export function toBytes(units: Units, body: string): Buffer {
  return Buffer.concat([units.mark, bodyBytes(units.encoding, body), units.rest]);
}

/** An argument in the units of a file. */
export function encodeUnits(encoding: UnitEncoding, text: string): string {
  return encoding === "utf-8" ? Buffer.from(text, "utf8").toString("latin1") : text;
}

/** A piece of a body as text to show: U+FFFD for what is not valid. */
export function showUnits(encoding: UnitEncoding, piece: string): string {
  return encoding === "utf-8"
    ? Buffer.from(piece, "latin1").toString("utf8")
    : piece.replace(/\p{Surrogate}/gu, "\ufffd");
}

function bodyBytes(encoding: UnitEncoding, body: string): Buffer {
  if (encoding === "utf-8") return Buffer.from(body, "latin1");
  const little = Buffer.from(body, "utf16le");
  return encoding === "utf-16be" ? little.swap16() : little;
}

function swapped(bytes: Buffer): Buffer {
  return Buffer.from(bytes).swap16();
}

/** What line ends a body has: all of one kind, both, or none. */
export function lineEnds(body: string): "lf" | "crlf" | "mixed" | "none" {
  let lf = false;
  let crlf = false;
  for (let at = body.indexOf("\n"); at !== -1; at = body.indexOf("\n", at + 1)) {
    if (at > 0 && body[at - 1] === "\r") crlf = true;
    else lf = true;
    if (lf && crlf) return "mixed";
  }
  return crlf ? "crlf" : lf ? "lf" : "none";
}
