import type { LeftOutReason } from "../../walk/query.js";
import { plural } from "./coverage-text.js";

/** What a second look found among files that were left out for one reason. */
export interface LeftOutMatches {
  readonly reason: LeftOutReason;
  /** Files that would match. */
  readonly files: number;
  /** Where they are: folders with a `/` behind, or the file where it is one alone. At most three. */
  readonly places: readonly string[];
  /** Files that were looked at; null where it were all of them. */
  readonly only: number | null;
}

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
export function leftOutSentence({ reason, files, places, only }: LeftOutMatches): string | null {
  if (files === 0) {
    return only === null ? null : `Of the files ${BY[reason]} only the first ${only.toLocaleString("en-US")} were looked at; none of them would match.`;
  }
  const some = only === null ? "" : "at least ";
  const where = places.length === 0 ? "" : `, in ${places.join(", ")}`;
  return `${some}${plural(files, "file")} ${BY[reason]} would match${where}: ${REMEDY[reason]}.`.replace(/^a/, "A");
}

/** The sentence for matches in another letter case. */
export function otherCaseSentence(n: number, places: readonly string[], one = "line", remedy = 'case: "insensitive"'): string {
  return `${plural(n, one)} ${n === 1 ? "matches" : "match"} in another letter case, in ${places.join(", ")}: ${remedy}.`;
}
