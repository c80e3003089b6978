import { AutoEngine } from "#src/engines/auto/engine.js";
import { oracle } from "./rg-answers.js";

oracle({ auto: new AutoEngine(), "auto without a program": new AutoEngine({ binary: "/nowhere/rg" }) }, 20);
