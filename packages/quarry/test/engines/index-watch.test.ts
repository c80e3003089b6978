import assert from "node:assert/strict";
import fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { IndexEngine } from "#src/engines/index/engine.js";
import { IndexStore } from "#src/engines/index/store.js";
import { RipgrepEngine } from "#src/engines/ripgrep/engine.js";
import { comparePaths } from "#src/paths/path.js";
import { generatedRuns } from "../support/cases.js";
import { changing, CHANGING_TREE } from "./changing.js";
import { ask, makePlace, openPlace, run, type Place } from "./place.js";
import { buildOf, indexFolder, watched } from "./index-place.js";

/** The regular files that are there now, and those of them that hold a needle. */
function truth(root: string): { readonly files: string[]; readonly found: string[] } {
  const files = (fs.readdirSync(root, { recursive: true, withFileTypes: true }) as fs.Dirent[])
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort(comparePaths);
  return { files, found: files.filter((file) => fs.readFileSync(join(root, file), "latin1").includes("needle")) };
}

async function answer(engine: IndexEngine, place: Place, files: readonly string[]): Promise<string[]> {
  const { found, report } = await run(engine, place, ask("needle"), { files });
  assert.deepEqual([report.filesSearched, report.incomplete], [files.length, null]);
  return found.map((file) => file.path);
}

test("files to which nothing has happened are not asked again", async () => {
  const place = await makePlace(
    Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`d${i % 5}/f${i}`, "nothing\n"])),
  );
  const { engine } = await watched(place);
  await run(engine, place, ask("needle"));
  assert.equal(engine.unasked, 0);
  await run(engine, place, ask("needle"));
  assert.equal(engine.unasked, 100);
  fs.writeFileSync(join(place.root, "d0/f0"), "needle\n");
  const { found, report } = await run(engine, place, ask("needle"));
  assert.deepEqual([found.map((f) => f.path), report.filesSearched, report.answeredBy], [["d0/f0"], 100, "index"]);
  assert.equal(engine.unasked, 199);
  await engine.close();
});

test("fault-35: another process changes the tree at random, and each change is followed by a search at once", async (t) => {
  const { numRuns, seed } = generatedRuns(t, 600);
  const place = await makePlace(CHANGING_TREE);
  const { engine, store } = await watched(place);
  const child = changing(place.root, seed);
  try {
    const done: string[] = [];
    for (let i = 0; i < numRuns; i++) {
      done.push(await child.next());
      const { files, found } = truth(place.root);
      assert.deepEqual(
        await answer(engine, place, files),
        found,
        `seed ${seed}, change ${i}: ${done.slice(-6).join(", ")}`,
      );
      if (i % 40 === 39) await buildOf(place, store);
    }
    // A watch may be lost on a busy machine: then all are asked, and the answers are right.
    if (numRuns >= 200 && engine.isWatched(place.root)) assert.ok(engine.unasked > 0);
    t.diagnostic(
      `${engine.unasked} files were not asked, the watch is ${engine.isWatched(place.root) ? "there" : "lost"}`,
    );
  } finally {
    child.end();
    await engine.close();
  }
});

test("more changes than the system's queue holds: the answer is of now", async () => {
  const place = await makePlace(Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`f${i}`, "nothing\n"])));
  const { engine } = await watched(place);
  await answer(engine, place, place.files);
  for (let round = 0; round < 400; round++)
    for (let i = 0; i < 50; i++) fs.utimesSync(join(place.root, `f${(i + round) % 50}`), round, round);
  fs.writeFileSync(join(place.root, "f7"), "needle!\n");
  assert.deepEqual(await answer(engine, place, truth(place.root).files), ["f7"]);
  await engine.close();
});

test("the root is moved away and another takes its place: the answer is of what is there now", async () => {
  const outer = await makePlace({ "root/a": "nothing\n", "root/b": "needle\n" });
  const root = join(outer.root, "root");
  const place = await openPlace(root, ["a", "b"]);
  const { engine } = await watched(place);
  assert.deepEqual(await answer(engine, place, ["a", "b"]), ["b"]);
  assert.deepEqual(await answer(engine, place, ["a", "b"]), ["b"]);
  fs.renameSync(root, join(outer.root, "old"));
  fs.mkdirSync(root);
  fs.writeFileSync(join(root, "a"), "needle!\n");
  fs.writeFileSync(join(root, "b"), "nothing\n");
  assert.deepEqual(await answer(engine, place, ["a", "b"]), ["a"]);
  await engine.close();
});

test("cookies that are removed: files are asked again", async () => {
  const place = await makePlace({ a: "nothing\n", b: "needle\n" });
  const folder = indexFolder();
  const store = new IndexStore(folder);
  await buildOf(place, store);
  const engine = new IndexEngine({ fallback: new RipgrepEngine(), folder: () => folder, watches: true });
  await run(engine, place, ask("needle"));
  for (let i = 0; i < 400 && !engine.isWatched(place.root); i++) await sleep(10);
  await answer(engine, place, ["a", "b"]);
  for (const name of fs.readdirSync(folder))
    if (name.includes(".watch-")) fs.rmSync(join(folder, name), { recursive: true });
  fs.writeFileSync(join(place.root, "a"), "needle!\n");
  assert.deepEqual(await answer(engine, place, ["a", "b"]), ["a", "b"]);
  assert.deepEqual(await answer(engine, place, ["a", "b"]), ["a", "b"]);
  await engine.close();
});
