import { comparePaths } from "../../paths/path.js";
import type { GlobArguments, GrepArguments } from "./arguments.js";
import type { Finder, SearchCall } from "./finder.js";
import type { DshSettings } from "./settings.js";
import { LOSS, notes, shownPath } from "./shown.js";

/** All files of a glob, page or not. */
export interface GlobFound {
  /** As they are shown: oldest modification first, files of equal age by path. */
  readonly paths: readonly string[];
  /** What belongs to the answer beside it, in short sentences without a full stop. */
  readonly notes: readonly string[];
}

export interface GrepMatch {
  /** As it is shown. */
  readonly path: string;
  readonly lineNumber: number;
  /** The whole line without its end; bytes that are not UTF-8 are U+FFFD. */
  readonly line: string;
}

/** All matching lines of a grep, page or not. */
export interface GrepFound {
  /** By path, then line. */
  readonly matches: readonly GrepMatch[];
  readonly notes: readonly string[];
}

/** @throws SearchFailure, ArgumentFailure. */
export async function globSearch(
  finder: Finder,
  args: GlobArguments,
  call: SearchCall,
  settings: DshSettings,
): Promise<GlobFound> {
  const { files, complaints, workdir } = await finder.listFiles(args, call, settings);
  const paths = files.map((file) => shownPath(file.path, workdir));
  const lossy = paths.filter((path) => path.includes(LOSS)).length;
  return { paths, notes: notes({ complaints, lossy, anchored: paths.length === 0 ? anchoredGlob(args) : null }) };
}

/** @throws SearchFailure. */
export async function grepSearch(
  finder: Finder,
  args: GrepArguments,
  call: SearchCall,
  settings: DshSettings,
): Promise<GrepFound> {
  const { records, complaints, workdir } = await finder.findLines(args, call, settings);
  const matches = [...groupByPath(records)]
    .map(([path, found]) => ({ path: shownPath(path, workdir), found }))
    .sort((a, b) => comparePaths(a.path, b.path))
    .flatMap(({ path, found }) => found.map(({ lineNumber, line }) => ({ path, lineNumber, line })));
  const lossy = records.filter((record) => record.lossy).length;
  return {
    matches,
    notes: notes({ complaints, lossy, anchored: matches.length === 0 ? anchoredInclude(args) : null }),
  };
}

/** The glob that ripgrep reads from its working directory although a path was given. */
export function anchoredGlob(args: GlobArguments): "pattern" | null {
  return args.path !== undefined && args.pattern.includes("/") ? "pattern" : null;
}

export function anchoredInclude(args: GrepArguments): "include" | null {
  return args.path !== undefined && args.include?.includes("/") === true ? "include" : null;
}

/** Items of one path together, in the order in which paths are first met. */
export function groupByPath<T extends { readonly path: string }>(items: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(item.path);
    if (group === undefined) groups.set(item.path, [item]);
    else group.push(item);
  }
  return groups;
}
