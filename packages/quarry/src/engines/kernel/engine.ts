import os from "node:os";
import type { EngineReport, EngineStatus, HitSink, SearchEngine, SearchJob } from "../../search/engine.js";
import { checkPattern } from "../../search/pattern.js";
import { WorkerPool } from "../workers/pool.js";
import { planQuery } from "./plan.js";
import { Search } from "./search.js";
import { hasWasmKernel } from "./wasm.js";

export interface KernelOptions {
  /** Answers what the kernel does not: whole questions, and single files. */
  readonly fallback: SearchEngine;
  /** The workers; those of the process where absent. */
  readonly pool?: WorkerPool;
}

/** A model takes its time between two calls, and a worker that has just started is slow: 50 ms until it can work, and then its code is cold. */
const IDLE_MS = 120_000;
/** Of JavaScript's objects in one worker; the text that is searched is not among them. */
const WORKER_HEAP_MB = 256;

/** A pool of search workers. The process has one, which all engines of this kind share. */
export function kernelPool(size: number, idleMs = IDLE_MS, heapMb = WORKER_HEAP_MB): WorkerPool {
  const script = new URL("./worker.js", import.meta.url);
  return new WorkerPool({ script, size, idleMs, resourceLimits: { maxOldGenerationSizeMb: heapMb } });
}

let shared: WorkerPool | null = null;

/** The search workers of this process. */
export function processPool(): WorkerPool {
  return (shared ??= kernelPool(os.availableParallelism()));
}

/**
 * Our own search: literals, alternations of literals and regular expressions that hold one, found with WebAssembly SIMD by
 * workers that open files through the guard (`guarded: true`). What it cannot prove to answer exactly as ripgrep does (a question, or a
 * file in which something is odd) it hands to another engine.
 */
export class KernelEngine implements SearchEngine {
  readonly name = "kernel";
  readonly #fallback: SearchEngine;
  readonly #pool: WorkerPool;

  constructor(options: KernelOptions) {
    this.#fallback = options.fallback;
    this.#pool = options.pool ?? processPool();
  }

  status(): Promise<EngineStatus> {
    const how = hasWasmKernel() ? "WebAssembly SIMD" : "plain JavaScript (no WebAssembly SIMD here)";
    return Promise.resolve({
      available: true,
      detail: `${how}, ${os.availableParallelism()} workers; ${this.#fallback.name} for the rest`,
    });
  }

  /** @throws QuarryError INVALID_PATTERN, and whatever the other engine throws where the question is handed to it. */
  async search(job: SearchJob, sink: HitSink): Promise<EngineReport> {
    checkPattern(job.query);
    const plan = planQuery(job.query);
    if (plan === null) return this.#fallback.search(job, sink);
    return new Search(this.#pool, this.#fallback, plan, job, sink).run();
  }
}
