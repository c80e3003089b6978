import type { BashExecutor } from "../../executors/executor.js";
import { comparePaths } from "../../paths/path.js";
import type { GlobArguments, GrepArguments } from "./arguments.js";
import { globCommand, grepCommand } from "./command.js";
import { readComplaints, type Complaints } from "./complaints.js";
import { ArgumentFailure, SearchFailure } from "./errors.js";
import { parseList, parseMatches, type ListedFile, type MatchRecord } from "./parse.js";
import { diagnosis, runSearch, type RawOutput } from "./run.js";
import type { DshSettings } from "./settings.js";
import { LOSS, notes, shownPath } from "./shown.js";

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

/** Files as ripgrep printed them, in the profile's order. */
export interface Listed {
  readonly files: readonly ListedFile[];
  readonly complaints: Complaints | null;
  /** Where the command ran. */
  readonly workdir: string;
}

/** Lines as ripgrep printed them. */
export interface FoundLines {
  readonly records: readonly MatchRecord[];
  readonly complaints: Complaints | null;
  readonly workdir: string;
}

/** @throws SearchFailure, ArgumentFailure. */
export async function listFiles(
  executor: BashExecutor,
  args: GlobArguments,
  call: SearchCall,
  settings: DshSettings,
): Promise<Listed> {
  const raw = await runSearch(executor, { tool: "glob", command: globCommand(args), ...call }, settings);
  const listed = parseList(raw.stdout);
  const isFile = listed.some((file) => file.path === args.path) || (listed.length === 0 && isFilePath(raw));
  if (args.path !== undefined && isFile) {
    throw new ArgumentFailure("path", "path must be a directory, and this is a file; give the directory that holds it");
  }
  const complaints = judgeComplaints("glob", raw, args.path, listed.length);
  return { files: inOrder(listed), complaints, workdir: raw.workdir };
}

/** @throws SearchFailure. */
export async function findLines(
  executor: BashExecutor,
  args: GrepArguments,
  call: SearchCall,
  settings: DshSettings,
): Promise<FoundLines> {
  const raw = await runSearch(executor, { tool: "grep", command: grepCommand(args), ...call }, settings);
  const records = parseMatches(raw.stdout);
  return { records, complaints: judgeComplaints("grep", raw, args.path, records.length), workdir: raw.workdir };
}

/** @throws SearchFailure, ArgumentFailure. */
export async function globSearch(
  executor: BashExecutor,
  args: GlobArguments,
  call: SearchCall,
  settings: DshSettings,
): Promise<GlobFound> {
  const { files, complaints, workdir } = await listFiles(executor, args, call, settings);
  const paths = files.map((file) => shownPath(file.path, workdir));
  const lossy = paths.filter((path) => path.includes(LOSS)).length;
  return { paths, notes: notes({ complaints, lossy, anchored: paths.length === 0 ? anchoredGlob(args) : null }) };
}

/** @throws SearchFailure. */
export async function grepSearch(
  executor: BashExecutor,
  args: GrepArguments,
  call: SearchCall,
  settings: DshSettings,
): Promise<GrepFound> {
  const { records, complaints, workdir } = await findLines(executor, args, call, settings);
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

/** Oldest first, files of equal age by path; the order given is kept where not all times are known. */
export function inOrder<T extends ListedFile>(files: readonly T[]): readonly T[] {
  if (files.some((file) => file.time === null)) return files;
  return files
    .map((file) => ({ file, time: nanoseconds(file.time ?? "") }))
    .sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : comparePaths(a.file.path, b.file.path)))
    .map(({ file }) => file);
}

/** Of `seconds.nanoseconds` with nine digits behind the point. */
function nanoseconds(time: string): bigint {
  return BigInt(time.replace(".", ""));
}
