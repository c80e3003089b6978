import { comparePaths, joinPath, showPath, type RelPath } from "../paths/path.js";
import type { Skipped } from "../sandbox/sandbox.js";
import type { WalkReport } from "../walk/query.js";

/**
 * What a walk left out. Where an answer was cut, a walk may have gone further than the answer by more or less: then only what lies before
 * the answer's end counts, as far as the walk kept the places, so that the same question gets the same counts.
 * @param upTo true for a path, relative to its mount, that lies before the answer's end; null where the walk went to its end.
 */
export function skippedIn(report: WalkReport, upTo: ((path: RelPath) => boolean) | null): Skipped {
  const { skipped, samples } = report;
  if (upTo === null) {
    const { links, special, unreadable, denied, disabled } = skipped;
    return { links, special, unreadable, denied, disabled, ignored: skipped.ignored + skipped.hidden };
  }
  const before = (paths: readonly RelPath[]): number => paths.filter(upTo).length;
  return { links: before(samples.links), special: before(samples.special), unreadable: before(samples.unreadable) };
}

/** The test for `skippedIn`: does a path of a mount come before the last that is shown? */
export function before(mountName: RelPath, last: string): (path: RelPath) => boolean {
  return (path) => comparePaths(`/${showPath(joinPath(mountName, path))}`, last) <= 0;
}
