import type { SearchEngine } from "../../search/engine.js";
import { LateEngine } from "./late.js";

/** The kernel over the indexes in a folder. */
export function lateIndex(fallback: SearchEngine, folder: string | null): SearchEngine {
  return new LateEngine("index", async () => {
    const { IndexEngine } = await import("../index/engine.js");
    return new IndexEngine({ fallback, folder });
  });
}
