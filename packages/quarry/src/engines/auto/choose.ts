import type { SearchEngine } from "../../search/engine.js";
import { anyRipgrep, lateRipgrep, lateWasm } from "./any-ripgrep.js";
import { LateEngine } from "./late.js";
import { lateIndex, type Indexes } from "./late-index.js";

export interface EngineOptions {
  readonly indexes?: Indexes;
}

/** Makes the engine of a choice: `auto` or one of `ENGINE_NAMES`. */
export function makeEngine(choice: SearchEngine["name"], options: EngineOptions = {}): SearchEngine {
  switch (choice) {
    case "auto":
      return new LateEngine(choice, async () => new (await import("./engine.js")).AutoEngine(options));
    case "ripgrep":
      return lateRipgrep();
    case "kernel":
      return new LateEngine(choice, async () => {
        const { KernelEngine } = await import("../kernel/engine.js");
        return new KernelEngine({ fallback: anyRipgrep() });
      });
    case "index":
      return lateIndex(anyRipgrep(), options.indexes ?? null);
    case "wasm":
      return lateWasm();
    case "bash":
      return new LateEngine(choice, async () => {
        const { BashEngine } = await import("../bash/engine.js");
        const { LocalBashExecutor } = await import("../../executors/local.js");
        return new BashEngine(new LocalBashExecutor({ workdir: process.cwd() }));
      });
  }
}
