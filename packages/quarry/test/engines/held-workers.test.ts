import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { KernelEngine } from "#src/engines/kernel/engine.js";
import { RipgrepEngine } from "#src/engines/ripgrep/engine.js";
import { WasmEngine } from "#src/engines/wasm/engine.js";
import { WorkerPool } from "#src/engines/workers/pool.js";
import { QuarryError } from "#src/errors/errors.js";
import type { SearchEngine } from "#src/search/engine.js";
import { makeHold } from "../support/held.js";
import { eventually } from "../support/mcp.js";
import { makeTree } from "../support/tree.js";
import { ask, makePlace, run, type Place } from "./place.js";

const ripgrep = new RipgrepEngine();
const ENGINES = {
  kernel: (pool: WorkerPool): SearchEngine => new KernelEngine({ fallback: ripgrep, pool }),
  wasm: (pool: WorkerPool): SearchEngine => new WasmEngine({ pool }),
} as const;

/** A pool of one worker with a fault, see `failing-worker.ts`. */
function failing(fault: Readonly<Record<string, string>>, startMs?: number): WorkerPool {
  const script = new URL("./failing-worker.js", import.meta.url);
  const data = new URLSearchParams(fault).toString();
  return new WorkerPool({ script, data, size: 1, idleMs: 300, ...(startMs === undefined ? {} : { startMs }) });
}

const place: Place = await makePlace(
  Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`f${String(i).padStart(2, "0")}`, "a needle\n"])),
);

async function isComplete(engine: SearchEngine): Promise<void> {
  const { found, report } = await run(engine, place, ask("needle"));
  assert.deepEqual(
    found.map((f) => f.path),
    place.files,
  );
  assert.deepEqual([report.filesSearched, report.incomplete], [60, null]);
}

/** Begins a search, and ends it once a worker is held. */
async function aborted(engine: SearchEngine, held: () => boolean): Promise<void> {
  const abort = new AbortController();
  const searching = run(engine, place, ask("needle"), { signal: abort.signal });
  await eventually(held, 20_000, "a worker is held");
  const started = performance.now();
  abort.abort();
  assert.equal((await searching).report.incomplete, "cancelled");
  assert.ok(performance.now() - started < 5_000, "it settles at once");
}

for (const engine of ["kernel", "wasm"] as const) {
  test(`fault-53: ${engine}: an aborted search settles though the system holds its worker, and the next has another`, async () => {
    const hold = makeHold();
    const marker = join(makeTree({}), "marker");
    const pool = failing({ engine, stuck: "5", pipe: hold.pipe, once: marker });
    try {
      await aborted(ENGINES[engine](pool), () => existsSync(marker));
      assert.deepEqual([pool.alive, pool.stuck], [0, 1]);
      await isComplete(ENGINES[engine](pool));
    } finally {
      hold.release();
    }
    await eventually(() => pool.stuck === 0, 5_000, "a thread that the system lets go ends");
    await eventually(() => pool.alive === 0, 5_000, "no other is left");
  });

  test(`${engine}: a worker that does not come to its start is replaced`, async () => {
    for (const fault of engine === "kernel" ? ["stuck", "hangs"] : ["stuck"]) {
      const hold = makeHold();
      const once = join(makeTree({}), "marker");
      const pool = failing({ engine, [fault]: "0", pipe: hold.pipe, once }, 2_500);
      try {
        // One engine tries again of itself; with the other the next search does.
        await run(ENGINES[engine](pool), place, ask("needle")).catch((error: unknown) => {
          assert.ok(error instanceof QuarryError && error.code === "SEARCH_FAILED", String(error));
        });
        await eventually(
          () => pool.stuck === (fault === "stuck" ? 1 : 0),
          5_000,
          "a thread is left where none can end it",
        );
        await isComplete(ENGINES[engine](pool));
      } finally {
        hold.release();
      }
      await eventually(() => pool.stuck === 0 && pool.alive === 0, 5_000, "no thread is left");
    }
  });
}

test("as many threads as the system may hold are held: no more are made, another engine answers; then they are made again", async () => {
  const hold = makeHold();
  const tell = makeTree({});
  const pool = failing({ stuck: "1", pipe: hold.pipe, tell });
  const engine = ENGINES.kernel(pool);
  try {
    for (let i = 1; i <= 4; i++) {
      await aborted(engine, () => readdirSync(tell).length === i);
      assert.deepEqual([pool.alive, pool.stuck], [0, i]);
    }
    await isComplete(engine);
    assert.deepEqual([pool.alive, pool.stuck], [0, 4]);
  } finally {
    hold.release();
  }
  await eventually(() => pool.stuck === 0, 5_000, "they end");
});
