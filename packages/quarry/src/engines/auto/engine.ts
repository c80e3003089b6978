import type { EngineReport, EngineStatus, FileBatch, HitSink, SearchEngine, SearchJob } from "../../search/engine.js";
import { planQuery } from "../kernel/plan.js";
import { anyRipgrep, lateRipgrep } from "./any-ripgrep.js";
import { FirstAble } from "./first-able.js";
import { LateEngine } from "./late.js";
import { lateIndex, type Indexes } from "./late-index.js";

/** As many files a program searches sooner than workers start. */
const FEW_FILES = 2_000;
/** Questions about few files after which workers are worth their start. */
const FIRST_QUESTIONS = 3;

export interface AutoOptions {
  /** As `RipgrepEngine`'s. */
  readonly binary?: string;
  /** As in `EngineOptions`. */
  readonly indexes?: Indexes;
}

/**
 * The engine that fits the question: the kernel (over the index, where there is one) where it answers by itself, which is at every size faster
 * than to start a program, but for the first questions about few files, since workers take longer to start; otherwise ripgrep, as a program
 * where one can be started, as WebAssembly elsewhere. All give the same answer.
 */
export class AutoEngine implements SearchEngine {
  readonly name = "auto";
  readonly #kernel: SearchEngine;
  readonly #indexes: Indexes | null;
  #index: SearchEngine | null = null;
  readonly #ripgrep: SearchEngine;
  readonly #rest: SearchEngine;
  /** For the first questions. */
  readonly #programFirst: SearchEngine;
  #few = 0;
  #large = false;

  constructor(options: AutoOptions = {}) {
    const ripgrep = lateRipgrep(options);
    const rest = anyRipgrep(ripgrep);
    this.#indexes = options.indexes ?? null;
    this.#ripgrep = ripgrep;
    this.#rest = rest;
    this.#kernel = new LateEngine("kernel", async () => {
      const { KernelEngine } = await import("../kernel/engine.js");
      return new KernelEngine({ fallback: rest });
    });
    this.#programFirst = new FirstAble([ripgrep, this.#kernel]);
  }

  status(): Promise<EngineStatus> {
    return this.#kernel.status();
  }

  /** @throws QuarryError as the engine that answers; ENGINE_UNAVAILABLE where none can. */
  async search(job: SearchJob, sink: HitSink): Promise<EngineReport> {
    if (job.query.pcre2) return { answeredBy: "ripgrep", ...(await this.#ripgrep.search(job, sink)) };
    if (planQuery(job.query) === null) return this.#rest.search(job, sink);
    if (this.#large || this.#few >= FIRST_QUESTIONS) return this.#byKernel(job, sink);
    const { few, batches } = await peek(job.batches);
    if (few) this.#few += 1;
    else this.#large = true;
    if (!few) return this.#byKernel({ ...job, batches }, sink);
    const { fallback, ...report } = await this.#programFirst.search({ ...job, batches }, sink);
    // The kernel needs no program: where there is none, nothing is missed.
    return fallback === undefined || report.answeredBy === "kernel" ? report : { ...report, fallback };
  }

  async #byKernel(job: SearchJob, sink: HitSink): Promise<EngineReport> {
    return { answeredBy: "kernel", ...(await this.#fast().search(job, sink)) };
  }

  /** The kernel; with the indexes from when there may be some. */
  #fast(): SearchEngine {
    const indexes = this.#indexes;
    if (indexes === null || (indexes.build === undefined && indexes.folder() === null)) return this.#kernel;
    return (this.#index ??= lateIndex(this.#rest, indexes));
  }
}

/** Reads ahead until it is known whether there are few files. */
async function peek(
  source: AsyncIterable<FileBatch>,
): Promise<{ readonly few: boolean; readonly batches: AsyncIterable<FileBatch> }> {
  const iterator = source[Symbol.asyncIterator]();
  const read: FileBatch[] = [];
  let files = 0;
  let done = false;
  while (files <= FEW_FILES) {
    const next = await iterator.next();
    done = next.done === true;
    if (next.done === true) break;
    read.push(next.value);
    files += next.value.files.length;
  }
  async function* again(): AsyncGenerator<FileBatch> {
    try {
      yield* read;
      while (!done) {
        const next = await iterator.next();
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      await iterator.return?.();
    }
  }
  return { few: done, batches: again() };
}
