import { AutoEngine } from "#src/engines/auto/engine.js";
import { oracle } from "./oracle.js";

oracle({ auto: new AutoEngine(), "auto without a program": new AutoEngine({ binary: "/nowhere/rg" }) }, 20);
