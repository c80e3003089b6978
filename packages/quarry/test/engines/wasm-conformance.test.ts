import { WasmEngine } from "#src/engines/wasm/engine.js";
import { conformance } from "./conformance.js";

conformance("wasm", () => new WasmEngine());
