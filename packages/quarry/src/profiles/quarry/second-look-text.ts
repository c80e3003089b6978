import type { LeftOutReason } from "../../walk/query.js";
import { plural, thousands } from "./coverage-text.js";

/** What a second look found among files that were left out for one reason. */
export interface LeftOutMatches {
  readonly reason: LeftOutReason;
  /** Files that would match. */
  readonly files: number;
  /** Where they are: folders with a `/` behind, or the file where it is one alone. At most three. */
  readonly places: readonly string[];
  /** How far the look came. */
  readonly reach: Reach;
}

/** All that was left out, the first so many of it, or less than that: the call was ended, or the engine failed. */
export type Reach = "all" | { readonly first: number } | "ended";

const BY: Record<LeftOutReason, string> = {
  ignored: "left out by ignore rules",
  hidden: "in version control folders",
  excluded: "left out by glob, exclude or type",
  tooLarge: "over the size limit",
};

/** The argument that includes them. */
const REMEDY: Record<LeftOutReason, string> = {
  ignored: "include_ignored: true",
  hidden: "name the folder as path",
  excluded: "change or leave out that argument",
  tooLarge: "read them with read_file",
};

/** One sentence, or null where nothing has to be said. */
export function leftOutSentence({ reason, files, places, reach }: LeftOutMatches): string | null {
  if (files === 0) {
    if (reach === "all") return null;
    if (reach === "ended") return `The files ${BY[reason]} could not all be looked at: some of them may match.`;
    return `Of the files ${BY[reason]} only the first ${thousands(reach.first)} were looked at; none of them would match.`;
  }
  return sentence(`${plural(files, "file")} ${BY[reason]} would match${where(places)}: ${REMEDY[reason]}.`, reach);
}

/** The sentence for files that match when they are decoded in another way. */
export function otherEncodingSentence(
  files: number,
  places: readonly string[],
  encoding: string,
  reach: Reach,
): string {
  return sentence(
    `${plural(files, "file")} in ${encoding} without a byte order mark would match${where(places)}: encoding: "${encoding}".`,
    reach,
  );
}

/** The sentence for a glob that only folders match. */
export function foldersSentence(n: number, places: readonly string[], reach: Reach): string {
  return sentence(
    `${plural(n, "folder")} ${n === 1 ? "matches" : "match"} (${places.join(", ")}): include_dirs: true.`,
    reach,
  );
}

/** The sentence for a pattern with LF that matches where lines end in CR LF. */
export function crlfSentence(lines: number, places: readonly string[], reach: Reach, literal: boolean): string {
  const remedy = `write \\r?\\n for the line end${literal ? ", without literal" : ""}`;
  return sentence(
    `${plural(lines, "line")} ${lines === 1 ? "matches" : "match"} where lines end in CR LF${where(places)}: ${remedy}.`,
    reach,
  );
}

/** The sentence for matches in another letter case. */
export function otherCaseSentence(
  n: number,
  places: readonly string[],
  reach: Reach,
  one = "line",
  remedy = 'case: "insensitive"',
): string {
  return sentence(
    `${plural(n, one)} ${n === 1 ? "matches" : "match"} in another letter case${where(places)}: ${remedy}.`,
    reach,
  );
}

function where(places: readonly string[]): string {
  return places.length === 0 ? "" : `, in ${places.join(", ")}`;
}

/** A number that was counted to its end is exact; any other is a least one. */
function sentence(text: string, reach: Reach): string {
  return reach === "all" ? text : `At least ${text}`;
}
