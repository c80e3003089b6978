import { compareNames, joinPath } from "../paths/path.js";
import { thousands } from "../profiles/quarry/coverage-text.js";
import type { WalkEntry } from "../walk/query.js";
import type { Workspace } from "../workspace/workspace.js";

const NAMED = 3;

/**
 * What fills a page that was cut: the folders that hold most of the results, as a sentence; null where no folder does. The
 * folders named are the first ones in which the results part: one that holds all of them says nothing.
 */
export function mostIn(workspace: Workspace, entries: readonly WalkEntry[]): string | null {
  const [first] = entries;
  if (first === undefined || entries.some((entry) => entry.target !== first.target)) return null;
  const { target } = first;
  let above = target.path;
  for (;;) {
    const shares = sharesBelow(entries, above);
    const [top] = shares;
    if (top === undefined) return null;
    if (top[1] < entries.length) {
      const named = shares
        .slice(0, NAMED)
        .map(([name, n]) => `${workspace.show(target, joinPath(above, name))}/ ${thousands(n)}`);
      return `Most in: ${named.join(", ")}`;
    }
    above = joinPath(above, top[0]);
  }
}

/** How many entries lie in each folder of a folder; most first, then by name. */
function sharesBelow(entries: readonly WalkEntry[], above: string): [string, number][] {
  const start = above === "" ? 0 : above.length + 1;
  const shares = new Map<string, number>();
  for (const { path } of entries) {
    const slash = path.indexOf("/", start);
    if (slash === -1) continue;
    const name = path.slice(start, slash);
    shares.set(name, (shares.get(name) ?? 0) + 1);
  }
  return [...shares].sort((a, b) => b[1] - a[1] || compareNames(a[0], b[0]));
}
