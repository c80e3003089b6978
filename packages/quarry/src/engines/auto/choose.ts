import type { SearchEngine } from "../../search/engine.js";
import { LocalBashExecutor } from "../../executors/local.js";
import { BashEngine } from "../bash/engine.js";
import { KernelEngine } from "../kernel/engine.js";
import { RipgrepEngine } from "../ripgrep/engine.js";
import { WasmEngine } from "../wasm/engine.js";
import { AutoEngine, anyRipgrep } from "./engine.js";

/** Makes the engine of a choice: `auto` or one of `ENGINE_NAMES`. */
export function makeEngine(choice: SearchEngine["name"]): SearchEngine {
  switch (choice) {
    case "auto":
      return new AutoEngine();
    case "ripgrep":
      return new RipgrepEngine();
    case "kernel":
      return new KernelEngine({ fallback: anyRipgrep() });
    case "wasm":
      return new WasmEngine();
    case "bash":
      return new BashEngine(new LocalBashExecutor({ workdir: process.cwd() }));
  }
}
