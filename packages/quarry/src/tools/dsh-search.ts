import { Confirmer } from "../engines/confirm.js";
import { QuarryError } from "../errors/errors.js";
import { comparePaths, parentPath, type RelPath } from "../paths/path.js";
import type { GlobArguments, GrepArguments } from "../profiles/dsh/arguments.js";
import type { Complaints } from "../profiles/dsh/complaints.js";
import type { Finder, SearchCall } from "../profiles/dsh/finder.js";
import { inOrder } from "../profiles/dsh/order.js";
import type { MatchRecord } from "../profiles/dsh/parse.js";
import { anchoredGlob, anchoredInclude, groupByPath, type GlobFound, type GrepFound } from "../profiles/dsh/search.js";
import type { DshSettings } from "../profiles/dsh/settings.js";
import { LOSS, notes } from "../profiles/dsh/shown.js";
import { isDenied } from "../workspace/denied.js";
import { openFolder } from "../workspace/guard.js";
import type { Mount, Target } from "../workspace/mount.js";
import type { Workspace } from "../workspace/workspace.js";

/** What a search through the workspace needs. */
export interface DshSeam {
  readonly workspace: Workspace;
  /** Who finds in one place of the workspace. */
  readonly finderIn: (target: Target) => Finder;
  readonly settings: DshSettings;
}

/** Everything that was found. `complete` is false where something could not be read or confirmed. */
export type Whole<F> = F & { readonly complete: boolean };

/**
 * The profile's glob over the workspace: each place is searched in its mount's folder; what is denied, or lies in a
 * folder that the guard does not open, is left out.
 * @throws QuarryError, ArgumentFailure, SearchFailure.
 */
export async function globInWorkspace(
  { workspace, finderIn, settings }: DshSeam,
  args: GlobArguments,
  call: SearchCall,
): Promise<Whole<GlobFound>> {
  const found: { readonly path: string; readonly time: string | null }[] = [];
  let complaints: Complaints | null = null;
  let unconfirmed = 0;
  for (const target of workspace.resolveAll(args.path, "directory")) {
    const listed = await finderIn(target).listFiles(
      { ...args, path: placeOf(target) },
      { ...call, workdir: target.mount.hostRoot },
      settings,
    );
    complaints = both(complaints, listed.complaints);
    const folders = new GuardedFolders(target.mount);
    for (const { path, time } of listed.files) {
      const name = nameOf(path);
      if (isDenied(target.mount, name)) continue;
      if (folders.holds(parentPath(name))) found.push({ path: workspace.show(target, name), time });
      else unconfirmed += 1;
    }
  }
  const paths = inOrder(found).map((file) => file.path);
  const lossy = paths.filter((path) => path.includes(LOSS)).length;
  const anchored = paths.length === 0 ? anchoredGlob(args) : null;
  return {
    paths,
    notes: notes({ complaints, lossy, anchored, unconfirmed }),
    complete: complaints === null && unconfirmed === 0,
  };
}

/**
 * The profile's grep over the workspace: a line that the guard does not find where ripgrep saw it is left out and counted.
 * @throws QuarryError, SearchFailure.
 */
export async function grepInWorkspace(
  { workspace, finderIn, settings }: DshSeam,
  args: GrepArguments,
  call: SearchCall,
): Promise<Whole<GrepFound>> {
  const files: { readonly path: string; readonly lines: readonly MatchRecord[] }[] = [];
  let complaints: Complaints | null = null;
  let unconfirmed = 0;
  const confirmer = new Confirmer({ context: 0, encoding: null });
  try {
    for (const target of workspace.resolveAll(args.path, "any")) {
      const lines = await finderIn(target).findLines(
        { ...args, path: placeOf(target) },
        { ...call, workdir: target.mount.hostRoot },
        settings,
      );
      complaints = both(complaints, lines.complaints);
      for (const [printed, records] of groupByPath(lines.records.map((record) => ({ ...record, path: record.name })))) {
        const name = nameOf(printed);
        if (isDenied(target.mount, name)) continue;
        const kept = confirmed(confirmer, target, name, records);
        unconfirmed += records.length - kept.length;
        if (kept.length > 0) files.push({ path: workspace.show(target, name), lines: kept });
      }
    }
  } finally {
    confirmer.close();
  }
  files.sort((a, b) => comparePaths(a.path, b.path));
  const matches = files.flatMap(({ path, lines }) => lines.map(({ lineNumber, line }) => ({ path, lineNumber, line })));
  const lossy = files.flatMap(({ lines }) => lines.filter((line) => line.lossy)).length;
  const anchored = matches.length === 0 ? anchoredInclude(args) : null;
  return {
    matches,
    notes: notes({ complaints, lossy, anchored, unconfirmed }),
    complete: complaints === null && unconfirmed === 0,
  };
}

function confirmed(
  confirmer: Confirmer,
  target: Target,
  path: RelPath,
  records: readonly MatchRecord[],
): MatchRecord[] {
  const hits = records.map(({ lineNumber, line, bytes }) => ({
    line: lineNumber,
    column: 0,
    text: bytes ?? Buffer.from(line, "utf8"),
    cut: false,
  }));
  const lines = new Set(confirmer.confirm({ target, path, hits, guarded: false }).lines.map((line) => line.line));
  return records.filter((record) => lines.has(record.lineNumber));
}

/** The place as ripgrep is given it in the mount's folder. */
function placeOf(target: Target): string {
  return target.path === "" ? "./" : `./${target.path}`;
}

/** What ripgrep printed, relative to the mount. */
function nameOf(printed: string): RelPath {
  return printed.replace(/^\.\//, "");
}

function both(a: Complaints | null, b: Complaints | null): Complaints | null {
  if (a === null || b === null) return a ?? b;
  return { paths: a.paths + b.paths, atLeast: a.atLeast || b.atLeast, others: a.others || b.others };
}

/** Remembers which folders of a mount the guard opens. */
class GuardedFolders {
  readonly #mount: Mount;
  readonly #known = new Map<RelPath, boolean>();

  constructor(mount: Mount) {
    this.#mount = mount;
  }

  holds(path: RelPath): boolean {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const opens = this.#opens(path);
    this.#known.set(path, opens);
    return opens;
  }

  #opens(path: RelPath): boolean {
    try {
      openFolder(this.#mount, path).close();
      return true;
    } catch (error) {
      if (error instanceof QuarryError) return false;
      throw error;
    }
  }
}
