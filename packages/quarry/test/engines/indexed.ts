import { IndexEngine } from "#src/engines/index/engine.js";
import { IndexStore } from "#src/engines/index/store.js";
import type { EngineReport, FileBatch, SearchEngine } from "#src/search/engine.js";
import type { Target } from "#src/workspace/mount.js";
import { buildOf, indexFolder } from "./index-place.js";

/** The index engine, which builds the index of each folder before its first search. */
export class IndexedEngine implements SearchEngine {
  readonly name = "index";
  readonly store: IndexStore;
  readonly #engine: IndexEngine;
  readonly #built = new Map<string, Promise<void>>();
  /** Searches that an index answered. */
  answered = 0;

  readonly #closes: boolean;

  /** @param closes what it has open after each search; one at a time then. */
  constructor(fallback: SearchEngine, closes = false) {
    this.#closes = closes;
    const folder = indexFolder();
    this.store = new IndexStore(folder);
    this.#engine = new IndexEngine({ fallback, folder: () => folder });
  }

  status(): ReturnType<SearchEngine["status"]> {
    return this.#engine.status();
  }

  async search(
    job: Parameters<SearchEngine["search"]>[0],
    sink: Parameters<SearchEngine["search"]>[1],
  ): Promise<EngineReport> {
    try {
      const report = await this.#engine.search({ ...job, batches: this.#indexed(job.batches) }, sink);
      if (report.answeredBy === "index") this.answered += 1;
      return report;
    } finally {
      if (this.#closes) await this.#engine.close();
    }
  }

  async *#indexed(batches: AsyncIterable<FileBatch>): AsyncGenerator<FileBatch> {
    for await (const batch of batches) {
      await this.build(batch.target);
      yield batch;
    }
  }

  /** Once for each folder. */
  async build(target: Target): Promise<void> {
    const { hostRoot } = target.mount;
    let built = this.#built.get(hostRoot);
    if (built === undefined) {
      built = buildOf({ root: hostRoot, target, files: [] }, this.store).then((outcome) => {
        if (!outcome.built) throw new Error(outcome.reason);
      });
      this.#built.set(hostRoot, built);
    }
    await built;
  }
}
