import os from "node:os";
import type { EngineReport, EngineStatus, FileBatch, HitSink, SearchEngine, SearchJob } from "../../search/engine.js";
import { checkPattern } from "../../search/pattern.js";
import type { RelPath } from "../../paths/path.js";
import type { Mount } from "../../workspace/mount.js";
import type { BackgroundBuilds } from "./background.js";
import type { WorkerPool } from "../workers/pool.js";
import { processPool } from "../kernel/engine.js";
import { planQuery, type KernelPlan } from "../kernel/plan.js";
import type { Skips } from "../kernel/protocol.js";
import { Search } from "../kernel/search.js";
import { candidateFiles, type Requirement } from "./candidates.js";
import { BadIndex } from "./format.js";
import type { IndexFile } from "./index-file.js";
import { requirementOf } from "./requirement.js";
import { IndexStore, type OpenIndex } from "./store.js";

/** Files that an index does not know, or that were changed, are looked into: with more of them than this, a new one is worth its price. */
const MAX_STALE_FILES = 200;
const MAX_STALE_SHARE = 0.02;

export interface IndexOptions {
  /** As of `KernelEngine`. */
  readonly fallback: SearchEngine;
  /** Where the indexes are: a folder that this user alone may enter; null where there is none. */
  readonly folder: () => string | null;
  /** Builds what is missing or too old, beside the searches; nothing is built by itself where it is absent. */
  readonly background?: BackgroundBuilds;
  /** Of a mount, from so many files on in one search. */
  readonly minFiles?: number;
  /** The workers; those of the process where absent. */
  readonly pool?: WorkerPool;
}

/**
 * The kernel, which looks only into files that can hold a match: those that the index of their mount's folder names, those that it does not
 * know, and those that are not what they were when it was made. That is asked of each file in each search, so that an answer reflects
 * every write that the system shows. Without an index it is the kernel.
 */
export class IndexEngine implements SearchEngine {
  readonly name = "index";
  readonly #fallback: SearchEngine;
  readonly #pool: WorkerPool;
  readonly #folder: () => string | null;
  readonly #background: BackgroundBuilds | null;
  readonly #minFiles: number;
  /** By host root. */
  readonly #open = new Map<string, OpenIndex | null>();

  constructor({ fallback, folder, pool, background, minFiles = 1 }: IndexOptions) {
    this.#background = background ?? null;
    this.#minFiles = minFiles;
    this.#fallback = fallback;
    this.#pool = pool ?? processPool();
    this.#folder = folder;
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
    const uses = new Map<string, Use>();
    const skipsOf = ({ target, files }: FileBatch): Skips | null => {
      const { mount } = target;
      let use = uses.get(mount.hostRoot);
      if (use === undefined) {
        const pruning = requirement === null ? null : this.#prune(mount.hostRoot, requirement, plan);
        uses.set(mount.hostRoot, (use = { mount, pruning, files: 0, unknown: 0, changed: counter() }));
      }
      use.files += files.length;
      return use.pruning === null ? null : skipsIn(use.pruning, files, use);
    };
    const report = await new Search(this.#pool, this.#fallback, plan, job, sink, skipsOf).run();
    let used = false;
    for (const use of uses.values()) {
      used ||= use.pruning !== null;
      if (requirement !== null) this.#background?.consider(use.mount, isWorthBuilding(use, this.#minFiles));
    }
    return { ...report, answeredBy: used ? "index" : "kernel" };
  }

  /** Closes what is open. It may be used again. */
  close(): void {
    for (const open of this.#open.values()) open?.file.close();
    this.#open.clear();
  }

  #prune(hostRoot: string, requirement: Requirement, { avoidsOddFolds }: KernelPlan): Pruning | null {
    const folder = this.#folder();
    if (folder === null) return null;
    const store = new IndexStore(folder);
    const before = this.#open.get(hostRoot) ?? null;
    const open = store.open(hostRoot, before);
    this.#open.set(hostRoot, open);
    if (open === null) return null;
    if (open !== before) store.used(hostRoot);
    try {
      return { index: open.file, wanted: candidateFiles(open.file, requirement, avoidsOddFolds) };
    } catch (error) {
      if (!(error instanceof BadIndex)) throw error;
      this.#open.delete(hostRoot);
      store.discard(hostRoot, open.identity);
      open.file.close();
      return null;
    }
  }
}

/** True where an index is missing, or knows too little of what is there. */
function isWorthBuilding({ pruning, files, unknown, changed }: Use, minFiles: number): boolean {
  if (files < minFiles) return false;
  const stale = unknown + Atomics.load(changed, 0);
  return pruning === null || stale > Math.max(MAX_STALE_FILES, files * MAX_STALE_SHARE);
}

/** What an index says of one question. */
interface Pruning {
  readonly index: IndexFile;
  /** See `candidateFiles`. */
  readonly wanted: Uint8Array;
}

/** What one search has to do with one mount. */
interface Use {
  readonly mount: Mount;
  readonly pruning: Pruning | null;
  files: number;
  /** Files that are not in the index. */
  unknown: number;
  readonly changed: Int32Array;
}

function counter(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

function skipsIn({ index, wanted }: Pruning, files: FileBatch["files"], use: Use): Skips {
  const numbers = new Int32Array(new SharedArrayBuffer(files.length * Int32Array.BYTES_PER_ELEMENT));
  for (let i = 0; i < files.length; i++) {
    const number = index.numberOf(files[i] as RelPath);
    if (number < 0) use.unknown += 1;
    numbers[i] = number >= 0 && wanted[number] === 0 ? number : -1;
  }
  return { numbers, stamps: index.stamps, changed: use.changed };
}
