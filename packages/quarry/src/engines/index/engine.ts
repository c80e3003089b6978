import os from "node:os";
import { isDeepStrictEqual } from "node:util";
import type { EngineReport, EngineStatus, FileBatch, HitSink, SearchEngine, SearchJob } from "../../search/engine.js";
import { checkPattern } from "../../search/pattern.js";
import type { Mount } from "../../workspace/mount.js";
import { processPool } from "../kernel/engine.js";
import { anyCaseOf, planQuery } from "../kernel/plan.js";
import { Search } from "../kernel/search.js";
import type { WorkerPool } from "../workers/pool.js";
import type { BackgroundBuilds } from "./background.js";
import { candidateFiles, type Requirement } from "./candidates.js";
import { BadIndex } from "./format.js";
import { KnownTree, type Narrowed } from "./known-tree.js";
import { Narrowing } from "./narrowing.js";
import { requirementOf } from "./requirement.js";
import { IndexStore } from "./store.js";
import { Sweep } from "./sweep.js";
import { TreeWatch } from "./watch.js";
import { watches } from "./watches.js";

export interface IndexOptions {
  /** As of `KernelEngine`. */
  readonly fallback: SearchEngine;
  /** Where the indexes are: a folder that this user alone may enter; null where there is none. */
  readonly folder: () => string | null;
  /** Builds what is missing or too old, beside the searches; nothing is built by itself where it is absent. */
  readonly background?: BackgroundBuilds;
  /** Of a mount, from so many files on in one search. */
  readonly minFiles?: number;
  /** Watches the folders that have an index, so that files to which nothing has happened are not asked again. For processes that stay. */
  readonly watches?: boolean;
  /** From one sweep of a watched tree to the next, in milliseconds. */
  readonly sweepMs?: number;
  /** The workers; those of the process where absent. */
  readonly pool?: WorkerPool;
}

/** Trees of a process that are watched at most, each by a thread of its own. */
const MAX_WATCHES = 4;
/** A watch that broke is begun anew after this time; where the tree has too many folders, after the longer one. */
const WATCH_AGAIN_MS = 60_000;
const TOO_LARGE_AGAIN_MS = 1_800_000;

/**
 * The kernel, which looks only into files that can hold a match: those that the index of their mount's folder names, those that it does not
 * know, and those that are not what they were when it was made. That is asked of each file in each search, or known from watching, so that
 * an answer reflects every write that the system shows. Without an index it is the kernel.
 */
export class IndexEngine implements SearchEngine {
  readonly name = "index";
  /** Files of all searches that were known from watching, so that the system was not even asked about them. */
  unasked = 0;
  readonly #fallback: SearchEngine;
  readonly #pool: WorkerPool;
  readonly #folder: () => string | null;
  readonly #background: BackgroundBuilds | null;
  readonly #minFiles: number;
  readonly #watches: boolean;
  readonly #sweepMs: number | undefined;
  /** By host root. */
  readonly #trees = new Map<string, Tree>();

  constructor({ fallback, folder, pool, background, minFiles = 1, watches = false, sweepMs }: IndexOptions) {
    this.#sweepMs = sweepMs;
    this.#fallback = fallback;
    this.#pool = pool ?? processPool();
    this.#folder = folder;
    this.#background = background ?? null;
    this.#minFiles = minFiles;
    this.#watches = watches;
  }

  status(): Promise<EngineStatus> {
    const detail = `${os.availableParallelism()} workers, and an index where one was built (quarry index build)`;
    return Promise.resolve({ available: true, detail });
  }

  /** @throws as `KernelEngine.search`. */
  async search(job: SearchJob, sink: HitSink): Promise<EngineReport> {
    checkPattern(job.query);
    const plan = planQuery(job.query);
    if (plan === null) return this.#fallback.search(job, sink);
    const requirement = requirementOf(job.query, plan);
    if (requirement === null)
      return { ...(await new Search(this.#pool, this.#fallback, plan, job, sink).run()), answeredBy: "kernel" };
    const watched = await this.#flushAll(job.answer);
    const any = job.otherCaseFiles === undefined ? null : anyCaseOf(job.query);
    // An index knows no letter case: but for letters that fold oddly, the same files may hold either.
    const asksOtherCase = any !== null && isDeepStrictEqual(requirementOf(any.query, any.plan), requirement);
    const avoidsOddFolds = plan.avoidsOddFolds || (asksOtherCase && any.plan.avoidsOddFolds);
    const narrowing = new Narrowing(job.batches, (mount) => this.#narrow(mount, requirement, avoidsOddFolds, watched));
    const { otherCaseFiles, ...rest } = { ...job, batches: narrowing.batches() };
    // Of the files that are left each is asked: they are few, or something is found soon.
    const narrowed = asksOtherCase && otherCaseFiles !== undefined ? { ...rest, otherCaseFiles: Infinity } : rest;
    const skipsOf = (batch: FileBatch): ReturnType<Narrowing["skipsOf"]> => narrowing.skipsOf(batch);
    const report = await new Search(this.#pool, this.#fallback, plan, narrowed, sink, skipsOf).run();
    const { ruledOut, isUsed } = narrowing.learn();
    for (const { mount, isPoor } of narrowing.mounts(this.#minFiles)) this.#background?.consider(mount, isPoor);
    for (const tree of watched) tree.sweep?.wanted();
    this.unasked += ruledOut;
    const filesSearched = report.filesSearched + ruledOut;
    return { ...report, filesSearched, answeredBy: isUsed ? "index" : "kernel" };
  }

  /** True where the tree of a host root is watched. */
  isWatched(hostRoot: string): boolean {
    return this.#trees.get(hostRoot)?.watch?.isReady === true;
  }

  /** Closes what is open and ends what watches. It may be used again. */
  async close(): Promise<void> {
    const trees = [...this.#trees.values()];
    this.#trees.clear();
    for (const tree of trees) tree.known?.open.file.close();
    await Promise.all(trees.map(async (tree) => tree.watch?.end()));
  }

  /** The watched trees of which everything is known that happened before this call. */
  async #flushAll(answer: object | undefined): Promise<ReadonlySet<Tree>> {
    const trees = [...this.#trees.values()];
    for (const tree of trees) tree.sweep?.searching();
    const known = await Promise.all(trees.map(async (tree) => tree.watch?.flush(answer) ?? false));
    for (const tree of trees) tree.known?.expire();
    return new Set(trees.filter((_, i) => known[i] === true));
  }

  /** What the index of a mount's folder says of a question; null where there is none. */
  #narrow(
    mount: Mount,
    requirement: Requirement,
    avoidsOddFolds: boolean,
    watched: ReadonlySet<Tree>,
  ): Narrowed | null {
    const folder = this.#folder();
    if (folder === null) return null;
    const tree = this.#opened(mount, folder);
    const { known } = tree;
    if (known === null) return null;
    try {
      const wanted = candidateFiles(known.open.file, requirement, avoidsOddFolds);
      return { known, wanted, isWatched: watched.has(tree), since: known.now };
    } catch (error) {
      if (!(error instanceof BadIndex)) throw error;
      tree.known = null;
      new IndexStore(folder).discard(mount.hostRoot, known.open.identity);
      known.open.file.close();
      return null;
    }
  }

  #opened(mount: Mount, folder: string): Tree {
    const { hostRoot } = mount;
    let tree = this.#trees.get(hostRoot);
    if (tree === undefined)
      this.#trees.set(hostRoot, (tree = { known: null, watch: null, sweep: null, begunAt: -Infinity }));
    const store = new IndexStore(folder);
    const before = tree.known?.open ?? null;
    const open = store.open(hostRoot, before);
    if (open !== before) {
      tree.known = open === null ? null : new KnownTree(open);
      tree.sweep = null;
      if (open !== null) store.used(hostRoot);
    }
    if (open !== null) this.#watch(tree, mount, folder);
    if (tree.known !== null && tree.watch !== null) tree.sweep ??= new Sweep(tree.known, tree.watch, this.#sweepMs);
    return tree;
  }

  /** Begins to watch a tree, where that is wanted and can be. From when it is ready on, its changes are told. */
  #watch(tree: Tree, mount: Mount, folder: string): void {
    const now = performance.now();
    if (!this.#watches || tree.watch?.isBroken === false) return;
    if (now < tree.begunAt + (tree.watch?.isTooLarge === true ? TOO_LARGE_AGAIN_MS : WATCH_AGAIN_MS)) return;
    tree.begunAt = now;
    if ([...this.#trees.values()].filter(({ watch }) => watch !== null && !watch.isBroken).length >= MAX_WATCHES)
      return;
    try {
      tree.watch = new TreeWatch(mount, folder, (happened) => tree.known?.happened(happened));
      tree.sweep = null;
      watches.set(mount.hostRoot, tree.watch);
    } catch (error) {
      // Without, files are asked in each search.
      if (!(error instanceof Error) || error instanceof TypeError) throw error;
    }
  }
}

interface Tree {
  known: KnownTree | null;
  watch: TreeWatch | null;
  /** Of what is known, by that watch. */
  sweep: Sweep | null;
  /** When a watch was begun last, as `performance.now` counts. */
  begunAt: number;
}
