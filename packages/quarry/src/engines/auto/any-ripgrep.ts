import type { SearchEngine } from "../../search/engine.js";
import type { RipgrepOptions } from "../ripgrep/engine.js";
import { FirstAble } from "./first-able.js";
import { LateEngine } from "./late.js";

/** ripgrep as a program. */
export function lateRipgrep(options: RipgrepOptions = {}): SearchEngine {
  return new LateEngine("ripgrep", async () => new (await import("../ripgrep/engine.js")).RipgrepEngine(options));
}

/** ripgrep as WebAssembly. */
export function lateWasm(): SearchEngine {
  return new LateEngine("wasm", async () => new (await import("../wasm/engine.js")).WasmEngine());
}

/** ripgrep as a program, or as WebAssembly where none can be started. */
export function anyRipgrep(program: SearchEngine = lateRipgrep()): SearchEngine {
  return new FirstAble([program, lateWasm()]);
}
