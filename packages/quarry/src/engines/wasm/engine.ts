import os from "node:os";
import { QuarryError } from "../../errors/errors.js";
import type { EngineReport, EngineStatus, HitSink, SearchEngine, SearchJob } from "../../search/engine.js";
import { checkPattern } from "../../search/pattern.js";
import type { RipgrepHost } from "../ripgrep/host.js";
import { Search } from "../ripgrep/search.js";
import { WorkerPool } from "../workers/pool.js";
import { ripgrepModule, WASM_RIPGREP_VERSION } from "./bytes.js";
import { cutByCount, servedPlaces } from "./places.js";
import { WasmRun } from "./run.js";

const IDLE_MS = 8_000;
/** Of JavaScript's objects in one worker; the machine's memory is not among them. */
const WORKER_HEAP_MB = 128;
/** For second questions about single files, which a run that waits for them keeps from its own worker. */
const ASIDE_WORKERS = 2;

/** A pool of workers for this engine. The process has one, which all engines of this kind share. */
export function wasmPool(size: number, idleMs = IDLE_MS): WorkerPool {
  return new WorkerPool({
    script: new URL("./worker.js", import.meta.url),
    size,
    idleMs,
    resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MB },
  });
}

let shared: { readonly main: WorkerPool; readonly aside: WorkerPool } | null = null;

export interface WasmOptions {
  /** The workers; those of the process where absent. */
  readonly pool?: WorkerPool;
}

/**
 * ripgrep as WebAssembly in worker threads: no process, and no file but those that it is given, opened through the guard
 * (`guarded: true`). It is one version ahead of the packaged program; `test/engines/wasm-version.test.ts` lists what differs.
 */
export class WasmEngine implements SearchEngine {
  readonly name = "wasm";
  readonly #host: RipgrepHost;

  constructor(options: WasmOptions = {}) {
    shared ??= { main: wasmPool(os.availableParallelism()), aside: wasmPool(ASIDE_WORKERS) };
    const main = options.pool ?? shared.main;
    const { aside } = shared;
    this.#host = {
      guarded: true,
      cut: cutByCount,
      places: servedPlaces,
      start: (launch) => new WasmRun(launch, launch.input === null ? main : aside, ripgrepModule()),
    };
  }

  async status(): Promise<EngineStatus> {
    try {
      await ripgrepModule();
      return {
        available: true,
        detail: `ripgrep ${WASM_RIPGREP_VERSION} as WebAssembly, ${os.availableParallelism()} workers`,
      };
    } catch (error) {
      if (!(error instanceof QuarryError)) throw error;
      return { available: false, detail: error.message };
    }
  }

  /** @throws QuarryError as the `ripgrep` engine; ENGINE_UNAVAILABLE for a pattern that needs PCRE2, which is not in it. */
  async search(job: SearchJob, sink: HitSink): Promise<EngineReport> {
    checkPattern(job.query);
    if (job.query.pcre2)
      throw new QuarryError(
        "ENGINE_UNAVAILABLE",
        "look-around and backreferences need the ripgrep program; the wasm engine has no PCRE2",
      );
    await ripgrepModule();
    return new Search(this.#host, job, sink).run();
  }
}
