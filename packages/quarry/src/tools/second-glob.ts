import { baseName } from "../paths/path.js";
import { leftOutSentence, otherCaseSentence, type Reach } from "../profiles/quarry/second-look-text.js";
import { GlobList } from "../walk/glob.js";
import type { LeftOutReason, WalkQuery, WalkReport } from "../walk/query.js";
import { walk } from "../walk/walker.js";
import { belowTarget } from "./below-target.js";
import type { Rooms } from "./rooms.js";
import { addPlace } from "./second-look.js";

const REASONS: readonly LeftOutReason[] = ["ignored", "hidden"];
/** A name costs less than a file's content: this many names are looked at for each file that a grep may look at. */
const NAMES_PER_FILE = 20;

/** As `secondLook`, for an empty glob: names that were left out, and names in another letter case. */
export async function secondGlob(
  rooms: Rooms,
  query: WalkQuery,
  walked: WalkReport,
  pattern: string,
  signal: AbortSignal,
): Promise<string[]> {
  const maxNames = rooms.settings.secondLookFiles * NAMES_PER_FILE;
  const sentences: string[] = [];
  if (maxNames === 0) return sentences;
  for (const reason of REASONS) {
    if (walked.skipped[reason] === 0 || signal.aborted) continue;
    const found = await look(rooms, { ...query, only: reason }, pattern, false, maxNames, signal);
    const sentence = leftOutSentence({ reason, files: found.files, places: found.places, reach: found.reach });
    if (sentence !== null) sentences.push(sentence);
  }
  const folded = await look(rooms, query, pattern, true, maxNames, signal);
  if (folded.files > 0)
    sentences.push(otherCaseSentence(folded.files, folded.places, folded.reach, "path", "write the pattern so"));
  return sentences;
}

async function look(
  rooms: Rooms,
  query: WalkQuery,
  pattern: string,
  fold: boolean,
  maxNames: number,
  signal: AbortSignal,
): Promise<{ files: number; places: string[]; reach: Reach }> {
  const list = new GlobList([fold ? pattern.toLowerCase() : pattern]);
  const places: string[] = [];
  let files = 0;
  let names = 0;
  for await (const group of walk(query, signal).entries({ dirs: false })) {
    for (const { target, path } of group) {
      if (names++ >= maxNames) return { files, places, reach: { first: maxNames } };
      const below = belowTarget(target, path);
      const shown = fold ? below.toLowerCase() : below;
      if (!list.matches(shown, baseName(shown), false)) continue;
      files += 1;
      addPlace(places, rooms.workspace, target, path);
    }
  }
  return { files, places, reach: signal.aborted ? "ended" : "all" };
}
