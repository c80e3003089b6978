import { baseName, type RelPath } from "../paths/path.js";
import {
  foldersSentence,
  leftOutSentence,
  otherCaseSentence,
  type Reach,
} from "../profiles/quarry/second-look-text.js";
import { GlobList } from "../walk/glob.js";
import type { LeftOutReason, WalkEntry, WalkQuery, WalkReport } from "../walk/query.js";
import { rememberedWalk as walk } from "./remembered-walk.js";
import { belowTarget } from "./below-target.js";
import type { Clock } from "./clock.js";
import type { Rooms } from "./rooms.js";
import { addPlace, MAX_PLACES } from "./second-look.js";

const REASONS: readonly LeftOutReason[] = ["ignored", "hidden"];
/** A name costs less than a file's content: this many names are looked at for each file that a grep may look at. */
const NAMES_PER_FILE = 20;

const FILES = ["file"] as const;
const FOLDERS = ["directory"] as const;
const ALL = ["file", "directory"] as const;

/** As `secondLook`, for an empty glob: names that were left out, names in another letter case, and folders. */
export async function secondGlob(
  rooms: Rooms,
  query: WalkQuery,
  walked: WalkReport,
  { pattern, dirs }: { readonly pattern: string; readonly dirs: boolean },
  clock: Clock,
): Promise<string[]> {
  const maxNames = rooms.settings.secondLookFiles * NAMES_PER_FILE;
  const sentences: string[] = [];
  if (maxNames === 0) return sentences;
  for (const reason of REASONS) {
    if (walked.skipped[reason] === 0 || clock.signal.aborted) continue;
    const found = await look(rooms, { ...query, only: reason }, new GlobList([pattern]), maxNames, clock, FILES);
    const sentence = leftOutSentence({ reason, files: found.files, places: found.places, reach: found.reach });
    if (sentence !== null) sentences.push(sentence);
  }
  if (!dirs) {
    const folders = await look(rooms, query, new GlobList([pattern]), maxNames, clock, FOLDERS);
    if (folders.files > 0) sentences.push(foldersSentence(folders.files, folders.places, folders.reach));
  }
  const list = new GlobList([pattern.toLowerCase()]);
  const folded = await look(rooms, query, list, maxNames, clock, dirs ? ALL : FILES, (path) => path.toLowerCase());
  if (folded.files > 0)
    sentences.push(otherCaseSentence(folded.files, folded.places, folded.reach, "path", "write the pattern so"));
  return sentences;
}

async function look(
  rooms: Rooms,
  query: WalkQuery,
  list: GlobList,
  maxNames: number,
  clock: Clock,
  kinds: readonly WalkEntry["kind"][],
  spelled: (path: RelPath) => RelPath = (path) => path,
): Promise<{ files: number; places: string[]; reach: Reach }> {
  const places: string[] = [];
  let files = 0;
  let names = 0;
  for await (const group of walk(query, clock.signal, clock).entries({ dirs: kinds.includes("directory") })) {
    for (const { target, path, kind } of group) {
      if (names++ >= maxNames) return { files, places, reach: { first: maxNames } };
      if (!kinds.includes(kind)) continue;
      const folder = kind === "directory";
      const below = spelled(belowTarget(target, path));
      if (!list.matches(below, baseName(below), folder)) continue;
      files += 1;
      if (!folder) addPlace(places, rooms.workspace, target, path);
      else if (places.length < MAX_PLACES) places.push(`${rooms.workspace.show(target, path)}/`);
    }
  }
  return { files, places, reach: clock.signal.aborted ? "ended" : "all" };
}
