import { QuarryError } from "../../errors/errors.js";
import type { EngineReport, FileBatch, FileHits, SearchEngine, SearchJob } from "../../search/engine.js";
import type { RelPath } from "../../paths/path.js";
import type { Target } from "../../workspace/mount.js";

/** A file in the order of the search. */
export interface Place {
  readonly target: Target;
  readonly path: RelPath;
}

/**
 * Lets another engine search single files, in order.
 * @param sink as in `SearchEngine.search`.
 * @returns the engine's report; where it cannot do it, one that says that these files were not searched.
 * @throws what the sink throws; QuarryError INVALID_PATTERN.
 */
export async function searchElsewhere(
  engine: SearchEngine,
  job: SearchJob,
  signal: AbortSignal,
  places: readonly Place[],
  sink: (found: FileHits) => boolean | Promise<boolean>,
): Promise<EngineReport> {
  try {
    return await engine.search({ query: job.query, parallel: job.parallel, signal, batches: batchesOf(places) }, sink);
  } catch (error) {
    if (!(error instanceof QuarryError) || (error.code !== "ENGINE_UNAVAILABLE" && error.code !== "SEARCH_FAILED"))
      throw error;
    const files = places.length === 1 ? "1 file needs" : `${places.length} files need`;
    return {
      filesSearched: 0,
      binary: 0,
      unreadable: [],
      incomplete: "engine",
      reason: `${files} another engine: ${error.message}`,
    };
  }
}

async function* batchesOf(places: readonly Place[]): AsyncGenerator<FileBatch> {
  for (let from = 0; from < places.length;) {
    const { target } = places[from] as Place;
    let to = from;
    while (to < places.length && (places[to] as Place).target === target) to += 1;
    yield { target, files: places.slice(from, to).map((place) => place.path), trees: [] };
    from = to;
  }
}
