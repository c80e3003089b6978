import type { EngineReport, EngineStatus, HitSink, SearchEngine, SearchJob } from "../../search/engine.js";
import { planQuery } from "../kernel/plan.js";
import { anyRipgrep, lateRipgrep } from "./any-ripgrep.js";
import { LateEngine } from "./late.js";

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
    const ripgrep = lateRipgrep(options);
    const rest = anyRipgrep(ripgrep);
    this.#ripgrep = ripgrep;
    this.#rest = rest;
    this.#kernel = new LateEngine("kernel", async () => {
      const { KernelEngine } = await import("../kernel/engine.js");
      return new KernelEngine({ fallback: rest });
    });
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
