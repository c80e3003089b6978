import { RipgrepEngine } from "#src/engines/ripgrep/engine.js";
import { oracle } from "./oracle.js";

oracle({ ripgrep: new RipgrepEngine() }, 300);
