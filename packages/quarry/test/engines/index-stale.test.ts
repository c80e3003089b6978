import assert from "node:assert/strict";
import fs from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { RipgrepEngine } from "#src/engines/ripgrep/engine.js";
import { comparePaths } from "#src/paths/path.js";
import { SETTLED_MS } from "./index-place.js";
import { IndexedEngine } from "./indexed.js";
import { ask, makePlace, run, type Place } from "./place.js";

const engine = new IndexedEngine(new RipgrepEngine());

/** The files with a match, of the files that are there now. */
async function found(place: Place, pattern = "needle"): Promise<string[]> {
  const files = (fs.readdirSync(place.root, { recursive: true, withFileTypes: true }) as fs.Dirent[])
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(place.root.length + 1))
    .sort(comparePaths);
  const { found: all, report } = await run(engine, place, ask(pattern), { files });
  assert.deepEqual([report.filesSearched, report.incomplete, report.answeredBy], [files.length, null, "index"]);
  return all.map((file) => file.path);
}

/** Each changes a place in which `b` alone holds a needle; what is then found. */
const CHANGES: Readonly<
  Record<string, readonly [change: (at: (name: string) => string) => void, found: readonly string[]]>
> = {
  "a file is written": [(at) => fs.writeFileSync(at("a"), "needle here now\n"), ["a", "b"]],
  "a file is written with the same size and its times restored": [
    (at) => {
      const { atime, mtime } = fs.statSync(at("a"));
      fs.writeFileSync(at("a"), "needle!\n");
      fs.utimesSync(at("a"), atime, mtime);
    },
    ["a", "b"],
  ],
  "a file is added": [(at) => fs.writeFileSync(at("new"), "needle\n"), ["b", "new"]],
  "a file is appended to": [(at) => fs.appendFileSync(at("d/c"), "and a needle\n"), ["b", "d/c"]],
  "a file is removed": [(at) => fs.rmSync(at("b")), []],
  "two files change names": [
    (at) => {
      fs.renameSync(at("a"), at("x"));
      fs.renameSync(at("b"), at("a"));
      fs.renameSync(at("x"), at("b"));
    },
    ["a"],
  ],
  "a file is renamed over another of its size and times": [
    (at) => {
      const { atime, mtime } = fs.statSync(at("a"));
      fs.writeFileSync(at("x"), "needle!\n");
      fs.utimesSync(at("x"), atime, mtime);
      fs.renameSync(at("x"), at("a"));
    },
    ["a", "b"],
  ],
  "a folder is exchanged for another": [
    (at) => {
      fs.renameSync(at("d"), at("e"));
      fs.mkdirSync(at("d"));
      fs.writeFileSync(at("d/c"), "needle!\n");
    },
    ["b", "d/c"],
  ],
  "a file is written through a hard link": [
    (at) => {
      fs.linkSync(at("a"), at("link"));
      fs.writeFileSync(at("link"), "needle!\n");
    },
    ["a", "b", "link"],
  ],
  "a file is cut and written": [
    (at) => {
      fs.truncateSync(at("a"), 0);
      fs.writeFileSync(at("a"), "needle!\n", { flag: "r+" });
    },
    ["a", "b"],
  ],
};

for (const [what, [change, expected]] of Object.entries(CHANGES)) {
  test(`fault-35: ${what}, and searched at once: the answer is of now`, async () => {
    const place = await makePlace({ a: "nothing\n", b: "a needle\n", "d/c": "nothing\n" });
    await engine.build(place.target);
    assert.deepEqual(await found(place), ["b"]);
    change((name) => join(place.root, name));
    assert.deepEqual(await found(place), expected);
    assert.deepEqual(await found(place, "no such thing"), []);
  });
}

test("fault-35: a file that is written while the index is built, and never settles", async () => {
  const place = await makePlace({ a: "nothing\n", b: "needle\n" });
  const write = (text: string): void => fs.writeFileSync(join(place.root, "a"), text);
  const timer = setInterval(() => write("nothing\n"), 3);
  await engine.build(place.target);
  clearInterval(timer);
  write("needle!\n");
  assert.deepEqual(await found(place), ["a", "b"]);
});

test("an index that is damaged while it is open is dropped, and the answer is right", async () => {
  const texts = Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => [`f${String(i).padStart(2, "0")}`, `word${i} needle\n`]),
  );
  const place = await makePlace({ ...texts, other: "nothing\n" });
  await engine.build(place.target);
  const path = engine.store.path(place.root);
  const size = fs.statSync(path).size;
  const { place: segment } = { place: engine.store.open(place.root)?.file.meta.segments[0] };
  assert.ok(segment !== undefined && segment.at + segment.bytes < size);
  assert.deepEqual(await found(place, "word7 "), ["f07"]);
  const fd = fs.openSync(path, "r+");
  const garbage = Buffer.alloc(segment.bytes, 0x55);
  fs.writeSync(fd, garbage, 0, garbage.length, segment.at);
  fs.closeSync(fd);
  await sleep(SETTLED_MS);
  const { found: all, report } = await run(engine, place, ask("word8 "));
  assert.deepEqual([all.map((file) => file.path), report.answeredBy], [["f08"], "kernel"]);
  assert.equal(fs.existsSync(path), false);
});

after(() => assert.ok(engine.answered > 20));
