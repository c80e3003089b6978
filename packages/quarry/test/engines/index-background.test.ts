import assert from "node:assert/strict";
import fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { BackgroundBuilds } from "#src/engines/index/background.js";
import { IndexEngine } from "#src/engines/index/engine.js";
import { IndexStore } from "#src/engines/index/store.js";
import { RipgrepEngine } from "#src/engines/ripgrep/engine.js";
import { ask, makePlace, run, type Place } from "./place.js";
import { indexFolder, SETTLED_MS } from "./index-place.js";

const COUNT = 40;

async function place(): Promise<Place> {
  const made = await makePlace(
    Object.fromEntries(
      Array.from({ length: COUNT }, (_, i) => [`f${String(i).padStart(2, "0")}`, `word${i} needle\n`]),
    ),
  );
  await sleep(SETTLED_MS);
  return made;
}

test("the first search of a large folder builds its index beside it, later ones use it", async () => {
  const at = await place();
  const folder = indexFolder();
  const background = new BackgroundBuilds(() => new IndexStore(folder), 1e9);
  const engine = new IndexEngine({ fallback: new RipgrepEngine(), folder: () => folder, background, minFiles: COUNT });
  const first = await run(engine, at, ask("needle"));
  assert.deepEqual([first.report.answeredBy, first.found.length], ["kernel", COUNT]);
  await background.idle();
  const second = await run(engine, at, ask("word7 "));
  assert.deepEqual([second.report.answeredBy, second.found.length], ["index", 1]);
  const inode = fs.statSync(new IndexStore(folder).path(at.root)).ino;
  fs.writeFileSync(join(at.root, "f01"), "changed word7 \n");
  const third = await run(engine, at, ask("word7 "));
  assert.deepEqual([third.report.answeredBy, third.found.length], ["index", 2]);
  await background.idle();
  assert.equal(
    fs.statSync(new IndexStore(folder).path(at.root)).ino,
    inode,
    "one changed file is no reason to build anew",
  );
  await engine.close();
});

test("nothing is built for fewer files, after the end, or where there is no place for it", async () => {
  const at = await place();
  const folder = indexFolder();
  const few = new BackgroundBuilds(() => new IndexStore(folder), 1e9);
  const fallback = new RipgrepEngine();
  await run(
    new IndexEngine({ fallback, folder: () => folder, background: few, minFiles: COUNT + 1 }),
    at,
    ask("needle"),
  );
  await few.idle();
  const ended = new BackgroundBuilds(() => new IndexStore(folder), 1e9);
  await ended.end();
  await run(new IndexEngine({ fallback, folder: () => folder, background: ended }), at, ask("needle"));
  await ended.idle();
  assert.deepEqual(fs.readdirSync(folder), []);
  const nowhere = new BackgroundBuilds(() => {
    throw new Error("the cache folder cannot be made");
  }, 1e9);
  const { found } = await run(
    new IndexEngine({ fallback, folder: () => null, background: nowhere }),
    at,
    ask("needle"),
  );
  await nowhere.idle();
  assert.equal(found.length, COUNT);
});
