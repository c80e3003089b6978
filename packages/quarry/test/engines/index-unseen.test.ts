import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { IndexEngine } from "#src/engines/index/engine.js";
import { KnownTree } from "#src/engines/index/known-tree.js";
import { IndexStore } from "#src/engines/index/store.js";
import { TreeWatch } from "#src/engines/index/watch.js";
import { whyUnwatched } from "#src/engines/index/watchable.js";
import { RipgrepEngine } from "#src/engines/ripgrep/engine.js";
import { Workspace } from "#src/workspace/workspace.js";
import { makeTree } from "../support/tree.js";
import { buildOf, indexFolder } from "./index-place.js";
import { ask, makePlace, run, type Place } from "./place.js";

/** What no event tells of: each writes `needle!` into `a`, of whose second name outside the tree nobody was told. */
const WRITINGS: Readonly<Record<string, (outside: string, inside: string) => void>> = {
  "a file is written under a name outside of the tree": (outside) => fs.writeFileSync(outside, "needle!\n"),
  "a file is written through shared memory": (_, inside) => {
    execFileSync("python3", [
      "-c",
      "import mmap, sys\nwith open(sys.argv[1], 'r+b') as f:\n m = mmap.mmap(f.fileno(), 0)\n m[0:7] = b'needle!'\n m.flush()",
      inside,
    ]);
  },
};

const SWEEP_MS = 300;

interface Unseen {
  readonly place: Place;
  readonly engine: IndexEngine;
  readonly inside: string;
  readonly outside: string;
  readonly found: () => Promise<string[]>;
}

async function unseen(options: { readonly watches: boolean; readonly sweepMs?: number }): Promise<Unseen> {
  const place = await makePlace({ a: "nothing\n", b: "a needle\n", c: "nothing\n" });
  const folder = indexFolder();
  assert.ok((await buildOf(place, new IndexStore(folder))).built);
  const engine = new IndexEngine({ fallback: new RipgrepEngine(), folder: () => folder, ...options });
  const found = async (): Promise<string[]> => (await run(engine, place, ask("needle"))).found.map(({ path }) => path);
  assert.deepEqual(await found(), ["b"]);
  for (let i = 0; options.watches && i < 400 && !engine.isWatched(place.root); i++) await sleep(10);
  assert.equal(engine.isWatched(place.root), options.watches);
  assert.deepEqual(await found(), ["b"]);
  assert.deepEqual(await found(), ["b"]);
  return { place, engine, inside: join(place.root, "a"), outside: join(makeTree({}), "other name"), found };
}

for (const [what, write] of Object.entries(WRITINGS)) {
  test(`fault-35: ${what}: without a watch it is found at once`, async () => {
    const { engine, inside, outside, found } = await unseen({ watches: false });
    fs.linkSync(inside, outside);
    write(outside, inside);
    assert.deepEqual(await found(), ["a", "b"]);
    await engine.close();
  });

  test(`fault-35: ${what}: over a watched tree the sweep finds it, within its bound`, async () => {
    const { engine, place, inside, outside, found } = await unseen({ watches: true, sweepMs: SWEEP_MS });
    assert.ok(engine.unasked > 0, "files are not asked about");
    fs.linkSync(inside, outside);
    write(outside, inside);
    await found();
    // Of an idle process, too: the last search has asked for a sweep.
    await sleep(SWEEP_MS * 4);
    assert.deepEqual(await found(), ["a", "b"]);
    assert.ok(engine.isWatched(place.root));
    await engine.close();
  });
}

test("fault-35: once a sweep has met a file's second name, what is written under it is found at once", async () => {
  const { engine, inside, outside, found } = await unseen({ watches: true, sweepMs: SWEEP_MS });
  fs.linkSync(inside, outside);
  await found();
  await sleep(SWEEP_MS * 4);
  for (const [text, expected] of [
    ["needle!\n", ["a", "b"]],
    ["nothing\n", ["b"]],
    ["needle?\n", ["a", "b"]],
  ] as const) {
    fs.writeFileSync(outside, text);
    assert.deepEqual(await found(), expected);
  }
  await engine.close();
});

test("what nobody has asked about for the time that it is trusted is asked anew", async () => {
  const place = await makePlace({ a: "nothing\n" });
  const store = new IndexStore(indexFolder());
  await buildOf(place, store);
  const open = store.open(place.root);
  assert.ok(open !== null);
  const known = new KnownTree(open, 100);
  for (let number = 0; number < known.same.size; number++) known.same.add(number);
  known.expire();
  assert.ok(known.same.has(0));
  await sleep(120);
  known.verified(performance.now() - 50);
  known.expire();
  assert.ok(known.same.has(0), "a sweep has asked");
  await sleep(80);
  known.expire();
  assert.ok(!known.same.has(0));
  open.file.close();
});

test("a list counts as the same for a time only: rules may be written under a name outside of the tree", async () => {
  const place = await makePlace({ ".ignore": "nobody\n", a: "needle\n" });
  const watch = new TreeWatch(place.target.mount, indexFolder(), () => undefined, { listingMs: 500 });
  for (let i = 0; i < 400 && !watch.isReady; i++) await sleep(10);
  await sleep(600);
  await watch.flush();
  const { listing } = watch;
  await watch.flush();
  assert.equal(watch.listing, listing);
  await sleep(600);
  await watch.flush();
  assert.notEqual(watch.listing, listing);
  await watch.end();
});

test("a watch that nobody asks ends and leaves nothing", async () => {
  const place = await makePlace({ a: "nothing\n", "d/b": "x\n" });
  const folder = indexFolder();
  let lost = false;
  const watch = new TreeWatch(place.target.mount, folder, (happened) => (lost ||= happened.lost), { idleMs: 2_000 });
  for (let i = 0; i < 400 && !watch.isReady; i++) await sleep(10);
  assert.ok(await watch.flush());
  for (let i = 0; i < 400 && !watch.isBroken; i++) await sleep(10);
  assert.ok(watch.isBroken && lost);
  assert.equal(await watch.flush(), false);
  assert.deepEqual(fs.readdirSync(folder), []);
  await watch.end();
});

test("a tree with too many folders is not watched, and says so; one that gets them later is not any more", async () => {
  const place = await makePlace(Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`d${i}/f`, "x\n"])));
  const folder = indexFolder();
  const broken = async (watch: TreeWatch): Promise<boolean> => {
    for (let i = 0; i < 1_000 && !watch.isBroken; i++) await sleep(10);
    return watch.isBroken && watch.isTooLarge && !(await watch.flush());
  };
  const small = new TreeWatch(place.target.mount, folder, () => undefined, { folders: 30 });
  assert.ok(await broken(small));
  const large = new TreeWatch(place.target.mount, folder, () => undefined, { folders: 40 });
  for (let i = 0; i < 1_000 && !large.isReady; i++) await sleep(10);
  assert.ok(await large.flush());
  for (let i = 30; i < 60; i++) fs.mkdirSync(join(place.root, `d${i}`));
  assert.ok(await broken(large));
  assert.deepEqual(fs.readdirSync(folder), []);
});

test("a tree that holds a file system which does not tell of every change is not watched", async () => {
  const { mount } = (await Workspace.open({ mounts: [{ host: "/" }] })).resolve(undefined, "directory");
  const folder = indexFolder();
  assert.throws(() => new TreeWatch(mount, folder, () => undefined), /not known to tell of every change/);
  assert.match(whyUnwatched("/", 1) ?? "", /not known to tell of every change/);
  assert.match(whyUnwatched(folder, 10_000_000) ?? "", /more than [\d,]+ folders/);
  assert.equal(whyUnwatched(folder, 10), null);
  assert.deepEqual(fs.readdirSync(folder), []);
});
