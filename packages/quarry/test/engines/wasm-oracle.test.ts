import { WasmEngine } from "#src/engines/wasm/engine.js";
import { oracle } from "./oracle.js";

oracle({ wasm: new WasmEngine() }, 300);
