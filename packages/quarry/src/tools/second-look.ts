import { Confirmer } from "../engines/confirm.js";
import { QuarryError } from "../errors/errors.js";
import { parentPath } from "../paths/path.js";
import {
  crlfSentence,
  leftOutSentence,
  otherCaseSentence,
  otherEncodingSentence,
  type Reach,
} from "../profiles/quarry/second-look-text.js";
import { withCrlf } from "../search/pattern.js";
import type { EngineReport, FileBatch, SearchEngine } from "../search/engine.js";
import type { LineQuery } from "../search/query.js";
import type { LeftOutReason, WalkQuery, WalkReport } from "../walk/query.js";
import { rememberedWalk as walk } from "./remembered-walk.js";
import type { Target } from "../workspace/mount.js";
import type { Workspace } from "../workspace/workspace.js";
import { headOf, type FirstFiles } from "./first-files.js";
import { unmarkedFiles } from "./unmarked.js";

/** What an empty grep asked, and what its walk left out. */
export interface EmptyGrep {
  readonly workspace: Workspace;
  readonly engine: SearchEngine;
  readonly query: LineQuery;
  readonly walkQuery: WalkQuery;
  readonly walked: WalkReport;
  /** What the engine said of it. */
  readonly report: EngineReport;
  /** The first files that were searched. */
  readonly first: FirstFiles;
  readonly parallel: number;
  /** Files that may be looked at for each question: the same question looks at the same files in every run. */
  readonly maxFiles: number;
  readonly signal: AbortSignal;
  /** As in `SearchJob`. */
  readonly answer: object;
}

/** What every look needs. */
type Asked = Omit<EmptyGrep, "walkQuery" | "walked" | "maxFiles" | "first">;

const REASONS: readonly LeftOutReason[] = ["ignored", "excluded", "hidden", "tooLarge"];
/** Places that one sentence names. */
export const MAX_PLACES = 3;

/**
 * Before an empty answer is given: would files that were left out have matched, lines that end in CR LF, another letter case,
 * or UTF-16 that says nothing of itself? One sentence each, with the argument that includes them. Bounded by files, not by time, so that the
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
  const crlf = withCrlf(query);
  if (crlf !== null && !signal.aborted) {
    const { lines, places, reach } = await look(empty, crlf, walkQuery);
    if (lines > 0) say(crlfSentence(lines, places, reach, query.literal));
  }
  if (asksOtherCase(query) && !signal.aborted) {
    const { lines, places, reach } = await otherCaseLook(empty);
    if (lines > 0) say(otherCaseSentence(lines, places, reach));
  }
  if (query.encoding === null && !signal.aborted) {
    sentences.push(...(await unmarkedLook(empty, empty.first)));
  }
  // oxlint-disable-next-line no-control-regex -- ASCII is the very question
  if (query.encoding === null && /[^\u0000-\u007f]/.test(query.pattern)) {
    say(
      'The pattern holds characters outside ASCII: text that is neither UTF-8 nor UTF-16 is only found with its encoding named, e.g. encoding: "gbk".',
    );
  }
  return sentences;
}

/** True where an empty answer to a question tells of another letter case. */
export function asksOtherCase(query: LineQuery): boolean {
  return query.case !== "insensitive" && /\p{L}/u.test(query.pattern);
}

function otherCaseLook(empty: EmptyGrep): Promise<Found> {
  const { walkQuery, first, report } = empty;
  const query: LineQuery = { ...empty.query, case: "insensitive" };
  if (report.otherCase === undefined) return look(empty, query, walkQuery);
  return search(empty, query, first.remembered(report.otherCase), () => first.reach);
}

/** Of these files, those in UTF-16 without a byte order mark that would match: a sentence for each of the two. */
export async function unmarkedLook(asked: Asked, first: FirstFiles): Promise<string[]> {
  const { query, signal, report } = asked;
  const sentences: string[] = [];
  if (query.encoding !== null || signal.aborted) return sentences;
  for (const [encoding, some] of await unmarkedFiles(first.remembered(report.nulHeads), signal)) {
    const found = await search(asked, { ...query, encoding }, each(some), () => first.reach);
    if (found.files > 0) sentences.push(otherEncodingSentence(found.files, found.places, encoding, found.reach));
  }
  return sentences;
}

interface Found {
  readonly files: number;
  readonly lines: number;
  readonly places: readonly string[];
  readonly reach: Reach;
}

function look(empty: EmptyGrep, query: LineQuery, walkQuery: WalkQuery): Promise<Found> {
  const { batches, reach } = firstFiles(empty, walkQuery);
  return search(empty, query, batches, reach);
}

async function search(
  empty: Asked,
  query: LineQuery,
  batches: AsyncIterable<FileBatch>,
  reach: () => Reach,
): Promise<Found> {
  const { engine, workspace, parallel, signal, answer } = empty;
  // Without a file there is nothing to ask, and the question itself is known to be valid.
  const first = await batches[Symbol.asyncIterator]().next();
  if (first.done === true) return { files: 0, lines: 0, places: [], reach: signal.aborted ? "ended" : reach() };
  const places: string[] = [];
  let files = 0;
  let lines = 0;
  const confirmer = new Confirmer({ context: 0, encoding: query.encoding });
  let whole = false;
  try {
    const report = await engine.search(
      { query, batches: behind(first.value, batches), parallel, signal, answer },
      (hits) => {
        const { length } = confirmer.confirm(hits).lines;
        if (length === 0) return true;
        files += 1;
        lines += length;
        addPlace(places, workspace, hits.target, hits.path);
        return true;
      },
    );
    files += report.binary;
    whole = report.incomplete === null && !signal.aborted;
  } catch (error) {
    // The answer itself stands: only what would have been said beside it is less.
    if (!(error instanceof QuarryError)) throw error;
  }
  return { files, lines, places, reach: whole ? reach() : "ended" };
}

/** The first files of a walk, and, when they were read, whether they were all. */
function firstFiles(
  { maxFiles, signal, answer }: EmptyGrep,
  walkQuery: WalkQuery,
): { readonly batches: AsyncIterable<FileBatch>; readonly reach: () => Reach } {
  let reach: Reach = "all";
  async function* first(): AsyncGenerator<FileBatch> {
    let left = maxFiles;
    for await (const batch of walk(walkQuery, signal, answer).batches(maxFiles)) {
      if (batch.files.length > left) {
        reach = { first: maxFiles };
        if (left > 0) yield headOf(batch, left);
        return;
      }
      left -= batch.files.length;
      yield batch;
    }
  }
  return { batches: first(), reach: () => reach };
}

async function* behind<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

/** The folder of a file that would match, in the words of the workspace. */
export function addPlace(places: string[], workspace: Workspace, target: Target, path: string): void {
  if (places.length >= MAX_PLACES) return;
  const folder = parentPath(path);
  const place =
    folder === "" || folder === target.path ? workspace.show(target, path) : `${workspace.show(target, folder)}/`;
  if (!places.includes(place)) places.push(place);
}
