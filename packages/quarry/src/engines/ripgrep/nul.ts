import { TextBlocks, BLOCK_BYTES } from "../../files/decode.js";
import { countLines } from "../../files/lines.js";
import type { OpenFile } from "../../workspace/guard.js";

const LF = 10;

/** Where the first NUL of a file's text is. */
export interface NulPlace {
  /** In bytes of the text after decoding. */
  readonly offset: number;
  /** Its line, from 1. */
  readonly line: number;
}

/** Looks for the first NUL of a file's text; null where there is none. */
export function firstNul(file: OpenFile, encoding: string | null): NulPlace | null {
  const blocks = new TextBlocks(file, encoding, Buffer.allocUnsafe(BLOCK_BYTES));
  let offset = 0;
  let line = 1;
  for (let block = blocks.next(); block !== null; block = blocks.next()) {
    const at = block.indexOf(0);
    if (at !== -1) return { offset: offset + at, line: line + countLines(block, 0, at) };
    line += countLines(block, 0, block.length);
    offset += block.length;
  }
  return null;
}

/** The whole lines of a text that end before its first NUL, in pieces. */
export function* linesBeforeNul(file: OpenFile, encoding: string | null): Generator<Buffer> {
  for (const [piece, behind] of split(file, encoding)) {
    if (behind) return;
    yield piece;
  }
}

/** The rest: from the line that holds the first NUL on, in pieces. */
export function* linesFromNul(file: OpenFile, encoding: string | null): Generator<Buffer> {
  for (const [piece, behind] of split(file, encoding)) if (behind) yield piece;
}

/** The text in pieces, cut before the line that holds the first NUL; true for what comes from there on. */
function* split(file: OpenFile, encoding: string | null): Generator<[piece: Buffer, behind: boolean]> {
  const blocks = new TextBlocks(file, encoding, Buffer.allocUnsafe(BLOCK_BYTES));
  let behind = false;
  /** The start of a line whose end has not come. */
  let open: Buffer[] = [];
  for (let block = blocks.next(); block !== null; block = blocks.next()) {
    // Pieces are handed to a stream that may hold them while the next block is read.
    const bytes = Buffer.from(block);
    if (behind) {
      yield [bytes, true];
      continue;
    }
    const nul = bytes.indexOf(0);
    behind = nul !== -1;
    const end = bytes.subarray(0, behind ? nul : bytes.length).lastIndexOf(LF) + 1;
    if (end > 0) {
      for (const piece of open) yield [piece, false];
      open = [];
      yield [bytes.subarray(0, end), false];
    }
    open.push(bytes.subarray(end));
    if (behind) for (const piece of open) yield [piece, true];
  }
  if (!behind) for (const piece of open) yield [piece, false];
}
