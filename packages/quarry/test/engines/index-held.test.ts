import assert from "node:assert/strict";
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { IndexStore } from "#src/engines/index/store.js";
import { buildOf, indexFolder } from "./index-place.js";
import { makePlace, openPlace, type Place } from "./place.js";

/** What a searching process says, see `searching.ts`. */
interface Answer {
  readonly found: readonly string[];
  /** Files about which the system was not even asked. */
  readonly unasked: number;
  readonly isWatched: boolean;
}

const FILES = 300;

const children: ChildProcess[] = [];

after(() => children.forEach((child) => child.kill("SIGKILL")));

interface Searching {
  readonly place: Place;
  readonly folder: string;
  readonly child: ChildProcess;
  readonly ask: () => Promise<Answer>;
}

/** Another process that watches a place with an index, in which it has seen all there is. */
async function searching(place: Place): Promise<Searching> {
  const folder = indexFolder();
  assert.ok((await buildOf(place, new IndexStore(folder))).built);
  const child = fork(new URL("./searching.js", import.meta.url).pathname, [place.root, folder]);
  children.push(child);
  const ask = async (): Promise<Answer> => {
    child.send(place.files);
    const [answer] = (await once(child, "message")) as [Answer];
    return answer;
  };
  for (let i = 0; i < 400 && !(await ask()).isWatched; i++) await sleep(20);
  await ask();
  const { unasked } = await ask();
  assert.ok(unasked >= place.files.length - 1, "nothing is asked about but what may hold a needle");
  return { place, folder, child, ask };
}

function many(): Promise<Place> {
  return makePlace(Object.fromEntries(Array.from({ length: FILES }, (_, i) => [`d${i % 9}/f${i}`, "nothing\n"])));
}

test("fault-35: more changes than the system's queue holds while nobody can read it: every file is asked about", async () => {
  const one = await searching(await many());
  const { place, child } = one;
  const most = Number(fs.readFileSync("/proc/sys/fs/inotify/max_queued_events", "latin1"));
  child.kill("SIGSTOP");
  const name = (i: number): string => place.files[i % FILES] as string;
  // Two of the same event that follow each other are one.
  for (let i = 0; i < most + 2_000; i++) fs.utimesSync(join(place.root, name(i)), i, i);
  // The system has no room for this one any more.
  fs.writeFileSync(join(place.root, name(7)), "needle!\n");
  child.kill("SIGCONT");
  const { found, unasked } = await one.ask();
  assert.deepEqual([found, unasked], [[name(7)], 0]);
  fs.writeFileSync(join(place.root, name(9)), "needle!\n");
  assert.deepEqual((await one.ask()).found, [name(7), name(9)].sort());
});

test("fault-35: a process that was held for long: what was written meanwhile is in its next answer", async () => {
  const one = await searching(await many());
  const { place, child } = one;
  child.kill("SIGSTOP");
  fs.writeFileSync(join(place.root, place.files[3] as string), "needle!\n");
  const asked = one.ask();
  await sleep(400);
  child.kill("SIGCONT");
  assert.deepEqual((await asked).found, [place.files[3]]);
});

test("fault-35: a cookie that is lost: every file is asked about, and the call does not wait for long", async () => {
  const one = await searching(await many());
  const { place, folder } = one;
  const [name] = fs.readdirSync(folder).filter((entry) => entry.includes(".watch-"));
  assert.ok(name !== undefined);
  // Cookies can be written, and their events are told to nobody.
  const cookies = join(folder, name);
  fs.renameSync(cookies, join(folder, "away"));
  fs.cpSync(join(folder, "away"), cookies, { recursive: true });
  fs.writeFileSync(join(place.root, place.files[5] as string), "needle!\n");
  const started = performance.now();
  const { found, unasked } = await one.ask();
  assert.deepEqual([found, unasked], [[place.files[5]], 0]);
  assert.ok(performance.now() - started < 3_000);
});

for (const [what, levels] of [
  ["the root", 0],
  ["a folder above the root", 1],
] as const) {
  test(`fault-35: ${what} is moved, and another takes its place: the answer is of what is there now`, async () => {
    const outer = await makePlace({
      "above/tree/a": "nothing\n",
      "above/tree/b": "needle\n",
      "above/tree/c": "nothing\n",
    });
    const root = join(outer.root, "above/tree");
    const one = await searching(await openPlace(root, ["a", "b", "c"]));
    const moved = join(outer.root, ["above/tree", "above"][levels] as string);
    fs.renameSync(moved, join(outer.root, "old"));
    fs.mkdirSync(root, { recursive: true });
    for (const [name, text] of [
      ["a", "needle!\n"],
      ["b", "nothing\n"],
      ["c", "nothing\n"],
    ] as const)
      fs.writeFileSync(join(root, name), text);
    const { found, unasked } = await one.ask();
    assert.deepEqual([found, unasked], [["a"], 0]);
    fs.writeFileSync(join(root, "c"), "needle!\n");
    assert.deepEqual((await one.ask()).found, ["a", "c"]);
    // Back again: nothing of what was known then counts.
    fs.renameSync(moved, join(outer.root, "second"));
    fs.renameSync(join(outer.root, "old"), moved);
    fs.writeFileSync(join(root, "b"), "nothing\n");
    assert.deepEqual((await one.ask()).found, []);
  });
}
