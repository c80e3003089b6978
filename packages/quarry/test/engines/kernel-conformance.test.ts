import { KernelEngine } from "#src/engines/kernel/engine.js";
import { RipgrepEngine } from "#src/engines/ripgrep/engine.js";
import { conformance } from "./conformance.js";

conformance("kernel", () => new KernelEngine({ fallback: new RipgrepEngine() }));
