import { KernelEngine } from "#src/engines/kernel/engine.js";
import { RipgrepEngine } from "#src/engines/ripgrep/engine.js";
import { oracle } from "./oracle.js";

oracle({ kernel: new KernelEngine({ fallback: new RipgrepEngine() }) }, 300);
