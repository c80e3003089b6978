import { RipgrepEngine } from "#src/engines/ripgrep/engine.js";
import { conformance } from "./conformance.js";
import { IndexedEngine } from "./indexed.js";

conformance("index", () => new IndexedEngine(new RipgrepEngine(), true));
