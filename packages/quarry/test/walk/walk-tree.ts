import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { rgPath } from "@vscode/ripgrep";
import { fromHostBytes, toHostBytes, type RelPath } from "#src/paths/path.js";
import type { FileBatch } from "#src/search/engine.js";
import type { WalkEntry, WalkQuery, WalkReport } from "#src/walk/query.js";
import { walk } from "#src/walk/walker.js";
import { Workspace } from "#src/workspace/workspace.js";
import { makeTree } from "../support/tree.js";

export interface Asked extends Partial<Omit<WalkQuery, "targets">> {
  /** Relative to the root; the root where absent. */
  readonly paths?: readonly string[];
  readonly denied?: readonly string[];
  readonly chunkFiles?: number;
  readonly signal?: AbortSignal;
}

export interface Walked {
  readonly files: readonly RelPath[];
  readonly batches: readonly FileBatch[];
  readonly report: WalkReport;
}

/** Walks a fixture the way grep does. */
export async function walkTree(root: string, asked: Asked = {}): Promise<Walked> {
  const made = await walkOf(root, asked);
  const batches: FileBatch[] = [];
  for await (const batch of made.batches(asked.chunkFiles ?? 4_000)) batches.push(batch);
  return { files: batches.flatMap((b) => b.files), batches, report: made.report };
}

/** Walks a fixture the way glob and ls do. */
export async function listTree(
  root: string,
  options: { dirs: boolean; maxDepth?: number; others?: boolean },
  asked: Asked = {},
): Promise<{ entries: readonly WalkEntry[]; report: WalkReport }> {
  const made = await walkOf(root, asked);
  const entries: WalkEntry[] = [];
  for await (const group of made.entries(options)) entries.push(...group);
  return { entries, report: made.report };
}

async function walkOf(root: string, asked: Asked): Promise<ReturnType<typeof walk>> {
  const workspace = await Workspace.open({ mounts: [{ host: root, denied: asked.denied ?? [] }] });
  const targets = (asked.paths ?? [""]).map((path) => workspace.resolve(path, "any"));
  const { include = [], exclude = [], types = [], includeIgnored = false, maxFileBytes = 0 } = asked;
  return walk(
    { targets, include, exclude, types, includeIgnored, maxFileBytes },
    asked.signal ?? new AbortController().signal,
  );
}

/** Milliseconds of processor time that this process has taken: what else the machine does plays no part. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** The counts that are not zero. */
export function left(report: WalkReport): Record<string, number> {
  return Object.fromEntries(Object.entries(report.skipped).filter(([, count]) => count > 0));
}

/** What `rg --files` says, in its path order. VCS rules as ours: hidden names yes, `.git` no; global ignore files no. */
export function rgFiles(root: string, ...args: string[]): RelPath[] {
  const plain = ["--no-config", "--files", "-0", "--hidden", "--no-ignore-global", "--no-messages", "--sort=path"];
  return splitNul(run(rgPath, root, [...plain, ...args], ""));
}

/** Those of the paths that `git check-ignore` calls ignored; tracked or not plays no part. */
export function gitIgnored(root: string, paths: readonly RelPath[]): RelPath[] {
  const input = Buffer.concat(paths.flatMap((p) => [Buffer.from(toHostBytes(p)), Buffer.from([0])]));
  return splitNul(run("git", root, ["check-ignore", "--no-index", "-z", "--stdin"], input));
}

let template: string | null = null;

/** Makes a repository without anybody's templates or settings: `git init` once, copied from then on. */
export function gitInit(folder: string): void {
  if (template === null) {
    template = makeTree({});
    run("git", template, ["init", "-q", "--template="], "");
  }
  cpSync(`${template}/.git`, `${folder}/.git`, { recursive: true });
}

function run(program: string, cwd: string, args: readonly string[], input: string | Buffer): Buffer {
  const env = {
    PATH: process.env["PATH"],
    HOME: "/nonexistent",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
  };
  try {
    return execFileSync(program, args, { cwd, input, env, maxBuffer: 1 << 28, stdio: ["pipe", "pipe", "pipe"] });
  } catch (error) {
    // 1: nothing found. 2 from rg: something could not be read or a rule not be understood, beside what it lists.
    const { status, stdout, stderr } = error as { status: number | null; stdout: Buffer; stderr: Buffer };
    if (status === 1 || (program === rgPath && status === 2 && !/^rg: error parsing/m.test(stderr.toString())))
      return stdout;
    throw new Error(`${program} ${args.join(" ")}: ${stderr.toString()}`, { cause: error });
  }
}

function splitNul(output: Buffer): RelPath[] {
  const paths: RelPath[] = [];
  for (let from = 0; from < output.length;) {
    const end = output.indexOf(0, from);
    paths.push(fromHostBytes(output.subarray(from, end)));
    from = end + 1;
  }
  return paths;
}
