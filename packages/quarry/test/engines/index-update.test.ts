import assert from "node:assert/strict";
import fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { BackgroundBuilds } from "#src/engines/index/background.js";
import { candidateFiles } from "#src/engines/index/candidates.js";
import { IndexEngine } from "#src/engines/index/engine.js";
import type { IndexFile } from "#src/engines/index/index-file.js";
import { IndexStore } from "#src/engines/index/store.js";
import { trigramsOf } from "#src/engines/index/trigrams.js";
import { RipgrepEngine } from "#src/engines/ripgrep/engine.js";
import type { RelPath } from "#src/paths/path.js";
import { FULL, generatedRuns } from "../support/cases.js";
import { changing, CHANGING_TREE } from "./changing.js";
import { buildOf, indexFolder, SETTLED_MS } from "./index-place.js";
import { ask, makePlace, run, type Place } from "./place.js";

const FILES = 100;
const FILE_BYTES = 40_000;

function text(word: string): string {
  return `${word}\n`.padEnd(FILE_BYTES, `line of ${word}\n`);
}

function word(i: number): string {
  return `w${String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26))}q`;
}

function nameOf(i: number): string {
  return `d${i % 7}/f${String(i).padStart(3, "0")}`;
}

/** 100 files of 40 kB; each with a word of its own. */
function many(): Promise<Place> {
  return makePlace(Object.fromEntries(Array.from({ length: FILES }, (_, i) => [nameOf(i), text(word(i))])));
}

async function update(place: Place, store: IndexStore): Promise<{ readonly read: number; readonly files: number }> {
  const outcome = await buildOf(place, store);
  assert.ok(outcome.built, outcome.built ? "" : outcome.reason);
  return { read: outcome.read, files: outcome.meta.files };
}

function withIndex<T>(place: Place, store: IndexStore, use: (file: IndexFile) => T): T {
  const open = store.open(place.root);
  assert.ok(open !== null);
  try {
    return use(open.file);
  } finally {
    open.file.close();
  }
}

function candidates(file: IndexFile, wanted: string): RelPath[] {
  const { files } = candidateFiles(file, [[trigramsOf(Buffer.from(wanted))]], false);
  return file.paths.filter((_, i) => files.has(i));
}

/** Bytes that this process has read, all threads together. */
function bytesRead(): number {
  return Number(/^rchar: (\d+)$/m.exec(fs.readFileSync("/proc/self/io", "latin1"))?.[1]);
}

test("an update reads the files that changed or are new, and no others", async () => {
  const place = await many();
  const at = (name: string): string => join(place.root, name);
  const store = new IndexStore(indexFolder());
  assert.deepEqual(await update(place, store), { read: FILES, files: FILES });
  assert.deepEqual(await update(place, store), { read: 0, files: FILES });
  fs.writeFileSync(at(nameOf(3)), text("changed"));
  fs.writeFileSync(at("aaa new"), text("added"));
  fs.rmSync(at(nameOf(5)));
  fs.renameSync(at(nameOf(6)), at("d9"));
  const before = bytesRead();
  assert.deepEqual(await update(place, store), { read: 3, files: FILES });
  const size = fs.statSync(store.path(place.root)).size;
  const read = bytesRead() - before;
  assert.ok(read < FILES * FILE_BYTES * 0.1 + 2 * size, `${read} bytes were read, the index has ${size}`);
  withIndex(place, store, (file) => {
    assert.ok(candidates(file, "changed").includes(nameOf(3)));
    assert.deepEqual(candidates(file, "added"), ["aaa new"]);
    assert.ok(candidates(file, word(6)).includes("d9"));
    for (let i = 7; i < FILES; i++) assert.deepEqual(candidates(file, word(i)), [nameOf(i)], word(i));
    // For what is no longer so no file is looked into.
    assert.deepEqual(candidates(file, word(5)), []);
    assert.deepEqual(candidates(file, word(6)), ["d9"]);
    assert.deepEqual(candidates(file, word(3)), []);
    assert.equal(file.meta.indexed, FILES);
  });
});

test("files that cannot be indexed are not read again, either, until they change", async () => {
  const place = await makePlace({ "b.bin": "needle\0", utf16: Buffer.from("\ufeffhello", "utf16le"), a: "plain\n" });
  fs.writeFileSync(join(place.root, "large"), "many lines\n".repeat(3_200_000));
  const store = new IndexStore(indexFolder());
  assert.equal((await update(place, store)).read, 4);
  assert.equal((await update(place, store)).read, 0);
  fs.writeFileSync(join(place.root, "b.bin"), "now plain\n");
  assert.equal((await update(place, store)).read, 1);
  withIndex(place, store, (file) => {
    assert.deepEqual(candidates(file, "now plain"), ["b.bin", "large", "utf16"]);
    assert.deepEqual(candidates(file, "needle"), ["large", "utf16"]);
  });
});

test("after many updates the index is as small as one that is built anew, or not much larger", async () => {
  const place = await many();
  const store = new IndexStore(indexFolder());
  await update(place, store);
  const size = fs.statSync(store.path(place.root)).size;
  let read = 0;
  const rounds = FULL ? 24 : 10;
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < 5; i++) fs.writeFileSync(join(place.root, nameOf((round * 5 + i) % FILES)), text(`r${round}x`));
    read += (await update(place, store)).read;
  }
  withIndex(place, store, (file) => {
    const dead = file.segments.reduce((sum, { place: { dead } }) => sum + dead, 0);
    const all = file.segments.reduce((sum, { place: { documents } }) => sum + documents, 0);
    assert.ok(file.segments.length <= 12, `${file.segments.length} segments`);
    assert.ok(dead * 2 < all, `${dead} of ${all} documents are dead`);
    assert.ok(candidates(file, `r${rounds - 1}x`).length >= 5);
  });
  // A segment's table alone has half a megabyte.
  assert.ok(fs.statSync(store.path(place.root)).size < size * 2 + 12 * 700_000);
  assert.ok(read < rounds * FILES * 0.4, `${read} files were read in ${rounds} updates`);
});

test("where most files are others the index is built anew; so it is where the old one is damaged", async () => {
  const place = await many();
  const store = new IndexStore(indexFolder());
  await update(place, store);
  for (let i = 0; i < 60; i++) fs.renameSync(join(place.root, nameOf(i)), join(place.root, `${nameOf(i)} moved`));
  assert.equal((await update(place, store)).read, FILES);
  const segment = withIndex(place, store, (file) => file.meta.segments[0]);
  assert.ok(segment !== undefined);
  const fd = fs.openSync(store.path(place.root), "r+");
  fs.writeSync(fd, Buffer.alloc(100, 0x55), 0, 100, segment.at + 200);
  fs.closeSync(fd);
  assert.equal((await update(place, store)).read, FILES);
  withIndex(place, store, (file) => assert.deepEqual(candidates(file, word(70)), [nameOf(70)]));
});

test("fault-35: an index that is brought up to date again and again names every file with a match", async (t) => {
  const { numRuns, seed } = generatedRuns(t, 60);
  const place = await makePlace(CHANGING_TREE);
  const store = new IndexStore(indexFolder());
  const child = changing(place.root, seed);
  try {
    for (let round = 0; round < numRuns; round++) {
      const done: string[] = [];
      for (let i = 0; i < 3; i++) done.push(await child.next());
      await update(place, store);
      withIndex(place, store, (file) => {
        const found = candidates(file, "needle");
        for (const path of file.paths)
          if (fs.readFileSync(join(place.root, path), "latin1").includes("needle"))
            assert.ok(found.includes(path), `seed ${seed}, round ${round}: ${path}, after ${done.join(", ")}`);
      });
    }
  } finally {
    child.end();
  }
});

test("where many files have changed a server reads those, and no others, to bring its index up to date", async () => {
  const count = 600;
  const changed = 220;
  const added = 100;
  const bytes = 60_000;
  const textOf = (word: string): string => `${word}\n`.padEnd(bytes, "text\n");
  const at = await makePlace(
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, textOf(`word${i}z`)])),
  );
  await sleep(SETTLED_MS);
  const folder = indexFolder();
  const fallback = new RipgrepEngine();
  const path = new IndexStore(folder).path(at.root);
  let files = at.files;
  /** Asks a process of its own, as it were, which then has an index made where it wants one. */
  const search = async (pattern: string): Promise<{ readonly found: number; readonly read: number }> => {
    const background = new BackgroundBuilds(() => new IndexStore(folder), 1e9);
    const engine = new IndexEngine({ fallback, folder: () => folder, background, minFiles: count });
    const { found } = await run(engine, at, ask(pattern), { files });
    const before = bytesRead();
    await background.idle();
    const read = bytesRead() - before;
    await engine.close();
    return { found: found.length, read };
  };
  await search("word7z");
  const first = fs.statSync(path).ino;
  for (let i = 0; i < changed; i++) fs.appendFileSync(join(at.root, `f${i}`), "appended\n");
  fs.rmSync(join(at.root, "f599"));
  for (let i = 0; i < added; i++) fs.writeFileSync(join(at.root, `g${i}`), "small\n");
  await sleep(SETTLED_MS);
  files = fs.readdirSync(at.root).sort();
  const { found, read } = await search("appended");
  assert.equal(found, changed);
  assert.notEqual(fs.statSync(path).ino, first, "it was brought up to date");
  const size = fs.statSync(path).size;
  const most = changed * bytes + size * 2 + 1_000_000;
  assert.ok(most < count * bytes * 0.7 && read < most, `${read} bytes, of ${count * bytes} and an index of ${size}`);
  assert.equal((await search("small")).found, added);
});
