import fs from "node:fs";
import { Confirmer } from "#src/engines/confirm.js";
import { comparePaths, type RelPath } from "#src/paths/path.js";
import type { EngineReport, FileBatch, FileHits, HitSink, SearchEngine } from "#src/search/engine.js";
import type { LineQuery } from "#src/search/query.js";
import type { Target } from "#src/workspace/mount.js";
import { Workspace } from "#src/workspace/workspace.js";
import { makeTree, type TreeSpec } from "../support/tree.js";

/** A folder with files, as engines are given it. */
export interface Place {
  readonly root: string;
  readonly target: Target;
  /** All regular files of the fixture, in order. */
  readonly files: readonly RelPath[];
}

export async function makePlace(spec: TreeSpec): Promise<Place> {
  const files = Object.entries(spec)
    .filter(([, entry]) => typeof entry === "string" || Buffer.isBuffer(entry) || "text" in entry)
    .map(([path]) => path)
    .sort(comparePaths);
  return openPlace(makeTree(spec), files);
}

export async function openPlace(root: string, files: readonly RelPath[]): Promise<Place> {
  const workspace = await Workspace.open({ mounts: [{ host: root }] });
  return { root, target: workspace.resolve(undefined, "directory"), files };
}

/** A question with the dialect's defaults. */
export function ask(pattern: string, rest: Partial<LineQuery> = {}): LineQuery {
  return { pattern, literal: false, case: "sensitive", multiline: false, pcre2: false, encoding: null, ...rest };
}

export interface RunOptions {
  readonly files?: readonly RelPath[];
  /** Files in a batch. */
  readonly chunk?: number;
  /** Give the whole place as one folder. */
  readonly tree?: boolean;
  readonly parallel?: number;
  readonly signal?: AbortSignal;
  readonly sink?: HitSink;
}

/** What came out, in a form that is easy to compare: `line:column:text` by file. */
export interface Outcome {
  readonly found: { readonly path: RelPath; readonly lines: string[] }[];
  readonly report: EngineReport;
}

export async function* batchesOf(place: Place, options: RunOptions = {}): AsyncGenerator<FileBatch> {
  const files = options.files ?? place.files;
  const chunk = options.chunk ?? 1_000;
  for (let from = 0; from < files.length; from += chunk) {
    const some = files.slice(from, from + chunk);
    yield {
      target: place.target,
      files: some,
      trees: options.tree === true ? [{ path: "", from: 0, to: some.length }] : [],
    };
  }
}

/** Runs a search as a tool does: what is not guarded is confirmed. */
export async function run(
  engine: SearchEngine,
  place: Place,
  query: LineQuery,
  options: RunOptions = {},
): Promise<Outcome> {
  const found: Outcome["found"] = [];
  const confirmer = new Confirmer({ context: 0, encoding: query.encoding });
  const report = await engine.search(
    {
      query,
      batches: batchesOf(place, options),
      parallel: options.parallel ?? 2,
      signal: options.signal ?? new AbortController().signal,
    },
    options.sink ??
      ((file: FileHits) => {
        const confirmed = confirmer.confirm(file);
        if (confirmed.dropped > 0)
          throw new Error(`${confirmed.dropped} lines of ${JSON.stringify(file.path)} were not confirmed`);
        found.push({
          path: file.path,
          lines: confirmed.lines.map((hit) => `${hit.line}:${hit.column}:${hit.bytes.toString("utf8")}`),
        });
        return true;
      }),
  );
  confirmer.close();
  return { found, report };
}

/** Processes that this process started and that are not gone. */
export function children(): number[] {
  return fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
        return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === process.pid;
      } catch {
        return false; // ended between the two looks
      }
    })
    .map(Number);
}

/** Open descriptors of this process. */
export function descriptors(): number {
  return fs.readdirSync("/proc/self/fd").length;
}
