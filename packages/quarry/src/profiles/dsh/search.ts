import { isAbsolute, relative, sep } from "node:path";
import type { BashExecutor } from "../../executors/executor.js";
import { comparePaths, showPath } from "../../paths/path.js";
import type { GlobArguments, GrepArguments } from "./arguments.js";
import { globCommand, grepCommand } from "./command.js";
import { readComplaints, type Complaints } from "./complaints.js";
import { ArgumentFailure, SearchFailure } from "./errors.js";
import { parseList, parseMatches, type ListedFile } from "./parse.js";
import { diagnosis, runSearch, type RawOutput } from "./run.js";
import type { DshSettings } from "./settings.js";

/** On whose behalf a search runs, and where. */
export interface SearchCall {
  /** The caller's folder; left out where the executor's own is meant. */
  readonly workdir?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

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
  executor: BashExecutor,
  args: GlobArguments,
  call: SearchCall,
  settings: DshSettings,
): Promise<GlobFound> {
  const raw = await runSearch(executor, { tool: "glob", command: globCommand(args), ...call }, settings);
  const listed = parseList(raw.stdout);
  if (
    args.path !== undefined &&
    (listed.some((file) => file.path === args.path) || (listed.length === 0 && isFilePath(raw)))
  ) {
    throw new ArgumentFailure("path", "path must be a directory, and this is a file; give the directory that holds it");
  }
  const complaints = judgeComplaints("glob", raw, args.path, listed.length);
  const paths = inOrder(listed).map((file) => shownPath(file.path, raw.workdir));
  const lossy = paths.filter((path) => path.includes(LOSS)).length;
  return {
    paths,
    notes: notes({
      complaints,
      lossy,
      anchored: paths.length === 0 && args.path !== undefined && args.pattern.includes("/") ? "pattern" : null,
    }),
  };
}

/** @throws SearchFailure, ArgumentFailure. */
export async function grepSearch(
  executor: BashExecutor,
  args: GrepArguments,
  call: SearchCall,
  settings: DshSettings,
): Promise<GrepFound> {
  const raw = await runSearch(executor, { tool: "grep", command: grepCommand(args), ...call }, settings);
  const records = parseMatches(raw.stdout);
  const complaints = judgeComplaints("grep", raw, args.path, records.length);
  const matches = [...groupByPath(records)]
    .map(([path, found]) => ({ path: shownPath(path, raw.workdir), found }))
    .sort((a, b) => comparePaths(a.path, b.path))
    .flatMap(({ path, found }) => found.map(({ lineNumber, line }) => ({ path, lineNumber, line })));
  const lossy = records.filter((record) => record.lossy).length;
  const anchored =
    matches.length === 0 && args.path !== undefined && args.include?.includes("/") === true ? "include" : null;
  return { matches, notes: notes({ complaints, lossy, anchored }) };
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

const LOSS = "\ufffd";

/** ripgrep lists a file that is named as it stands; with a slash behind it, it complains. */
function isFilePath(raw: RawOutput): boolean {
  return raw.exitCode === 2 && /: Not a directory \(os error 20\)\s*$/.test(raw.stderr.text);
}

const MISSING = /: No such file or directory \(os error 2\)\s*$/;

/**
 * Status 2 with results is an answer where only single paths could not be read.
 * @throws SearchFailure SEARCH_FAILED for every other status 2.
 */
function judgeComplaints(
  tool: "glob" | "grep",
  raw: RawOutput,
  path: string | undefined,
  results: number,
): Complaints | null {
  if (raw.exitCode !== 2) return null;
  const complaints = readComplaints(raw.stderr, path ?? "./");
  if (results > 0 && !complaints.others && complaints.paths > 0) return complaints;
  if (path !== undefined && complaints.paths === 1 && !complaints.others && MISSING.test(raw.stderr.text)) {
    throw new SearchFailure(
      "SEARCH_FAILED",
      `${tool} cannot search ${JSON.stringify(path)}: it does not exist in the working directory`,
    );
  }
  throw new SearchFailure(
    "SEARCH_FAILED",
    `${tool} could not search everything and found nothing${diagnosis(raw.stderr)}`,
  );
}

/** ripgrep's order is kept where the times are not known. */
function inOrder(files: readonly ListedFile[]): readonly ListedFile[] {
  return files.some((file) => file.time === null)
    ? files
    : [...files].sort((a, b) => compareTimes(a.time ?? "", b.time ?? "") || comparePaths(a.path, b.path));
}

/** Times as `seconds.nanoseconds`, nine digits behind the point; before 1970 with a minus. */
function compareTimes(a: string, b: string): number {
  if (a === b) return 0;
  const x = BigInt(a.replace(".", ""));
  const y = BigInt(b.replace(".", ""));
  return x < y ? -1 : x > y ? 1 : 0;
}

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

function notes(facts: {
  readonly complaints: Complaints | null;
  readonly lossy: number;
  readonly anchored: "pattern" | "include" | null;
}): string[] {
  const { complaints, lossy, anchored } = facts;
  const said: string[] = [];
  if (complaints !== null) {
    said.push(
      `${complaints.atLeast ? "at least " : ""}${count(complaints.paths, "path")} could not be read, so there may be more`,
    );
  }
  if (lossy > 0)
    said.push(`${count(lossy, "result")} ${lossy === 1 ? "holds" : "hold"} bytes that are not UTF-8, shown as ${LOSS}`);
  if (anchored !== null) said.push(`a "/" in ${anchored} counts from the working directory, not from path`);
  return said;
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}
