/**
 * An engine's worker (`engine=wasm`; the kernel's where absent) with a fault, chosen by its data, in the form of a query:
 * `dies=N`: ends in the middle of the Nth read of a searched file; `hangs=N`: waits there for ever, where it can be ended; `stuck=N`: the
 * same inside the system, where it cannot, until somebody opens the pipe `pipe=FILE` for writing; `eats=N`: takes memory there until there
 * is none. N = 0: before it can take work. `once=FILE`: only in the first worker that gets there, which makes the file. `tell=FOLDER`: whoever fails
 * makes a file there.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { threadId, workerData } from "node:worker_threads";

const options = new URLSearchParams(workerData as string);
const readSync = fs.readSync;
const FAULTS = ["dies", "hangs", "stuck", "eats"] as const;
let reads = 0;

failOn(reads);
await import(`#src/engines/${options.get("engine") ?? "kernel"}/worker.js`);
// Node reads modules by the same function: what is counted begins behind them.
fs.readSync = ((...args: Parameters<typeof readSync>): number => {
  reads += 1;
  failOn(reads);
  return readSync(...args);
}) as typeof readSync;
syncBuiltinESMExports();

function failOn(read: number): void {
  for (const fault of FAULTS) if (options.has(fault) && Number(options.get(fault)) === read && first()) fail(fault);
}

function first(): boolean {
  const marker = options.get("once");
  if (marker === null) return true;
  try {
    fs.closeSync(fs.openSync(marker, "wx"));
    return true;
  } catch {
    return false; // Another one was first.
  }
}

function fail(fault: (typeof FAULTS)[number]): void {
  if (options.has("tell")) fs.writeFileSync(`${options.get("tell")}/${threadId}`, "");
  if (fault === "dies") process.exit(1);
  if (fault === "hangs") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  if (fault === "stuck") return fs.closeSync(fs.openSync(options.get("pipe") ?? "", fs.constants.O_RDONLY));
  const eaten: number[][] = [];
  for (;;) eaten.push(new Array<number>(500_000).fill(eaten.length + 0.5));
}
