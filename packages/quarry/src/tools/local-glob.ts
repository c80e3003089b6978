import { QuarryError } from "../errors/errors.js";
import { baseName, comparePaths } from "../paths/path.js";
import { isIgnoredName } from "../profiles/deerflow/ignored.js";
import type { GlobFound, GlobQuestion, SandboxCall } from "../sandbox/sandbox.js";
import { GlobList } from "../walk/glob.js";
import type { WalkEntry } from "../walk/query.js";
import { walk } from "../walk/walker.js";
import { belowTarget } from "./below-target.js";
import type { Clock } from "./clock.js";
import { relativePattern } from "./local-pattern.js";
import { requireReadable } from "./local-readable.js";
import type { VirtualPaths } from "./local-place.js";
import { skippedIn } from "./local-skipped.js";
import { progressTeller } from "./progress.js";

/** The contract's glob: what the walker meets outside the ignore set, links that lead somewhere inside among it. */
export async function globIn(
  paths: VirtualPaths,
  { pattern, path, includeDirs, maxResults }: GlobQuestion,
  clock: Clock,
  onProgress: SandboxCall["onProgress"],
): Promise<GlobFound> {
  const targets = paths.resolveAll(path, "directory");
  const list = new GlobList([relativePattern(paths, pattern, path)]);
  const walked = walk(
    { targets, include: [], exclude: [], types: [], includeIgnored: true, ignoresName: isIgnoredName, maxFileBytes: 0 },
    clock.signal,
  );
  const tell = progressTeller(onProgress);
  const ordered = targets.length === 1;
  let found: string[] = [];
  let seen = 0;
  let links = 0;
  search: for await (const group of walked.entries({ dirs: includeDirs, others: true })) {
    for (const entry of group) {
      const kind = kindOf(paths, entry);
      if (kind === "nowhere" || (entry.kind === "link" && kind === "directory")) links++;
      if (kind === null || kind === "nowhere" || (kind === "directory" && !includeDirs)) continue;
      const below = belowTarget(entry.target, entry.path);
      if (!list.matches(below, baseName(below), kind === "directory")) continue;
      if (ordered && found.length > maxResults) break search;
      found.push(paths.show(entry.target, entry.path));
    }
    seen += group.length;
    tell(seen, found.length);
  }
  requireReadable(targets, walked.report);
  const doubt = list.doubt();
  if (doubt !== null && found.length === 0) throw doubt;
  if (!ordered) found.sort(comparePaths);
  const truncated = found.length > maxResults;
  if (truncated) found = found.slice(0, maxResults);
  // Of a cut answer only the links were counted where it ended: a walk runs ahead by more or less.
  const skipped = truncated && ordered ? {} : skippedIn(walked.report.skipped);
  return {
    paths: found,
    truncated,
    skipped: { ...skipped, links },
    notes: walked.report.notes.map((note) => paths.sentence(note)),
  };
}

/** What an entry is to whoever uses it: a link is what it leads to. Null for what nobody can open. */
function kindOf(paths: VirtualPaths, { target, path, kind }: WalkEntry): "file" | "directory" | "nowhere" | null {
  if (kind === "special") return null;
  if (kind !== "link") return kind;
  try {
    return paths.workspace.resolve(paths.workspace.show(target, path), "any").kind;
  } catch (error) {
    if (error instanceof QuarryError) return "nowhere";
    throw error;
  }
}
