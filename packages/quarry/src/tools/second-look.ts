import { Confirmer } from "../engines/confirm.js";
import { QuarryError } from "../errors/errors.js";
import { BINARY_HEAD_BYTES } from "../files/decode.js";
import { unmarkedUtf16 } from "../files/kind.js";
import { parentPath } from "../paths/path.js";
import { leftOutSentence, otherCaseSentence, otherEncodingSentence, type Reach } from "../profiles/quarry/second-look-text.js";
import type { FileBatch, FileHits, SearchEngine } from "../search/engine.js";
import type { LineQuery } from "../search/query.js";
import type { LeftOutReason, WalkQuery, WalkReport } from "../walk/query.js";
import { walk } from "../walk/walker.js";
import { openFile } from "../workspace/guard.js";
import type { Target } from "../workspace/mount.js";
import type { Workspace } from "../workspace/workspace.js";

/** What an empty grep asked, and what its walk left out. */
export interface EmptyGrep {
  readonly workspace: Workspace;
  readonly engine: SearchEngine;
  readonly query: LineQuery;
  readonly walkQuery: WalkQuery;
  readonly walked: WalkReport;
  readonly parallel: number;
  /** Files that may be looked at for each question: the same question looks at the same files in every run. */
  readonly maxFiles: number;
  readonly signal: AbortSignal;
}

const REASONS: readonly LeftOutReason[] = ["ignored", "excluded", "hidden", "tooLarge"];
const MAX_PLACES = 3;

/**
 * Before an empty answer is given: would files that were left out have matched, another letter case, or UTF-16 that says
 * nothing of itself? One sentence each, with the argument that includes them. Bounded by files, not by time, so that the
 * answer does not depend on the machine.
 */
export async function secondLook(empty: EmptyGrep): Promise<string[]> {
  const { query, walkQuery, maxFiles, signal } = empty;
  const sentences: string[] = [];
  const say = (sentence: string | null): void => void (sentence !== null && sentences.push(sentence));
  if (maxFiles === 0) return sentences;
  for (const reason of REASONS) {
    if (empty.walked.skipped[reason] === 0 || signal.aborted) continue;
    const { files, places, reach } = await look(empty, query, { ...walkQuery, only: reason });
    say(leftOutSentence({ reason, files, places, reach }));
  }
  if (query.case !== "insensitive" && /\p{L}/u.test(query.pattern) && !signal.aborted) {
    const { lines, places, reach } = await look(empty, { ...query, case: "insensitive" }, walkQuery);
    if (lines > 0) say(otherCaseSentence(lines, places, reach));
  }
  for (const encoding of query.encoding === null ? (["utf-16le", "utf-16be"] as const) : []) {
    if (signal.aborted) break;
    const { files, places, reach } = await look(empty, { ...query, encoding }, walkQuery, (found) => isUnmarked(found, encoding));
    if (files > 0) say(otherEncodingSentence(files, places, encoding, reach));
  }
  // oxlint-disable-next-line no-control-regex -- ASCII is the very question
  if (query.encoding === null && /[^\u0000-\u007f]/.test(query.pattern)) {
    say("The pattern holds characters outside ASCII: text that is neither UTF-8 nor UTF-16 is only found with its encoding named, e.g. encoding: \"gbk\".");
  }
  return sentences;
}

interface Found {
  files: number;
  lines: number;
  places: string[];
  reach: Reach;
}

async function look(empty: EmptyGrep, query: LineQuery, walkQuery: WalkQuery, counts: (found: FileHits) => boolean = () => true): Promise<Found> {
  const found: Found = { files: 0, lines: 0, places: [], reach: "all" };
  const confirmer = new Confirmer({ context: 0, encoding: query.encoding });
  const batches = firstFiles(walk(walkQuery, empty.signal).batches(empty.maxFiles), empty.maxFiles, () => {
    found.reach = { first: empty.maxFiles };
  });
  const report = await empty.engine.search({ query, batches, parallel: empty.parallel, signal: empty.signal }, (hits) => {
    const { length } = counts(hits) ? confirmer.confirm(hits).lines : [];
    if (length === 0) return true;
    found.files += 1;
    found.lines += length;
    addPlace(found.places, empty.workspace, hits.target, hits.path);
    return true;
  });
  if (query.encoding === null) found.files += report.binary;
  if (report.incomplete !== null || empty.signal.aborted) found.reach = "ended";
  return found;
}

/** Nearly every file, decoded as UTF-16, is some text: only one that looks like it is meant. */
function isUnmarked({ target, path }: FileHits, encoding: string): boolean {
  try {
    const file = openFile(target.mount, path);
    try {
      const head = Buffer.allocUnsafe(BINARY_HEAD_BYTES);
      return unmarkedUtf16(head.subarray(0, file.read(head, 0))) === encoding;
    } finally {
      file.close();
    }
  } catch (error) {
    // Gone or refused meanwhile: nothing is claimed of it.
    if (error instanceof QuarryError) return false;
    throw error;
  }
}

/** The first files of a walk. */
async function* firstFiles(batches: AsyncIterable<FileBatch>, maxFiles: number, onMore: () => void): AsyncGenerator<FileBatch> {
  let left = maxFiles;
  for await (const batch of batches) {
    if (left === 0) {
      onMore();
      return;
    }
    if (batch.files.length <= left) yield batch;
    else {
      onMore();
      yield { target: batch.target, files: batch.files.slice(0, left), trees: [] };
      return;
    }
    left -= batch.files.length;
  }
}

/** The folder of a file that would match, in the words of the workspace. */
export function addPlace(places: string[], workspace: Workspace, target: Target, path: string): void {
  if (places.length >= MAX_PLACES) return;
  const folder = parentPath(path);
  const place = folder === "" || folder === target.path ? workspace.show(target, path) : `${workspace.show(target, folder)}/`;
  if (!places.includes(place)) places.push(place);
}
