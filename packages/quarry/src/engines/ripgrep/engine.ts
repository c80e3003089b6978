import { QuarryError } from "../../errors/errors.js";
import type { EngineReport, EngineStatus, HitSink, SearchEngine, SearchJob } from "../../search/engine.js";
import { checkPattern } from "../../search/pattern.js";
import { findBinary, probe, type Binary } from "./binary.js";
import { processHost } from "./process-host.js";
import { Search } from "./search.js";

export interface RipgrepOptions {
  /** A program to use in place of the packaged one: an absolute path. */
  readonly binary?: string;
}

/**
 * ripgrep as a child process: the packaged binary, arguments only, its input closed, nothing of the environment. It opens
 * files by itself, so its hits are proposals (`guarded: false`).
 */
export class RipgrepEngine implements SearchEngine {
  readonly name = "ripgrep";
  readonly #given: string | null;

  constructor(options: RipgrepOptions = {}) {
    this.#given = options.binary ?? null;
  }

  async status(): Promise<EngineStatus> {
    return probe(await this.#binary());
  }

  /**
   * @throws QuarryError INVALID_PATTERN; INVALID_ARGUMENT for an unknown encoding; ENGINE_UNAVAILABLE where the program cannot
   * be started; SEARCH_FAILED where none of its processes did any work. An error of the sink or the walker is thrown on.
   */
  async search(job: SearchJob, sink: HitSink): Promise<EngineReport> {
    checkPattern(job.query);
    const binary = await this.#binary();
    if ("problem" in binary) throw new QuarryError("ENGINE_UNAVAILABLE", binary.problem);
    return new Search(processHost(binary.path), job, sink).run();
  }

  #binary(): Promise<Binary> {
    return findBinary(this.#given);
  }
}
