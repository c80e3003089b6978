import type { SearchEngine } from "../../search/engine.js";
import { LateEngine } from "./late.js";

/** The indexes of a user. */
export interface Indexes {
  /** A folder that this user alone may enter; null where there is none. Asked when it is needed. */
  readonly folder: () => string | null;
  /** What is missing or too old is built beside the searches, by these limits; nothing is where absent. */
  readonly build?: {
    /** The folder, made where it is missing. @throws what the system says. */
    readonly makeFolder: () => string;
    readonly minFiles: number;
    readonly maxBytes: number;
  };
}

/** The kernel over the indexes of a user. */
export function lateIndex(fallback: SearchEngine, indexes: Indexes | null): SearchEngine {
  return new LateEngine("index", async () => {
    const { IndexEngine } = await import("../index/engine.js");
    const { IndexStore } = await import("../index/store.js");
    const folder = indexes?.folder ?? (() => null);
    const build = indexes?.build;
    if (build === undefined) return new IndexEngine({ fallback, folder });
    const { BackgroundBuilds } = await import("../index/background.js");
    const background = new BackgroundBuilds(() => new IndexStore(build.makeFolder()), build.maxBytes);
    return new IndexEngine({ fallback, folder, background, minFiles: build.minFiles, watches: true });
  });
}
