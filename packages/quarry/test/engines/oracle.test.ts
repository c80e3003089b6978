import { KernelEngine } from "#src/engines/kernel/engine.js";
import { RipgrepEngine } from "#src/engines/ripgrep/engine.js";
import { WasmEngine } from "#src/engines/wasm/engine.js";
import { FULL } from "../support/cases.js";
import { IndexedEngine } from "./indexed.js";
import { oracle } from "./rg-answers.js";

const ripgrep = new RipgrepEngine();
const wasm = new WasmEngine();
const kernel = new KernelEngine({ fallback: wasm });
// One answer of rg for all of them. What the kernel hands on stays in the process. The index finds with the kernel.
oracle(FULL ? { ripgrep, kernel, index: new IndexedEngine(wasm), wasm } : { ripgrep, kernel, wasm }, 300);
// The engine that all others are measured by: 500 in all.
oracle({ ripgrep }, 200);
