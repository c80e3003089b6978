import { isAbsolute, relative, sep } from "node:path";
import { showPath } from "../../paths/path.js";
import type { Complaints } from "./complaints.js";

/** What stands for a byte that is no part of UTF-8. */
export const LOSS = "\ufffd";

/**
 * A path as it is shown: relative to the folder the search ran in, where it lies inside it. Control characters are written as
 * `\xNN`, so that no name can break out of its line.
 */
export function shownPath(path: string, workdir: string): string {
  let shown = path;
  if (isAbsolute(path)) {
    const inside = relative(workdir, path);
    if (inside !== "" && inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)) shown = inside;
  } else {
    shown = path.replace(/^(?:\.\/+)+(?=.)/, "");
  }
  return showPath(shown);
}

/** What belongs to an answer beside its results, in short sentences without a full stop. */
export function notes(facts: {
  readonly complaints: Complaints | null;
  readonly lossy: number;
  /** The glob with a slash of an empty answer below a path. */
  readonly anchored: "pattern" | "include" | null;
  /** Results that the policy did not confirm. */
  readonly unconfirmed?: number;
}): string[] {
  const { complaints, lossy, anchored, unconfirmed = 0 } = facts;
  const said: string[] = [];
  if (complaints !== null) {
    said.push(
      `${complaints.atLeast ? "at least " : ""}${count(complaints.paths, "path")} could not be read, so there may be more`,
    );
  }
  if (unconfirmed > 0) {
    said.push(`${count(unconfirmed, "result")} left out: not there when read again`);
  }
  if (lossy > 0)
    said.push(`${count(lossy, "result")} ${lossy === 1 ? "holds" : "hold"} bytes that are not UTF-8, shown as ${LOSS}`);
  if (anchored !== null) said.push(`a "/" in ${anchored} counts from the working directory, not from path`);
  return said;
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}
