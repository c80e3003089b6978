import { RipgrepEngine } from "#src/engines/ripgrep/engine.js";
import { conformance } from "./conformance.js";

conformance("ripgrep", () => new RipgrepEngine());
