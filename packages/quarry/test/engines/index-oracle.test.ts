import { RipgrepEngine } from "#src/engines/ripgrep/engine.js";
import { IndexedEngine } from "./indexed.js";
import { oracle } from "./oracle.js";

oracle({ index: new IndexedEngine(new RipgrepEngine()) }, 300);
