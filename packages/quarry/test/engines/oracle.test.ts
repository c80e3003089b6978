import { KernelEngine } from "#src/engines/kernel/engine.js";
import { RipgrepEngine } from "#src/engines/ripgrep/engine.js";
import { WasmEngine } from "#src/engines/wasm/engine.js";
import { IndexedEngine } from "./indexed.js";
import { oracle } from "./rg-answers.js";

const ripgrep = new RipgrepEngine();
const wasm = new WasmEngine();
// One answer of rg for all four. What the kernel hands on stays in the process.
oracle({ ripgrep, kernel: new KernelEngine({ fallback: wasm }), index: new IndexedEngine(wasm), wasm }, 300);
// The engine that all others are measured by: 500 in all.
oracle({ ripgrep }, 200);
