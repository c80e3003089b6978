import { Confirmer } from "../engines/confirm.js";
import { parentPath } from "../paths/path.js";
import { leftOutSentence, otherCaseSentence } from "../profiles/quarry/second-look-text.js";
import type { FileBatch, SearchEngine } from "../search/engine.js";
import type { LineQuery } from "../search/query.js";
import type { LeftOutReason, WalkQuery, WalkReport } from "../walk/query.js";
import { walk } from "../walk/walker.js";
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
 * Before an empty answer is given: would files that were left out have matched, or another letter case? One sentence each,
 * with the argument that includes them. Bounded by files, not by time, so that the answer does not depend on the machine.
 */
export async function secondLook(empty: EmptyGrep): Promise<string[]> {
  const sentences: string[] = [];
  for (const reason of REASONS) {
    if (empty.walked.skipped[reason] === 0 || empty.signal.aborted) continue;
    const found = await look(empty, empty.query, { ...empty.walkQuery, only: reason });
    const sentence = leftOutSentence({ reason, files: found.files, places: found.places, only: found.all ? null : empty.maxFiles });
    if (sentence !== null) sentences.push(sentence);
  }
  if (empty.query.case !== "insensitive" && /\p{L}/u.test(empty.query.pattern) && !empty.signal.aborted) {
    const found = await look(empty, { ...empty.query, case: "insensitive" }, empty.walkQuery);
    if (found.lines > 0) sentences.push(otherCaseSentence(found.lines, found.places));
  }
  return sentences;
}

interface Found {
  files: number;
  lines: number;
  places: string[];
  /** False where there were more files than may be looked at. */
  all: boolean;
}

async function look(empty: EmptyGrep, query: LineQuery, walkQuery: WalkQuery): Promise<Found> {
  const found: Found = { files: 0, lines: 0, places: [], all: true };
  const confirmer = new Confirmer({ context: 0, encoding: query.encoding });
  const batches = firstFiles(walk(walkQuery, empty.signal).batches(empty.maxFiles), empty.maxFiles, () => {
    found.all = false;
  });
  const report = await empty.engine.search({ query, batches, parallel: empty.parallel, signal: empty.signal }, (hits) => {
    const { length } = confirmer.confirm(hits).lines;
    if (length === 0) return true;
    found.files += 1;
    found.lines += length;
    addPlace(found.places, empty.workspace, hits.target, hits.path);
    return true;
  });
  found.files += report.binary;
  if (report.incomplete !== null) found.all = false;
  return found;
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
