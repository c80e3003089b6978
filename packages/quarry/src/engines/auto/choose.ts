import type { SearchEngine } from "../../search/engine.js";
import { anyRipgrep, lateRipgrep, lateWasm } from "./any-ripgrep.js";
import { LateEngine } from "./late.js";

/** Makes the engine of a choice: `auto` or one of `ENGINE_NAMES`. */
export function makeEngine(choice: SearchEngine["name"]): SearchEngine {
  switch (choice) {
    case "auto":
      return new LateEngine(choice, async () => new (await import("./engine.js")).AutoEngine());
    case "ripgrep":
      return lateRipgrep();
    case "kernel":
      return new LateEngine(choice, async () => {
        const { KernelEngine } = await import("../kernel/engine.js");
        return new KernelEngine({ fallback: anyRipgrep() });
      });
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
