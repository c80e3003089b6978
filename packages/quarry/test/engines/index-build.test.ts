import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { buildIndex } from "#src/engines/index/build.js";
import { candidateFiles } from "#src/engines/index/candidates.js";
import { BadIndex, FLAG, PAGE } from "#src/engines/index/format.js";
import { IndexFile } from "#src/engines/index/index-file.js";
import { IndexStore, rootName } from "#src/engines/index/store.js";
import { trigramsOf } from "#src/engines/index/trigrams.js";
import { newOwner } from "#src/files/write-owner.js";
import type { RelPath } from "#src/paths/path.js";
import { FULL } from "../support/cases.js";
import { hostPath, makeTree } from "../support/tree.js";
import { descriptors, makePlace, openPlace, type Place } from "./place.js";
import { buildOf, indexFolder, SETTLED_MS } from "./index-place.js";

/** Builders that are killed. */
const ROUNDS = FULL ? 24 : 3;

/** The files that have to be looked into for a text. */
function candidates(file: IndexFile, text: string, avoidsOddFolds = false): RelPath[] {
  const { files } = candidateFiles(file, [[trigramsOf(Buffer.from(text))]], avoidsOddFolds);
  return file.paths.filter((_, i) => files.has(i));
}

/** 120 files of some documents each. */
function many(): Promise<Place> {
  return makePlace(
    Object.fromEntries(
      Array.from({ length: 120 }, (_, i) => [
        `d${i % 7}/f${String(i).padStart(3, "0")}`,
        `${`line of file ${i}\n`.repeat(2_000)}only_in_${i}_here\n${"more\n".repeat(100)}`,
      ]),
    ),
  );
}

test("an index knows the files that may hold a text, and always names those that it cannot know", async () => {
  const place = await makePlace({
    ".gitignore": "ignored\n",
    "ignored/deep": "needle\n",
    empty: "",
    short: "ne",
    "a/plain": "some needle here\n",
    "a/other": "nothing\n",
    "a/upper": "A NEEDLE\n",
    "late nul": `${"text\n".repeat(30_000)}\0`,
    utf16: Buffer.from("\ufeffhello", "utf16le"),
    marked: "\ufeffneedle",
    odd: "\u212aelvin\n",
    "raw\udcff": "needle\n",
    "new\nline": "needle\n",
    "big line": `${"x".repeat(100_000)}needle${"y".repeat(100_000)}`,
    "two documents": `${"first\n".repeat(4_000)}needle\n`,
    "split needle": `${"x".repeat(16_383)}needle\n`,
    "at a cut": `${"x".repeat(16_380)}\nneedle\n`,
  });
  const store = new IndexStore(indexFolder());
  const outcome = await buildOf(place, store);
  assert.ok(outcome.built);
  const { file } = store.open(place.root) as NonNullable<ReturnType<IndexStore["open"]>>;
  assert.deepEqual([...file.paths].sort(), [...place.files].sort());
  const unknown = ["late nul", "utf16"];
  const withNeedle = place.files.filter((f) => /needle/i.test(fs.readFileSync(hostPath(place.root, f), "latin1")));
  assert.deepEqual(candidates(file, "needle").sort(), [...withNeedle, ...unknown].sort());
  assert.deepEqual(candidates(file, "needle", true).sort(), [...withNeedle, ...unknown, "odd"].sort());
  assert.deepEqual(candidates(file, "no such").sort(), unknown);
  const flagged = file.paths.filter((_, i) => ((file.flags[i] as number) & FLAG.indexed) === 0);
  assert.deepEqual(flagged.sort(), unknown);
  file.close();
});

test("a file whose times cannot be trusted is not in it", async () => {
  const place = await makePlace({ old: "needle\n", future: "nothing\n" });
  fs.utimesSync(join(place.root, "future"), 0, Date.now() / 1_000 + 3_600);
  const outcome = await buildOf(place, new IndexStore(indexFolder()));
  assert.ok(outcome.built);
  assert.deepEqual([outcome.meta.files, outcome.meta.indexed], [2, 1]);
});

test("folder and file are closed to others, and nothing else is left", async () => {
  const place = await makePlace({ a: "x\n" });
  const folder = indexFolder();
  const before = descriptors();
  assert.ok((await buildOf(place, new IndexStore(folder))).built);
  assert.deepEqual(fs.readdirSync(folder), [`${rootName(place.root)}.index`]);
  assert.equal(fs.statSync(join(folder, `${rootName(place.root)}.index`)).mode & 0o777, 0o600);
  assert.ok(descriptors() <= before);
});

test("an index of another folder, of another version, cut or no index at all is dropped", async () => {
  const place = await makePlace({ a: "needle\n" });
  const other = await makePlace({ a: "needle\n" });
  const store = new IndexStore(indexFolder());
  await buildOf(place, store);
  const path = store.path(place.root);
  const good = fs.readFileSync(path);
  const bad: [string, Buffer][] = [
    ["empty", Buffer.alloc(0)],
    ["text", Buffer.from("hello".repeat(2_000))],
    ["cut", good.subarray(0, good.length - 1)],
    ["header alone", good.subarray(0, PAGE)],
    ["longer", Buffer.concat([good, Buffer.from("x")])],
  ];
  for (const [what, bytes] of bad) {
    fs.writeFileSync(path, bytes);
    assert.equal(store.open(place.root), null, what);
    assert.equal(fs.existsSync(path), false, what);
  }
  fs.writeFileSync(store.path(other.root), good);
  assert.equal(store.open(other.root), null);
  fs.writeFileSync(path, good);
  const open = store.open(place.root);
  assert.ok(open !== null);
  open.file.close();
});

test("a damaged byte, wherever it is: the index says so, or it does not matter", async () => {
  const place = await many();
  const store = new IndexStore(indexFolder());
  await buildOf(place, store);
  const path = store.path(place.root);
  const good = fs.readFileSync(path);
  const texts = ["only_in_7_here", "line of file 99", "more", "no such text"];
  const open = (): string => {
    const file = IndexFile.open(path, rootName(place.root));
    try {
      return JSON.stringify(texts.map((text) => candidates(file, text)));
    } finally {
      file.close();
    }
  };
  const right = open();
  let said = 0;
  const positions = [
    ...Array.from({ length: 48 }, (_, i) => i),
    ...Array.from({ length: FULL ? 250 : 50 }, () => Math.floor(Math.random() * good.length)),
    ...Array.from({ length: FULL ? 100 : 20 }, () => good.length - 1 - Math.floor(Math.random() * 2_000)),
  ];
  const fd = fs.openSync(path, "r+");
  for (const at of positions) {
    const bit = 1 << Math.floor(Math.random() * 8);
    fs.writeSync(fd, Buffer.from([(good[at] as number) ^ bit]), 0, 1, at);
    try {
      assert.equal(open(), right, `bit ${bit} of byte ${at}`);
    } catch (error) {
      if (!(error instanceof BadIndex)) throw error;
      said += 1;
    }
    fs.writeSync(fd, good, at, 1, at);
  }
  fs.closeSync(fd);
  assert.ok(said * 4 > positions.length, String(said));
});

test("two builders at once: one builds, the other says that somebody does; an index is there", async () => {
  const place = await many();
  const store = new IndexStore(indexFolder());
  const outcomes = await Promise.all([buildOf(place, store), buildOf(place, store), buildOf(place, store)]);
  assert.equal(outcomes.filter((outcome) => outcome.built).length, 1);
  for (const outcome of outcomes) assert.ok(outcome.built || outcome.reason === "another process is building it");
  assert.ok(store.open(place.root) !== null);
  assert.ok((await buildOf(place, store)).built, "and then the next one may");
});

test("an aborted build leaves the index that was there", async () => {
  const place = await many();
  const folder = indexFolder();
  const store = new IndexStore(folder);
  await buildOf(place, store);
  const before = fs.statSync(store.path(place.root)).ino;
  for (const after of [0, 5, 20]) {
    const abort = new AbortController();
    setTimeout(() => abort.abort(), SETTLED_MS + after);
    const outcome = await buildOf(place, store, abort.signal);
    if (!outcome.built) assert.equal(fs.statSync(store.path(place.root)).ino, before);
    else assert.ok(after > 0);
    if (outcome.built) break;
  }
  assert.deepEqual(fs.readdirSync(folder), [`${rootName(place.root)}.index`]);
});

test("an index that would be too large is not made", async () => {
  const place = await many();
  const folder = indexFolder();
  const store = new IndexStore(folder);
  const signal = new AbortController().signal;
  await sleep(SETTLED_MS);
  const outcome = await buildIndex({ mount: place.target.mount, store, maxBytes: 100_000, signal });
  assert.ok(!outcome.built);
  assert.match(outcome.reason, /larger than indexTotalBytes/);
  assert.deepEqual(fs.readdirSync(folder), []);
});

test("builders that are killed at any moment leave a whole index or none, and nobody waits for them", async () => {
  const place = await many();
  const folder = indexFolder();
  const store = new IndexStore(folder);
  const { pathname: dist } = new URL("../../dist/", import.meta.url);
  const script = `
    const { Workspace } = await import("${dist}workspace/workspace.js");
    const { buildIndex } = await import("${dist}engines/index/build.js");
    const { IndexStore } = await import("${dist}engines/index/store.js");
    const target = (await Workspace.open({ mounts: [{ host: process.argv[1] }] })).resolve(undefined, "directory");
    const signal = new AbortController().signal;
    for (let n = 0; ; n++) {
      console.log("begins");
      const store = new IndexStore(process.argv[2]);
      await buildIndex({ mount: target.mount, store, maxBytes: 1e9, signal, anew: n % 2 === 0 });
    }`;
  await sleep(SETTLED_MS);
  const path = store.path(place.root);
  let whole = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const child = spawn(process.execPath, ["--input-type=module", "-e", script, place.root, folder]);
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    // In its first build, or in one while there is an index.
    for (let begun = 0; begun <= round % 3; begun++) await lines.next();
    await sleep(Math.random() * 100);
    child.kill("SIGKILL");
    await once(child, "exit");
    assert.ok(fs.existsSync(path) || round % 3 === 0);
    if (!fs.existsSync(path)) continue;
    const file = IndexFile.open(path, rootName(place.root));
    assert.deepEqual(candidates(file, "only_in_3_here"), ["d3/f003"]);
    file.close();
    whole += 1;
    if (round % 2 === 0) fs.rmSync(path);
  }
  const last = await buildOf(place, store);
  assert.ok(last.built, last.built ? "" : last.reason);
  assert.deepEqual(
    fs.readdirSync(folder).filter((name) => !name.endsWith(".own")),
    [`${rootName(place.root)}.index`],
  );
  assert.ok(whole >= ROUNDS / 2, String(whole));
});

test("a builder that was killed while it claimed the folder holds up nobody", async () => {
  const place = await makePlace({ a: "x\n" });
  const folder = indexFolder();
  const store = new IndexStore(folder);
  const dead = newOwner().replace(/^(\w+)-\d+/, "$1-4194305");
  for (const [what, word] of Object.entries({ empty: "", cut: dead.slice(0, 12), dead })) {
    fs.writeFileSync(join(folder, `${rootName(place.root)}.builder`), word);
    fs.writeFileSync(join(folder, `${rootName(place.root)}.${dead}.claim`), word);
    assert.ok(!store.isBuilding(place.root), what);
    assert.ok((await buildOf(place, store)).built, what);
    assert.deepEqual(fs.readdirSync(folder), [`${rootName(place.root)}.index`], what);
  }
});

test("an index that is replaced while it is open stays what it was, and the new one is taken next", async () => {
  const place = await makePlace({ a: "needle\n" });
  const store = new IndexStore(indexFolder());
  await buildOf(place, store);
  const first = store.open(place.root) as NonNullable<ReturnType<IndexStore["open"]>>;
  assert.equal(store.open(place.root, first), first);
  fs.writeFileSync(join(place.root, "b"), "needle\n");
  await buildOf(place, store);
  assert.deepEqual(candidates(first.file, "needle"), ["a"]);
  const second = store.open(place.root, first) as NonNullable<ReturnType<IndexStore["open"]>>;
  assert.deepEqual(candidates(second.file, "needle"), ["a", "b"]);
  second.file.close();
});

test("an empty folder has an index", async () => {
  const place = await openPlace(makeTree({}), []);
  const store = new IndexStore(indexFolder());
  assert.ok((await buildOf(place, store)).built);
  const open = store.open(place.root);
  assert.deepEqual(open?.file.paths, []);
  open?.file.close();
});
