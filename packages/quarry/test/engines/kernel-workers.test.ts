import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { KernelEngine, kernelPool } from "#src/engines/kernel/engine.js";
import { RipgrepEngine } from "#src/engines/ripgrep/engine.js";
import { WorkerPool } from "#src/engines/workers/pool.js";
import { QuarryError } from "#src/errors/errors.js";
import type { HitSink, SearchEngine } from "#src/search/engine.js";
import { makeTree } from "../support/tree.js";
import { ask, descriptors, makePlace, run, type Place, type RunOptions } from "./place.js";

const ripgrep = new RipgrepEngine();

/** A pool whose workers have a fault, see `failing-worker.ts`. */
function failing(fault: string, size = 2, heapMb = 32): WorkerPool {
  const script = new URL("./failing-worker.js", import.meta.url);
  return new WorkerPool({ script, data: fault, size, idleMs: 300, resourceLimits: { maxOldGenerationSizeMb: heapMb } });
}

/** 300 files, of which every third has two lines that match. */
function many(): Promise<Place> {
  return makePlace(
    Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [
        `d${i % 7}/f${String(i).padStart(3, "0")}`,
        i % 3 === 0 ? "a needle\nno\nneedle\n" : "no\n",
      ]),
    ),
  );
}

async function isComplete(engine: KernelEngine, place: Place): Promise<void> {
  const { found, report } = await run(engine, place, ask("needle"));
  assert.equal(found.length, 100);
  assert.deepEqual(
    found.map((f) => f.path),
    place.files.filter((f) => Number(f.slice(-3)) % 3 === 0),
  );
  assert.ok(found.every((f) => f.lines.join() === "1:2:a needle,3:0:needle"));
  assert.deepEqual([report.filesSearched, report.incomplete, report.unreadable], [300, null, []]);
}

test("a worker that ends in the middle of a file: its files are searched again, once each", async () => {
  const place = await many();
  const before = descriptors();
  for (const nth of [1, 20, 50, 100]) {
    const pool = failing(`dies=${nth}&once=${join(makeTree({}), "marker")}`);
    await isComplete(new KernelEngine({ fallback: ripgrep, pool }), place);
  }
  await gone(() => descriptors() > before, "no file of a worker that was lost is left open");
});

test("workers that all end at once: another engine does their work", async () => {
  await isComplete(new KernelEngine({ fallback: ripgrep, pool: failing("dies=1") }), await many());
});

test("a worker out of memory: its files are searched again", async () => {
  const place = await many();
  await isComplete(
    new KernelEngine({ fallback: ripgrep, pool: failing(`eats=30&once=${join(makeTree({}), "marker")}`) }),
    place,
  );
  await isComplete(new KernelEngine({ fallback: ripgrep, pool: failing("eats=30", 1) }), place);
});

test("fault-12: where workers end and there is no other engine, the answer says what is missing", async () => {
  const place = await many();
  const { found, report } = await run(
    new KernelEngine({ fallback: nobody, pool: failing("dies=1", 1) }),
    place,
    ask("needle"),
  );
  assert.ok(found.length < 100);
  assert.equal(report.incomplete, "engine");
  assert.match(report.reason ?? "", /files? needs? another engine/);
  assert.ok(report.filesSearched < 300);
});

test("a script that does not even start is no endless loop", async () => {
  const pool = new WorkerPool({ script: new URL("./no-such-worker.js", import.meta.url), size: 2, idleMs: 100 });
  await isComplete(new KernelEngine({ fallback: ripgrep, pool }), await many());
});

test("fault-53: an abort ends a worker that does not come back", async () => {
  const place = await many();
  const marker = join(makeTree({}), "marker");
  const pool = failing(`hangs=5&once=${marker}`, 1);
  const engine = new KernelEngine({ fallback: ripgrep, pool });
  const abort = new AbortController();
  const searching = run(engine, place, ask("needle"), { signal: abort.signal });
  await gone(() => !fs.existsSync(marker), "it hangs");
  const started = performance.now();
  abort.abort();
  const { report } = await searching;
  assert.equal(report.incomplete, "cancelled");
  assert.ok(performance.now() - started < 5_000);
  assert.equal(pool.alive, 0, "the worker is gone");
  await gone(() => pool.stuck > 0, "and its thread has ended");
  await isComplete(engine, place);
});

test("a file that is not decided here, and nobody else can: the answer says so and has the rest", async () => {
  const place = await makePlace({ a: "needle\n", b: Buffer.from("\ufeffneedle\n", "utf16le"), c: "needle\n" });
  const { found, report } = await run(new KernelEngine({ fallback: nobody }), place, ask("needle"));
  assert.deepEqual(
    found.map((f) => f.path),
    ["a", "c"],
  );
  assert.deepEqual([report.filesSearched, report.incomplete], [2, "engine"]);
  assert.match(report.reason ?? "", /^1 file needs another engine: /);
});

test("files for another engine keep their place among the others", async () => {
  const tree = Object.fromEntries(
    Array.from({ length: 90 }, (_, i) => [
      `f${String(i).padStart(2, "0")}`,
      i % 4 === 0 ? Buffer.from("\ufeffa needle\n", "utf16le") : i % 4 === 1 ? "needle\n" : "no\n",
    ]),
  );
  const place = await makePlace({ ...tree, f03: "needle\n" });
  fs.rmSync(join(place.root, "f02"));
  fs.rmSync(join(place.root, "f88"));
  const { found, report } = await run(new KernelEngine({ fallback: ripgrep }), place, ask("needle"));
  assert.deepEqual(
    found.map((f) => f.path),
    place.files.filter((f) => f === "f03" || (f !== "f88" && Number(f.slice(1)) % 4 < 2)),
  );
  assert.deepEqual([report.filesSearched, report.incomplete], [88, "unreadable"]);
  assert.deepEqual(
    report.unreadable.map((u) => u.path),
    ["f02", "f88"],
  );
});

test("what a search found that was ended in the middle is no part of the next one's answer", async () => {
  const place = await makePlace(
    Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`d${i % 5}/f${i}`, "a needle in a long line\n".repeat(3_000)]),
    ),
  );
  const engine = new KernelEngine({ fallback: nobody, pool: kernelPool(2) });
  for (let round = 0; round < 12; round++) {
    let seen = 0;
    const enough = (): boolean => ++seen < 1 + (round % 4);
    await run(engine, place, ask("needle"), { chunk: 4, sink: enough });
    const found: string[] = [];
    const sink = (file: { readonly path: string; readonly hits: readonly unknown[] }): boolean => {
      found.push(`${file.path} ${file.hits.length}`);
      return true;
    };
    await run(engine, place, ask("needle"), { chunk: 4, sink });
    assert.deepEqual(
      found,
      place.files.map((path) => `${path} 3000`),
    );
  }
});

test("200 calls at once all have their answer", async () => {
  const place = await many();
  const engine = new KernelEngine({ fallback: ripgrep, pool: kernelPool(2) });
  await Promise.all(Array.from({ length: 200 }, () => isComplete(engine, place)));
});

test("a search whose sink is slow does not keep others from their workers", async () => {
  const place = await makePlace(
    Object.fromEntries(
      Array.from({ length: 64 }, (_, i) => [`f${i}`, "a needle of some length here\n".repeat(40_000)]),
    ),
  );
  const pool = kernelPool(1);
  const engine = new KernelEngine({ fallback: ripgrep, pool });
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let lines = 0;
  const slow = run(engine, place, ask("needle"), {
    sink: async (file) => (await held, (lines += file.hits.length), true),
  });
  await isComplete(engine, await many());
  release();
  assert.equal((await slow).report.incomplete, null);
  assert.equal(lines, 64 * 40_000);
});

test("a worker that ends while as much waits as may: its files come first, whatever waits behind them", async () => {
  const line = `needle ${"x".repeat(900)}\n`;
  const place = await makePlace(
    // Those of the first chunk take their time: five reads each, and nothing in them.
    Object.fromEntries(
      Array.from({ length: 64 }, (_, i) => [`f${100 + i}`, i < 32 ? "no\n".repeat(1_300_000) : line.repeat(600)]),
    ),
  );
  const pool = failing(`dies=150&once=${join(makeTree({}), "marker")}`);
  assert.deepEqual(await inTime(new KernelEngine({ fallback: ripgrep, pool }), place, {}), [32 * 600, 64, null]);
});

test("a sink that is busy: what comes next is always searched, though much waits behind it", async () => {
  const line = `needle ${"x".repeat(300)}\n`;
  const count = (i: number): number => 1 + ((i * 7) % 300);
  const place = await makePlace(
    Object.fromEntries(Array.from({ length: 1_280 }, (_, i) => [`f${1_000 + i}`, line.repeat(count(i))])),
  );
  const lines = place.files.reduce((sum, _, i) => sum + count(i), 0);
  const engine = new KernelEngine({ fallback: ripgrep, pool: kernelPool(2) });
  const busy = (): boolean => {
    const until = performance.now() + 1;
    while (performance.now() < until);
    return true;
  };
  for (let round = 0; round < 3; round++)
    assert.deepEqual(await inTime(engine, place, { chunk: 64, sink: busy }), [lines, 1_280, null]);
});

test("idle workers end", async () => {
  const pool = kernelPool(2, 100);
  await isComplete(new KernelEngine({ fallback: ripgrep, pool }), await many());
  assert.ok(pool.alive > 0, "they are kept for a while");
  await gone(() => pool.alive > 0, "they end");
  await isComplete(new KernelEngine({ fallback: ripgrep, pool }), await many());
});

test("workers do not keep the process alive", async () => {
  const place = await many();
  const { pathname } = new URL("../../dist/", import.meta.url);
  const script = `
    const { Workspace } = await import("${pathname}workspace/workspace.js");
    const { KernelEngine } = await import("${pathname}engines/kernel/engine.js");
    const target = (await Workspace.open({ mounts: [{ host: process.argv[1] }] })).resolve(undefined, "directory");
    const query = { pattern: "needle", literal: false, case: "sensitive", multiline: false, pcre2: false, encoding: null };
    async function* batches() { yield { target, files: JSON.parse(process.argv[2]), trees: [] }; }
    let files = 0;
    await new KernelEngine({ fallback: null }).search({ query, batches: batches(), parallel: 2, signal: new AbortController().signal }, () => (files++, true));
    console.log(files);
    process.on("exit", () => console.log(Math.round(process.uptime() * 1000)));`;
  const started = performance.now();
  const child = spawnSync(
    process.execPath,
    ["--input-type=module", "-e", script, place.root, JSON.stringify(place.files)],
    { encoding: "utf8" },
  );
  assert.equal(child.stdout.split("\n")[0], "100", child.stderr);
  assert.equal(child.status, 0);
  assert.ok(performance.now() - started < 7_000, "long before idle workers would end");
});

/** Lines, files and why not all were searched; a search that stands still is ended. */
async function inTime(
  engine: KernelEngine,
  place: Place,
  { sink, ...rest }: Omit<RunOptions, "signal">,
): Promise<[lines: number, files: number, incomplete: string | null]> {
  let lines = 0;
  const counting: HitSink = (found) => {
    lines += found.hits.length;
    return sink === undefined ? true : sink(found);
  };
  const signal = AbortSignal.timeout(20_000);
  const { report } = await run(engine, place, ask("needle"), { ...rest, signal, sink: counting });
  return [lines, report.filesSearched, report.incomplete];
}

const nobody: SearchEngine = {
  name: "ripgrep",
  status: () => Promise.resolve({ available: false, detail: "none" }),
  search: () => Promise.reject(new QuarryError("ENGINE_UNAVAILABLE", "there is none")),
};

async function gone(there: () => boolean, what: string): Promise<void> {
  for (let i = 0; i < 200 && there(); i++) await new Promise((resolve) => setTimeout(resolve, 25));
  assert.equal(there(), false, what);
}
