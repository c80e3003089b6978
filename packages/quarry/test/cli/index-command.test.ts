import assert from "node:assert/strict";
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { FULL } from "../support/cases.js";
import { makeTree } from "../support/tree.js";
import { CACHE, onTerminal, quarry, start } from "./quarry.js";

const SETTLED_MS = 120;

test("build, status and drop: what they say, and that searches use what was built", async () => {
  const root = makeTree({ "a.txt": "needle\n", "src/b.ts": "other\n", c: "nothing\n" });
  await sleep(SETTLED_MS);
  const none = quarry(root, ["index", "status"]);
  assert.deepEqual([none.status, none.stdout], [1, `${root}: no index (make one: quarry index build)\n`]);
  assert.match(quarry(root, ["index", "drop"]).stdout, /: no index\n$/);
  const built = quarry(root, ["index", "build"]);
  assert.equal(built.status, 0, built.stderr);
  assert.match(built.stdout, /: 3 files, \d+ kB for 1 kB of text, in \d+\.\d s\n$/);
  assert.equal(built.stderr, "");
  const status = quarry(root, ["index", "status", "--json"]);
  const [state] = JSON.parse(status.stdout) as {
    root: string;
    building: boolean;
    index: { files: number; indexed: number };
  }[];
  assert.deepEqual([state?.root, state?.building, state?.index.files, state?.index.indexed], [root, false, 3, 3]);
  assert.equal(statSync(join(CACHE, "index")).mode & 0o777, 0o700);
  const engineOf = (args: readonly string[]): string =>
    (JSON.parse(quarry(root, ["grep", ...args, "--json"]).stdout) as { meta: { engine: string } }).meta.engine;
  assert.equal(engineOf(["needle", "--engine", "index"]), "index");
  assert.equal(engineOf(["needle", "--engine", "kernel"]), "kernel");
  writeFileSync(join(root, "c"), "needle\n");
  assert.match(quarry(root, ["grep", "needle", "--output", "files"]).stdout, /a\.txt[^]*c/);
  assert.match(quarry(root, ["index", "drop"]).stdout, /: deleted \d+ kB\n$/);
  assert.equal(engineOf(["needle", "--engine", "index"]), "kernel");
  assert.equal(quarry(root, ["index", "status"]).status, 1);
});

test("Ctrl-C ends a build, and nothing of it is left", async () => {
  const root = makeTree(
    Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`d${i % 50}/f${i}`, `file ${i}\n`.repeat(300)])),
  );
  const cache = join(makeTree({}), "cache");
  const { child, ended } = start(root, ["index", "build"], { QUARRY_CACHE_DIR: cache });
  while (!existsSync(join(cache, "index")) || !readdirSync(join(cache, "index")).some((name) => name.endsWith(".tmp")))
    await sleep(5);
  child.kill("SIGINT");
  const { status, stderr } = await ended;
  if (status === 0) return; // It was faster.
  assert.equal(status, 3);
  assert.match(stderr, /no index was built: it was ended/);
  assert.deepEqual(readdirSync(join(cache, "index")), []);
});

test("a terminal is told how far it is, others are not", () => {
  const root = makeTree(
    Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`d${i % 50}/f${i}`, `file ${i}\n`.repeat(3_000)])),
  );
  const shown = onTerminal(root, ["index", "build"]);
  assert.match(shown, /500 files, /);
  // One that is done at once shows no progress.
  if (/\r(?!\n)/.test(shown)) assert.match(shown, /listing files|indexed [\d,]+ of 500 files/);
  quarry(root, ["index", "drop"]);
});

test("a folder for indexes that cannot be made is an error in plain words", () => {
  const root = makeTree({ a: "x\n", file: "no folder\n" });
  const { status, stderr } = quarry(root, ["index", "build"], { QUARRY_CACHE_DIR: join(root, "file") });
  assert.equal(status, 2);
  assert.ok(stderr.length > 0 && !/\n\s+at /.test(stderr), stderr);
});

test("of a folder on a file system that does not tell of every change no index is made, and status says why", () => {
  const { status, stdout } = quarry("/proc/sys", ["index", "status"]);
  assert.deepEqual(
    [status, stdout],
    [1, "/proc/sys: no index (its file system is not known to keep the times of every change)\n"],
  );
  if (!FULL) return;
  const built = quarry("/proc/sys", ["index", "build"]);
  assert.equal(built.status, 2);
  assert.match(built.stderr, /no index was built: its file system is not known to keep the times of every change/);
});

test("a build reads what changed; with --anew everything", async () => {
  const root = makeTree({ a: "x\n", b: "x\n", c: "x\n" });
  await sleep(SETTLED_MS);
  assert.match(quarry(root, ["index", "build"]).stdout, /: 3 files, /);
  writeFileSync(join(root, "b"), "y\n");
  await sleep(SETTLED_MS);
  assert.match(quarry(root, ["index", "build"]).stdout, /: 3 files \(1 file read\), /);
  if (FULL) assert.match(quarry(root, ["index", "build", "--anew"]).stdout, /: 3 files, /);
  quarry(root, ["index", "drop"]);
});
