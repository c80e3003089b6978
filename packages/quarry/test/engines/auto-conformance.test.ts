import { AutoEngine } from "#src/engines/auto/engine.js";
import { conformance } from "./conformance.js";

conformance("auto", () => new AutoEngine());
