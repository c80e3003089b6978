import { AutoEngine } from "#src/engines/auto/engine.js";
import { oracle } from "./oracle.js";

oracle("auto", () => new AutoEngine(), 20);
oracle("auto without a program", () => new AutoEngine({ binary: "/nowhere/rg" }), 20);
