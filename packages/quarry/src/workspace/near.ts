import { QuarryError } from "../errors/errors.js";
import { baseName, joinPath, type RelPath } from "../paths/path.js";
import { openFolder, type RawEntry } from "./guard.js";
import type { Missing } from "./follow.js";
import type { Mount } from "./mount.js";

/** A path inside a mount. */
export interface Place {
  readonly mount: Mount;
  readonly path: RelPath;
}

/** Names suggested at most. */
const MAX_NEAR = 5;
/**
 * Bounds of the look for the same base name elsewhere: folders listed, and names seen in them. Counts, not time: the same
 * question gets the same answer.
 */
const MAX_FOLDERS = 300;
const MAX_SEEN = 20_000;
/** Names compared in one folder at most. */
const MAX_NAMES = 5_000;
const RULED_OUT: ReadonlySet<RawEntry["kind"]> = new Set(["denied", "disabled", "covered"]);
const QUIET = new Set([".git", ".hg", ".svn", "node_modules"]);

/**
 * Existing paths close to a missing one, best first: close names in the last folder that exists (with the rest of the path
 * where that exists too), then the same base name elsewhere, as far as a bounded look finds it. Never anything denied.
 */
export function nearPlaces(mounts: readonly Mount[], missing: Pick<Missing, "mount" | "folder" | "rest">): Place[] {
  const found: Place[] = [];
  const add = (place: Place): void => {
    if (!found.some((p) => p.mount === place.mount && p.path === place.path)) found.push(place);
  };
  const [first = "", ...rest] = missing.rest;
  for (const name of closeNames(
    first,
    listed(missing.mount, missing.folder).map((e) => e.name),
  ).slice(0, 3)) {
    add(withRest(missing.mount, joinPath(missing.folder, name), rest));
  }
  if (found.length < MAX_NEAR)
    for (const place of sameName(mounts, missing.rest.at(-1) ?? "", MAX_NEAR - found.length)) add(place);
  return found.slice(0, MAX_NEAR);
}

/** Names at a small edit distance, nearest first. Letter case does not count. */
export function closeNames(wanted: string, names: readonly string[]): string[] {
  const target = wanted.toLowerCase();
  const most = Math.max(1, Math.floor(target.length * 0.34));
  const scored: { name: string; score: number }[] = [];
  for (const name of names.slice(0, MAX_NAMES)) {
    const candidate = name.toLowerCase();
    const stem = candidate.replace(/\.[^.]*$/, "") === target.replace(/\.[^.]*$/, "") && target.length > 2;
    const score = stem ? 0.5 : distance(target, candidate, most);
    if (score <= most) scored.push({ name, score });
  }
  return scored.sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1)).map((s) => s.name);
}

/** Damerau-Levenshtein (adjacent swaps count one), or `most + 1` where it is larger than `most`. */
function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most || a.length > 255) return most + 1;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (last[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let best = Math.min(change, (last[j] as number) + 1, (row[j - 1] as number) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (before[j - 2] as number) + 1);
      row.push(best);
    }
    if (Math.min(...row) > most) return most + 1;
    before = last;
    last = row;
  }
  return last[b.length] as number;
}

/** The longest part of `path/rest` that exists. */
function withRest(mount: Mount, path: RelPath, rest: readonly string[]): Place {
  let at = path;
  for (const name of rest) {
    const names = listed(mount, at).map((e) => e.name);
    const next = names.includes(name) ? name : closeNames(name, names)[0];
    if (next === undefined) break;
    at = joinPath(at, next);
  }
  return { mount, path: at };
}

/** Level by level, so that near ones come first. */
function sameName(mounts: readonly Mount[], name: string, most: number): Place[] {
  if (name === "") return [];
  let seen = 0;
  const found: Place[] = [];
  const queue: Place[] = mounts.map((mount) => ({ mount, path: "" }));
  for (let at = 0; at < queue.length && at < MAX_FOLDERS && found.length < most && seen < MAX_SEEN; at++) {
    const { mount, path } = queue[at] as Place;
    for (const entry of listed(mount, path)) {
      seen += 1;
      const place = { mount, path: joinPath(path, entry.name) };
      if (baseName(entry.name).toLowerCase() === name.toLowerCase()) found.push(place);
      if (entry.kind === "directory" && !QUIET.has(entry.name)) queue.push(place);
    }
  }
  return found.slice(0, most);
}

/** What may be named, by name; nothing where the folder cannot be listed: a suggestion is never worth an error. */
function listed(mount: Mount, path: RelPath): RawEntry[] {
  try {
    const folder = openFolder(mount, path);
    try {
      return folder
        .list()
        .filter((e) => !RULED_OUT.has(e.kind))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    } finally {
      folder.close();
    }
  } catch (error) {
    if (error instanceof QuarryError) return [];
    throw error;
  }
}
