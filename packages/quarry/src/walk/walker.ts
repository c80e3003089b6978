import { QuarryError } from "../errors/errors.js";
import { baseName, parentPath, type RelPath } from "../paths/path.js";
import { noSkips } from "../search/coverage.js";
import type { FileBatch } from "../search/engine.js";
import { openFolder } from "../workspace/guard.js";
import type { Mount, Target } from "../workspace/mount.js";
import { BatchBuilder } from "./batches.js";
import type { Evidence } from "./evidence.js";
import { shownIn, stateAboveMount, type IgnoreState, type IgnoreTrouble } from "./ignore-files.js";
import { IgnoreChain } from "./ignore.js";
import type { Walk, WalkEntry, WalkQuery, WalkReport } from "./query.js";
import { Selection } from "./selection.js";
import { planTargets, rulesAbove, type Plan } from "./targets.js";
import { FolderWalk, sizeOf, type Traversal, type WalkSink } from "./traverse.js";

/** Milliseconds between two turns of the event loop, in which a signal can arrive. */
const SLICE_MS = 8;
/** Files in the very first batch: results are to come early. */
const FIRST_BATCH = 500;
const GROUP = 512;
const MAX_SAMPLES = 20;
const MAX_NOTES = 20;

/**
 * Decides which files a query is about, in the order of `rg --sort=path`, and counts everything else under its reason.
 *
 * - A target that is a file is handed on whatever its name and whatever ignore rules say (as rg has it).
 * - Where rules from above a named folder leave no file in it, those rules do not count for it, and a note says so.
 * - Of targets that lie in each other the inner one decides about what is in it; each file comes once. Globs may then be
 *   relative to any of them.
 *
 * @param evidence gets what the outcome rests on; only for a query about one folder, without a limit of size.
 * @throws QuarryError INVALID_GLOB, INVALID_ARGUMENT (types) at once, before anything is read.
 */
export function walk(query: WalkQuery, signal: AbortSignal, evidence?: Evidence): Walk {
  return new TargetsWalk(query, signal, evidence);
}

class TargetsWalk implements Walk {
  readonly report: WalkReport = {
    files: 0,
    skipped: noSkips(),
    samples: { ignored: [], excluded: [], links: [], unreadable: [], special: [] },
    notes: [],
    stopped: false,
  };
  readonly #query: WalkQuery;
  readonly #signal: AbortSignal;
  readonly #selection: Selection;
  readonly #aboveMounts = new Map<Mount, IgnoreState>();
  readonly #trouble: IgnoreTrouble;
  readonly #evidence: Evidence | undefined;
  #consumed = false;

  constructor(query: WalkQuery, signal: AbortSignal, evidence: Evidence | undefined) {
    this.#query = query;
    this.#evidence = evidence;
    this.#signal = signal;
    this.#selection = new Selection(query);
    for (const text of this.#selection.notes) this.#note(text);
    this.#trouble = {
      unreadable: (path) => this.#unreadable(path),
      note: (text) => this.#note(text),
      ...(evidence === undefined ? {} : { evidence }),
    };
  }

  async *batches(chunkFiles: number): AsyncGenerator<FileBatch> {
    this.#begin(false);
    let limit = Math.min(FIRST_BATCH, chunkFiles);
    const handOn = (batch: FileBatch): FileBatch => {
      this.report.files += batch.files.length;
      limit = chunkFiles;
      return batch;
    };
    for (const plan of planTargets(this.#query.targets)) {
      if (this.#stopped()) return;
      if (plan.target.kind === "file") {
        // A named file is never left out, but for its size.
        if (this.#query.only !== undefined) continue;
        if (this.#isSmallEnough(plan.target))
          yield handOn({ target: plan.target, files: [plan.target.path], trees: [] });
        continue;
      }
      if (this.#leavesOut(plan.target)) continue;
      const builder = new BatchBuilder(plan.target, limit);
      const folder = await this.#open(plan, builder, { dirs: false, others: false, maxDepth: Infinity });
      try {
        for (;;) {
          const done = folder.run(performance.now() + SLICE_MS);
          if (builder.full()) yield handOn(builder.cut(chunkFiles));
          else if (done) break;
          else await nextTurn();
          if (this.#stopped()) return;
        }
        const rest = builder.rest();
        if (rest !== null) yield handOn(rest);
      } finally {
        folder.close();
      }
    }
    this.#end();
  }

  async *entries(options: {
    dirs: boolean;
    maxDepth?: number;
    others?: boolean;
  }): AsyncGenerator<readonly WalkEntry[]> {
    this.#begin(options.dirs);
    const how = { dirs: options.dirs, others: options.others ?? false, maxDepth: options.maxDepth ?? Infinity };
    for (const plan of planTargets(this.#query.targets)) {
      if (this.#stopped()) return;
      const { target } = plan;
      if (target.kind === "file") {
        if (!this.#isSmallEnough(target)) continue;
        this.report.files++;
        yield [{ target, path: target.path, kind: "file" }];
        continue;
      }
      if (this.#leavesOut(target)) continue;
      if (options.dirs && target.below !== undefined && this.#query.only === undefined) {
        // The walk of the folder that was asked for does not come to this one.
        if (this.#selection.wants(target.below, baseName(target.below), true))
          yield [{ target, path: "", kind: "directory" }];
        if (how.maxDepth <= target.below.split("/").length) continue;
      }
      const gathered = new Gatherer(target);
      const folder = await this.#open(plan, gathered, how);
      try {
        for (;;) {
          const done = folder.run(performance.now() + SLICE_MS);
          const group = gathered.take();
          if (group.length > 0) {
            for (const entry of group) if (entry.kind === "file") this.report.files++;
            yield group;
          }
          if (done) break;
          await nextTurn();
          if (this.#stopped()) return;
        }
      } finally {
        folder.close();
      }
    }
    this.#end();
  }

  /** Is the place of a mount below the folder that was asked for one that a glob excludes? It then counts as one folder. */
  #leavesOut({ below }: Target): boolean {
    if (below === undefined || this.#query.only === "excluded") return false;
    const names = below.split("/");
    const excluded = names.some((name, i) => this.#selection.excludes(names.slice(0, i + 1).join("/"), name, true));
    if (excluded) this.report.skipped.excluded++;
    return excluded;
  }

  #begin(dirs: boolean): void {
    if (this.#consumed) throw new QuarryError("INTERNAL", "a walk is consumed once");
    this.#consumed = true;
    if (dirs) return;
    for (const glob of this.#query.include) {
      if (glob.endsWith("/"))
        this.#note(
          `the glob ${JSON.stringify(glob)} matches folders, not files: ${JSON.stringify(`${glob}**`)} is everything in them`,
        );
    }
  }

  #end(): void {
    const doubt = this.#selection.doubt();
    if (doubt !== null) throw doubt;
  }

  #stopped(): boolean {
    if (this.#signal.aborted) this.report.stopped = true;
    return this.report.stopped;
  }

  async #open(plan: Plan, sink: WalkSink, how: Pick<Traversal, "dirs" | "others" | "maxDepth">): Promise<FolderWalk> {
    const ignore = this.#query.includeIgnored ? null : await this.#rulesFor(plan.target);
    const { maxFileBytes, ignoresName, decides, only = null } = this.#query;
    // Levels are counted from the folder that was asked for.
    const { below } = plan.target;
    const maxDepth = how.maxDepth - (below === undefined ? 0 : below.split("/").length);
    return new FolderWalk(
      {
        ...plan,
        ...how,
        maxDepth,
        ignore,
        selection: this.#selection,
        maxFileBytes,
        ignoresName,
        decides,
        only,
        evidence: this.#evidence,
      },
      this.report,
      this.#trouble,
      sink,
    );
  }

  /** The ignore rules from above a target, or none of them where they would leave nothing of it. */
  async #rulesFor(target: Target): Promise<IgnoreState> {
    let state = this.#aboveMounts.get(target.mount);
    if (state === undefined) {
      const above = stateAboveMount(target.mount);
      state = this.#query.decides === undefined ? above : { ...above, gitDialect: "rg" };
      this.#aboveMounts.set(target.mount, state);
    }
    const above = rulesAbove(target, state, this.#trouble);
    if (above.state.chain.empty || this.#query.decides !== undefined) return above.state;
    // Whether they leave nothing of it is asked of all its folders; a glob may keep the walk out of some.
    if (this.#query.exclude.length > 0) this.#evidence?.doubt();
    if (!above.ignoresTarget && !(await this.#leavesNothing(target, above.state))) return above.state;
    this.#note(
      `${JSON.stringify(shownIn(target.mount, target.asked))} was named: ignore rules from above it, which leave nothing of it, were not applied`,
    );
    return { chain: IgnoreChain.EMPTY, inWorkTree: above.state.inWorkTree };
  }

  /** Walks until the first file that is not ignored, which is nearly always the first file. */
  async #leavesNothing(target: Target, ignore: IgnoreState): Promise<boolean> {
    let found = false;
    const sink: WalkSink = {
      entry: (_path, kind) => void (found ||= kind === "file"),
      enter: () => undefined,
      leave: () => undefined,
      full: () => found,
    };
    const report = {
      ...this.report,
      skipped: noSkips(),
      samples: { ignored: [], excluded: [], links: [], unreadable: [], special: [] },
    };
    const quiet: IgnoreTrouble = { unreadable: () => undefined, note: () => undefined };
    const selection = new Selection({ include: [], exclude: [], types: [] });
    const all = {
      only: null,
      maxFileBytes: 0,
      maxDepth: Infinity,
      dirs: false,
      others: false,
      elsewhere: new Set<RelPath>(),
      bases: [target.path],
    };
    const folder = new FolderWalk({ target, ignore, selection, ...all }, report, quiet, sink);
    try {
      while (!folder.run(performance.now() + SLICE_MS)) {
        if (found || this.#stopped()) return false;
        await nextTurn();
      }
    } finally {
      folder.close();
    }
    return !found && folder.ignoredByAbove > 0;
  }

  #isSmallEnough(target: Target): boolean {
    if (this.#query.maxFileBytes === 0) return true;
    try {
      const folder = openFolder(target.mount, parentPath(target.path));
      try {
        if ((sizeOf(folder, baseName(target.path)) ?? 0) <= this.#query.maxFileBytes) return true;
        this.report.skipped.tooLarge++;
      } finally {
        folder.close();
      }
    } catch (error) {
      if (!(error instanceof QuarryError) || error.code === "SEARCH_FAILED") throw error;
      this.#unreadable(target.path);
    }
    return false;
  }

  #unreadable(path: RelPath): void {
    this.#evidence?.doubt();
    this.report.skipped.unreadable++;
    if (this.report.samples.unreadable.length < MAX_SAMPLES) this.report.samples.unreadable.push(path);
  }

  #note(text: string): void {
    if (this.report.notes.length < MAX_NOTES && !this.report.notes.includes(text)) this.report.notes.push(text);
  }
}

/** Gathers entries in groups. */
class Gatherer implements WalkSink {
  readonly #target: Target;
  #group: WalkEntry[] = [];

  constructor(target: Target) {
    this.#target = target;
  }

  entry(path: RelPath, kind: WalkEntry["kind"]): void {
    this.#group.push({ target: this.#target, path, kind });
  }

  enter(): void {}

  leave(): void {}

  full(): boolean {
    return this.#group.length >= GROUP;
  }

  take(): readonly WalkEntry[] {
    const group = this.#group;
    this.#group = [];
    return group;
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
