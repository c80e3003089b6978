import os from "node:os";
import type { EngineReport, EngineStatus, FileBatch, HitSink, SearchEngine, SearchJob } from "../../search/engine.js";
import { checkPattern } from "../../search/pattern.js";
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

export interface IndexOptions {
  /** As of `KernelEngine`. */
  readonly fallback: SearchEngine;
  /** Where the indexes are: a folder that this user alone may enter; null where there is none. */
  readonly folder: string | null;
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
  readonly #store: IndexStore | null;
  /** By host root. */
  readonly #open = new Map<string, OpenIndex | null>();

  constructor({ fallback, folder, pool }: IndexOptions) {
    this.#fallback = fallback;
    this.#pool = pool ?? processPool();
    this.#store = folder === null ? null : new IndexStore(folder);
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
    const known = new Map<string, Pruning | null>();
    const skipsOf = ({ target, files }: FileBatch): Skips | null => {
      const { hostRoot } = target.mount;
      let pruning = known.get(hostRoot);
      if (pruning === undefined) {
        pruning = requirement === null ? null : this.#prune(hostRoot, requirement, plan);
        known.set(hostRoot, pruning);
      }
      return pruning === null ? null : skipsIn(pruning, files);
    };
    const report = await new Search(this.#pool, this.#fallback, plan, job, sink, skipsOf).run();
    const used = [...known.values()].some((pruning) => pruning !== null);
    return { ...report, answeredBy: used ? "index" : "kernel" };
  }

  /** Closes what is open. It may be used again. */
  close(): void {
    for (const open of this.#open.values()) open?.file.close();
    this.#open.clear();
  }

  #prune(hostRoot: string, requirement: Requirement, { avoidsOddFolds }: KernelPlan): Pruning | null {
    const store = this.#store;
    if (store === null) return null;
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

/** What an index says of one question. */
interface Pruning {
  readonly index: IndexFile;
  /** See `candidateFiles`. */
  readonly wanted: Uint8Array;
}

function skipsIn({ index, wanted }: Pruning, files: FileBatch["files"]): Skips {
  const numbers = new Int32Array(new SharedArrayBuffer(files.length * Int32Array.BYTES_PER_ELEMENT));
  files.forEach((path, i) => {
    const number = index.numberOf(path);
    numbers[i] = number >= 0 && wanted[number] === 0 ? number : -1;
  });
  return { numbers, stamps: index.stamps };
}
