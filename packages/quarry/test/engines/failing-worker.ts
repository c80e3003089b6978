/**
 * An engine's worker (`engine=wasm`; the kernel's where absent) with a fault, chosen by its data, in the form of a query:
 * `dies=N`: ends in the middle of the Nth read of a file; `hangs=N`: never comes back from it; `eats=N`: takes memory there until there is
 * none. `once=FILE`: only in the first worker that gets there, which makes the file.
 */
import fs from "node:fs";
import { workerData } from "node:worker_threads";

const options = new URLSearchParams(workerData as string);
const readSync = fs.readSync;
let reads = 0;

fs.readSync = ((...args: Parameters<typeof readSync>): number => {
  reads += 1;
  for (const fault of ["dies", "hangs", "eats"] as const) {
    if (Number(options.get(fault)) === reads && first()) fail(fault);
  }
  return readSync(...args);
}) as typeof readSync;

await import(`#src/engines/${options.get("engine") ?? "kernel"}/worker.js`);

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

function fail(fault: "dies" | "hangs" | "eats"): void {
  if (fault === "dies") process.exit(1);
  if (fault === "hangs") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  const eaten: number[][] = [];
  for (;;) eaten.push(new Array<number>(500_000).fill(eaten.length + 0.5));
}
