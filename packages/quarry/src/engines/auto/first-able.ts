import { QuarryError } from "../../errors/errors.js";
import type { EngineName, EngineReport, EngineStatus, HitSink, SearchEngine, SearchJob } from "../../search/engine.js";
import { Replay } from "./replay.js";

/** Asks engines in turn, until one can run. An engine that has reported anything is not replaced any more. */
export class FirstAble implements SearchEngine {
  readonly name: EngineName | "auto";
  readonly #engines: readonly SearchEngine[];

  /** @param engines never empty; the preferred one first. */
  constructor(engines: readonly [SearchEngine, ...SearchEngine[]]) {
    this.name = engines[0].name;
    this.#engines = engines;
  }

  async status(): Promise<EngineStatus> {
    const all = await Promise.all(this.#engines.map((engine) => engine.status()));
    return all.find((one) => one.available) ?? { available: false, detail: all.map((one) => one.detail).join("; ") };
  }

  /**
   * @returns the report of the engine that answered, with its name, and why those before it did not.
   * @throws QuarryError ENGINE_UNAVAILABLE where none can run, with each one's reason; otherwise what the engine that ran throws.
   */
  async search(job: SearchJob, sink: HitSink): Promise<EngineReport> {
    const replay = new Replay(job.batches);
    const reasons: string[] = [];
    let reported = false;
    try {
      for (const engine of this.#engines) {
        try {
          const report = await engine.search({ ...job, batches: replay.batches() }, (found) => {
            reported = true;
            replay.forget();
            return sink(found);
          });
          return {
            answeredBy: engine.name,
            ...report,
            ...(reasons.length > 0 ? { fallback: reasons.join("; ") } : {}),
          };
        } catch (error) {
          if (!isUnable(error) || reported || replay.failed || job.signal.aborted) throw error;
          reasons.push(`${engine.name}: ${error.message}`);
          if (!replay.whole || this.#engines.length === 1) throw error;
        }
      }
    } finally {
      replay.close();
    }
    throw new QuarryError("ENGINE_UNAVAILABLE", `no engine can answer this: ${reasons.join("; ")}`);
  }
}

function isUnable(error: unknown): error is QuarryError {
  return error instanceof QuarryError && (error.code === "ENGINE_UNAVAILABLE" || error.code === "SEARCH_FAILED");
}
