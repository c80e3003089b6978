import { BLOCK_BYTES, TextBlocks } from "../../files/decode.js";
import { readLines } from "../../files/lines.js";
import type { RelPath } from "../../paths/path.js";
import type { LineHit } from "../../search/engine.js";
import type { OpenFile } from "../../workspace/guard.js";
import type { Target } from "../../workspace/mount.js";
import { ask, withFile } from "./ask.js";
import { Line } from "./found.js";
import type { Runner } from "./slot.js";

/** How much of a long line is looked at first for its first match. */
const START_BYTES = 16_384;
/** Then it is looked through in pieces of this size ... */
const PIECE_BYTES = 262_144;
/** ... that overlap by this much. */
const OVERLAP_BYTES = 16_384;
/** For at most so many lines of one file. */
const SEARCHED_LINES = 16;

/**
 * Finds the columns for lines that were searched without (listing every match of a line of tens of MB takes a GB). The lines
 * are asked once more: short ones as they are, long ones by their start, then piece by piece. In a piece a match that
 * depends on more than `OVERLAP_BYTES` around it can be missed: then the column is 0.
 */
export async function fillColumns(
  runner: Runner,
  subject: { readonly target: Target; readonly path: RelPath },
  hits: readonly LineHit[],
): Promise<readonly LineHit[]> {
  const { encoding } = runner.query;
  const filled = await withFile(runner, subject, async (file) => {
    const long = hits.filter((hit) => hit.cut).map((hit) => hit.line);
    const starts = new Map(
      readLines(file, long, { encoding, maxLineBytes: START_BYTES }).lines.map((line) => [line.line, line.prefix]),
    );
    const columns = await columnsOf(
      runner,
      hits.map((hit) => starts.get(hit.line) ?? hit.text),
    );
    let searched = 0;
    const out: LineHit[] = [];
    for (const [i, hit] of hits.entries()) {
      let column = columns.get(i + 1);
      if (column === undefined && hit.cut && searched++ < SEARCHED_LINES)
        column = await columnInPieces(runner, file, hit.offset ?? 0);
      out.push(hit instanceof Line ? hit.at(column ?? 0) : hit);
    }
    return out;
  });
  // Where the guard refuses the file, confirming the lines will too.
  return filled ?? hits;
}

/** Column of the first match by number of the line, from 1; lines without a match are missing. */
async function columnsOf(runner: Runner, lines: readonly Buffer[]): Promise<ReadonlyMap<number, number>> {
  const answer = await ask(runner, withEnds(lines), false);
  return new Map(answer === "failed" ? [] : answer.hits.map((hit) => [hit.line, hit.column]));
}

function* withEnds(lines: Iterable<Buffer>): Generator<Buffer> {
  for (const line of lines) yield Buffer.concat([line, LINE_END]);
}

const LINE_END = Buffer.from("\n");

async function columnInPieces(runner: Runner, file: OpenFile, offset: number): Promise<number> {
  const starts: number[] = [];
  const answer = await ask(runner, withEnds(pieces(file, runner.query.encoding, offset, starts)), false);
  const first = answer === "failed" ? undefined : answer.hits[0];
  return first === undefined ? 0 : (starts[first.line - 1] ?? 0) + first.column;
}

/** The line that starts at `offset`, in overlapping pieces; where each starts in the line is noted. */
function* pieces(file: OpenFile, encoding: string | null, offset: number, starts: number[]): Generator<Buffer> {
  const blocks = new TextBlocks(file, encoding, Buffer.allocUnsafe(BLOCK_BYTES));
  let at = 0;
  let held = Buffer.alloc(0);
  let start = 0;
  for (let block = blocks.next(); block !== null; block = blocks.next()) {
    const from = Math.max(0, offset - at);
    at += block.length;
    if (from >= block.length) continue;
    const end = block.indexOf(10, from);
    held = Buffer.concat([held, block.subarray(from, end === -1 ? block.length : end)]);
    while (held.length >= PIECE_BYTES) {
      starts.push(start);
      yield held.subarray(0, PIECE_BYTES);
      held = held.subarray(PIECE_BYTES - OVERLAP_BYTES);
      start += PIECE_BYTES - OVERLAP_BYTES;
    }
    if (end !== -1) break;
  }
  starts.push(start);
  yield held;
}
