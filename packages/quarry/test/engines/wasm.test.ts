import assert from "node:assert/strict";
import fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { WasmEngine, wasmPool } from "#src/engines/wasm/engine.js";
import { WorkerPool } from "#src/engines/workers/pool.js";
import { QuarryError } from "#src/errors/errors.js";
import { eventually } from "../support/mcp.js";
import { makeTree } from "../support/tree.js";
import { ask, children, descriptors, makePlace, run, type Place } from "./place.js";

/** A pool whose workers have a fault, see `failing-worker.ts`. */
function failing(fault: string, size = 2, heapMb = 64): WorkerPool {
  const script = new URL("./failing-worker.js", import.meta.url);
  const resourceLimits = { maxOldGenerationSizeMb: heapMb };
  return new WorkerPool({ script, data: `engine=wasm&${fault}`, size, idleMs: 300, resourceLimits });
}

/** 300 files, of which every third has two lines that match. */
function many(): Promise<Place> {
  const file = (i: number): [string, string] => [
    `d${i % 7}/f${String(i).padStart(3, "0")}`,
    i % 3 === 0 ? "a needle\nno\nneedle\n" : "no\n",
  ];
  return makePlace(Object.fromEntries(Array.from({ length: 300 }, (_, i) => file(i))));
}

async function isComplete(engine: WasmEngine, place: Place): Promise<void> {
  const { found, report } = await run(engine, place, ask("needle"));
  assert.deepEqual(
    found.map((f) => f.path),
    place.files.filter((f) => Number(f.slice(-3)) % 3 === 0),
  );
  assert.ok(found.every((f) => f.lines.join() === "1:2:a needle,3:0:needle"));
  assert.deepEqual([report.filesSearched, report.incomplete, report.unreadable], [300, null, []]);
}

test("no process is started, and the files come through the guard", async () => {
  const place = await makePlace({ a: "x\n", b: "x\n", "c/d": "x\n", "c/e": "x\n" });
  fs.rmSync(join(place.root, "b"));
  fs.symlinkSync("/etc/passwd", join(place.root, "b"));
  fs.rmSync(join(place.root, "c/e"));
  const seen: string[] = [];
  const { report } = await run(new WasmEngine(), place, ask("x"), {
    sink: (file) => {
      assert.equal(file.guarded, true);
      seen.push(file.path);
      assert.deepEqual(children(), []);
      return true;
    },
  });
  assert.deepEqual(seen, ["a", "c/d"]);
  assert.deepEqual([report.filesSearched, report.incomplete], [2, "unreadable"]);
  assert.deepEqual(
    report.unreadable.map((one) => one.path),
    ["b", "c/e"],
  );
});

test("fault-12: a worker that ends in the middle of a file: what it had not done is searched again, once each", async () => {
  const place = await many();
  const before = descriptors();
  for (const nth of [1, 20, 250]) {
    const pool = failing(`dies=${nth}&once=${join(makeTree({}), "marker")}`);
    await isComplete(new WasmEngine({ pool }), place);
  }
  await eventually(() => descriptors() <= before, 5_000, "no file of a worker that was lost is left open");
});

test("a worker out of memory: what it had not done is searched again", async () => {
  const pool = failing(`eats=30&once=${join(makeTree({}), "marker")}`);
  await isComplete(new WasmEngine({ pool }), await many());
});

test("fault-12, fault-62: where every worker ends, that is an error and no empty answer", async () => {
  const place = await many();
  await assert.rejects(
    run(new WasmEngine({ pool: failing("dies=1") }), place, ask("needle")),
    (error: unknown) =>
      error instanceof QuarryError && error.code === "SEARCH_FAILED" && !error.message.includes(place.root),
  );
});

test("fault-53: an abort ends a worker that does not come back", async () => {
  const place = await many();
  const marker = join(makeTree({}), "marker");
  const pool = failing(`hangs=5&once=${marker}`, 1);
  const abort = new AbortController();
  const searching = run(new WasmEngine({ pool }), place, ask("needle"), { signal: abort.signal });
  await eventually(() => fs.existsSync(marker), 5_000, "it hangs");
  const started = performance.now();
  abort.abort();
  assert.equal((await searching).report.incomplete, "cancelled");
  assert.ok(performance.now() - started < 5_000);
  assert.equal(pool.alive, 0, "the worker is gone");
});

test("more memory than a machine may have: the file is named as not searched, the others are", async () => {
  const place = await makePlace({ a: "aa\n", b: "a".repeat(40_000_000), c: "aa\n" });
  const { found, report } = await run(new WasmEngine(), place, ask("a", { multiline: true }));
  assert.deepEqual(
    found.map((f) => f.path),
    ["a", "c"],
  );
  assert.deepEqual([report.filesSearched, report.incomplete], [2, "engine"]);
  assert.match(report.reason ?? "", /needs too much memory for a file of this size/);
});

test("fault-65: a line with millions of matches is one hit, in bounded memory", async () => {
  const place = await makePlace({ a: "aa\n", b: `${"ab".repeat(15_000_000)}\n`, c: "aa\n" });
  const seen: string[] = [];
  const { report } = await run(new WasmEngine(), place, ask("a"), {
    sink: (file) => {
      seen.push(...file.hits.map((hit) => `${file.path}:${hit.line}:${hit.column}`));
      return true;
    },
  });
  assert.deepEqual(seen, ["a:1:0", "b:1:0", "c:1:0"]);
  assert.equal(report.incomplete, null);
});

test("200 calls at once all have their answer", async () => {
  const place = await makePlace({ a: "a needle\n", b: "no\n", "c/d": "needle\n" });
  const engine = new WasmEngine({ pool: wasmPool(2) });
  const answers = await Promise.all(Array.from({ length: 200 }, () => run(engine, place, ask("needle"))));
  for (const { found, report } of answers) {
    assert.deepEqual(
      found.map((f) => f.lines),
      [["1:2:a needle"], ["1:0:needle"]],
    );
    assert.deepEqual([report.filesSearched, report.incomplete], [3, null]);
  }
});

test("runs whose output waits give their worker to the one whose turn it is", async () => {
  // One worker, parts with 8 MB of output each, files that need a second question, and a sink that takes its time.
  const line = "a needle of some length here\n";
  const place = await makePlace(
    Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [
        `f${String(i).padStart(2, "0")}`,
        i % 8 === 3 ? `${line.repeat(3_000)}\0${line}` : line.repeat(20_000),
      ]),
    ),
  );
  const engine = new WasmEngine({ pool: wasmPool(1) });
  const lines = new Map<string, number>();
  const searching = [1, 2].map((n) =>
    run(engine, place, ask("needle"), {
      chunk: 8,
      parallel: 3,
      sink: async (file) => {
        await new Promise((resolve) => setTimeout(resolve, 2));
        lines.set(`${n}${file.path}`, file.hits.length);
        return true;
      },
    }),
  );
  for (const { report } of await Promise.all(searching)) assert.equal(report.incomplete, "nul-byte");
  assert.equal(lines.size, 80);
  for (const [path, n] of lines) assert.equal(n, Number(path.slice(2)) % 8 === 3 ? 3_000 : 20_000, path);
});

test("idle workers end", async () => {
  const pool = wasmPool(2, 100);
  await isComplete(new WasmEngine({ pool }), await many());
  assert.ok(pool.alive > 0, "they are kept for a while");
  await eventually(() => pool.alive === 0, 5_000, "they end");
  await isComplete(new WasmEngine({ pool }), await many());
});
