import type { EngineReport, EngineStatus, HitSink, SearchEngine, SearchJob } from "../../search/engine.js";
import { KernelEngine } from "../kernel/engine.js";
import { planQuery } from "../kernel/plan.js";
import { RipgrepEngine } from "../ripgrep/engine.js";
import { WasmEngine } from "../wasm/engine.js";
import { FirstAble } from "./first-able.js";

export interface AutoOptions {
  /** As `RipgrepEngine`'s. */
  readonly binary?: string;
}

/**
 * The engine that fits the question: the kernel where it answers by itself, which is at every size faster than to start a program;
 * otherwise ripgrep, as a program where one can be started, as WebAssembly elsewhere. All give the same answer.
 */
export class AutoEngine implements SearchEngine {
  readonly name = "auto";
  readonly #kernel: SearchEngine;
  readonly #ripgrep: SearchEngine;
  readonly #rest: SearchEngine;

  constructor(options: AutoOptions = {}) {
    this.#ripgrep = new RipgrepEngine(options);
    this.#rest = anyRipgrep(this.#ripgrep);
    this.#kernel = new KernelEngine({ fallback: this.#rest });
  }

  status(): Promise<EngineStatus> {
    return this.#kernel.status();
  }

  /** @throws QuarryError as the engine that answers; ENGINE_UNAVAILABLE where none can. */
  async search(job: SearchJob, sink: HitSink): Promise<EngineReport> {
    if (job.query.pcre2) return { answeredBy: "ripgrep", ...(await this.#ripgrep.search(job, sink)) };
    if (planQuery(job.query) === null) return this.#rest.search(job, sink);
    return { answeredBy: "kernel", ...(await this.#kernel.search(job, sink)) };
  }
}

/** ripgrep as a program, or as WebAssembly where none can be started. */
export function anyRipgrep(program: SearchEngine = new RipgrepEngine()): SearchEngine {
  return new FirstAble([program, new WasmEngine()]);
}
