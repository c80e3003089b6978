import assert from "node:assert/strict";
import fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { FileBatch } from "#src/search/engine.js";
import { rememberedWalk } from "#src/tools/remembered-walk.js";
import type { Walk, WalkQuery } from "#src/walk/query.js";
import { walk } from "#src/walk/walker.js";
import type { Target } from "#src/workspace/mount.js";
import { isPageCached } from "#src/workspace/local-files.js";
import { Workspace } from "#src/workspace/workspace.js";
import { changing, CHANGING_TREE } from "../engines/changing.js";
import { SETTLED_MS, watched } from "../engines/index-place.js";
import { makePlace, type Place } from "../engines/place.js";
import { generatedRuns } from "../support/cases.js";
import { makeTree } from "../support/tree.js";

function queryOf(place: Place, rest: Partial<WalkQuery> = {}): WalkQuery {
  const all = { include: [], exclude: [], types: [], includeIgnored: false, maxFileBytes: 0 };
  return { targets: [place.target], ...all, ...rest };
}

const never = new AbortController().signal;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
/** Without a watch a walk is remembered where nothing that it looked at was changed just now. */
const needsTrueTimes =
  process.platform === "linux" && isPageCached(makeTree({}))
    ? false
    : "needs Linux and a file system whose folders keep true times";

async function told(one: Walk): Promise<{ readonly batches: FileBatch[]; readonly answer: unknown }> {
  const batches: FileBatch[] = [];
  for await (const batch of one.batches(16_000)) batches.push(batch);
  const files = batches.flatMap((batch) => batch.files);
  return { batches, answer: [files, batches.flatMap((batch) => batch.trees), one.report] };
}

async function entries(one: Walk): Promise<unknown> {
  const found: unknown[] = [];
  for await (const group of one.entries({ dirs: true, others: true }))
    for (const { path, kind } of group) found.push([path, kind]);
  return [found, one.report];
}

/** Each makes a walk come to something else, or may. */
function changesOf(root: string): readonly (() => void)[] {
  const at = (name: string): string => join(root, name);
  return [
    () => fs.writeFileSync(at("new"), ""),
    () => fs.rmSync(at("new")),
    () => fs.renameSync(at("d/e"), at("d/f")),
    () => fs.writeFileSync(at("d/f/inside"), ""),
    () => fs.writeFileSync(at(".ignore"), "a\n"),
    () => fs.writeFileSync(at("d/.gitignore"), "b\n"),
    () => fs.writeFileSync(at("d/.gitignore"), ""),
    () => fs.writeFileSync(at(".git/info/exclude"), "inside\n"),
    () => fs.symlinkSync("a", at("link")),
    () => fs.chmodSync(at("d/f"), 0o700),
    () => fs.chmodSync(root, 0o700),
    () => fs.mkdirSync(at("d/.git")),
    () => fs.mkdirSync(at("d/.git/info")),
    () => fs.writeFileSync(at("d/.git/info/exclude"), "c\n"),
    () => fs.writeFileSync(at("d/.git/info/exclude"), "inside\n"),
    () => fs.renameSync(at("d/.git/info"), at("d/.git/off")),
    () => fs.renameSync(at("d/.git/off"), at("d/.git/info")),
    () => fs.rmSync(at(".git"), { recursive: true }),
    () => fs.writeFileSync(at(".git"), "gitdir: d/.git\n"),
    () => fs.writeFileSync(at("d/.git/info/exclude"), "a\n"),
  ];
}

test("a walk is remembered until a name comes or goes, or rules are written", async () => {
  const place = await makePlace({ a: "x\n", "d/b": "x\n", "d/e/c": "x\n", ".git/info/exclude": "", ".ignore": "" });
  const { engine } = await watched(place);
  const query = queryOf(place);
  const first = await told(rememberedWalk(query, never));
  const again = await told(rememberedWalk(query, never));
  assert.equal(again.batches[0], first.batches[0], "the same list");
  assert.deepEqual(again.answer, first.answer);
  fs.writeFileSync(join(place.root, "a"), "another\n");
  assert.equal(
    (await told(rememberedWalk(query, never))).batches[0],
    first.batches[0],
    "a written file is the same file",
  );
  let last = first;
  for (const change of changesOf(place.root)) {
    change();
    const now = await told(rememberedWalk(query, never));
    assert.deepEqual(now.answer, (await told(walk(query, never))).answer, String(change));
    assert.notEqual(now.batches[0], last.batches[0], String(change));
    last = now;
  }
  await engine.close();
  assert.deepEqual((await told(rememberedWalk(query, never))).answer, (await told(walk(query, never))).answer);
});

test(
  "without a watch a walk is remembered while all that it looked at is what it was",
  { skip: needsTrueTimes },
  async () => {
    const place = await makePlace({ a: "x\n", "d/b": "x\n", "d/e/c": "x\n", ".git/info/exclude": "", ".ignore": "" });
    const query = queryOf(place);
    const changes = changesOf(place.root);
    for (const change of changes.slice(0, -2)) {
      await sleep(SETTLED_MS);
      const first = await told(rememberedWalk(query, never));
      const again = await told(rememberedWalk(query, never));
      assert.equal(again.batches[0], first.batches[0], `the same list, before ${String(change)}`);
      assert.deepEqual(again.answer, first.answer);
      change();
      const now = await told(rememberedWalk(query, never));
      assert.deepEqual(now.answer, (await told(walk(query, never))).answer, String(change));
      assert.notEqual(now.batches[0], first.batches[0], String(change));
    }
    // From here on rules are kept elsewhere.
    for (const change of changes.slice(-2)) {
      await sleep(SETTLED_MS);
      await told(rememberedWalk(query, never));
      change();
      const now = await told(rememberedWalk(query, never));
      assert.deepEqual(now.answer, (await told(walk(query, never))).answer, String(change));
    }
  },
);

test("without a watch a part of the way is remembered, and the rest is walked", { skip: needsTrueTimes }, async () => {
  const names = Array.from({ length: 40 }, (_, i) => `d${String(i).padStart(2, "0")}`);
  const files = names.flatMap((name) => Array.from({ length: 30 }, (_, i) => [`${name}/f${10 + i}`, ""] as const));
  const place = await makePlace(Object.fromEntries(files));
  const query = queryOf(place);
  const inParts = async (one: Walk): Promise<FileBatch[]> => {
    const batches: FileBatch[] = [];
    for await (const batch of one.batches(100)) batches.push(batch);
    return batches;
  };
  await sleep(SETTLED_MS);
  const first = await inParts(rememberedWalk(query, never));
  fs.writeFileSync(join(place.root, "d30/new"), "");
  fs.rmSync(join(place.root, "d35"), { recursive: true });
  const now = rememberedWalk(query, never);
  const second = await inParts(now);
  const real = walk(query, never);
  const expected = await inParts(real);
  assert.deepEqual(
    second.flatMap(({ files: some }) => some),
    expected.flatMap(({ files: some }) => some),
  );
  assert.deepEqual(now.report, real.report);
  // The root has one name less: nothing of the first walk holds.
  assert.notEqual(second[0], first[0]);
  await sleep(SETTLED_MS);
  const third = await inParts(rememberedWalk(query, never));
  fs.writeFileSync(join(place.root, "d30/newer"), "");
  const last = rememberedWalk(query, never);
  const fourth = await inParts(last);
  assert.equal(fourth[0], third[0], "what comes before the change is handed on as it was");
  assert.deepEqual(
    fourth.flatMap(({ files: some }) => some),
    (await inParts(walk(query, never))).flatMap(({ files: some }) => some),
  );
  assert.equal(last.report.files, 40 * 30 - 30 + 2);
  const controller = new AbortController();
  const stopped = rememberedWalk(query, controller.signal);
  for await (const batch of stopped.batches(100)) {
    assert.ok(batch.files.length > 0);
    controller.abort();
  }
  assert.ok(stopped.report.stopped);
});

test("what is in folders of version control is listed anew each time: nobody watches it", async () => {
  const place = await makePlace({ a: "x\n", ".git/hooks/one": "x\n", "d/.hg/store": "x\n" });
  const { engine } = await watched(place);
  const inside: Target = { ...place.target, path: ".git/hooks", asked: ".git/hooks" };
  const queries = [queryOf(place, { only: "hidden" }), queryOf({ ...place, target: inside })];
  const count = async (): Promise<number[]> =>
    Promise.all(
      queries.map(async (query) => (await told(rememberedWalk(query, never))).batches.flatMap((b) => b.files).length),
    );
  assert.deepEqual(await count(), [2, 1]);
  fs.writeFileSync(join(place.root, ".git/hooks/two"), "");
  assert.deepEqual(await count(), [3, 2]);
  await engine.close();
});

test("folders that one mount denies are watched for others of the same folder", async () => {
  const place = await makePlace({ "a/x": "nothing\n", "secret/y": "nothing\n" });
  const strict = await Workspace.open({ mounts: [{ host: place.root, denied: ["secret"] }] });
  const { engine } = await watched({ ...place, target: strict.resolve(undefined, "directory"), files: ["a/x"] });
  const query = queryOf(place);
  assert.equal((await told(rememberedWalk(query, never))).batches[0]?.files.length, 2);
  await told(rememberedWalk(query, never));
  fs.writeFileSync(join(place.root, "secret/z"), "needle\n");
  assert.equal((await told(rememberedWalk(query, never))).batches[0]?.files.length, 3);
  await engine.close();
});

for (const isWatched of [true, false]) {
  const how = isWatched ? "over a watched tree" : "without a watch";
  test(`fault-35: ${how} lists, counts and notes are those of now, whatever another process does`, async (t) => {
    const { numRuns, seed } = generatedRuns(t, 400);
    const place = await makePlace(CHANGING_TREE);
    const engine = isWatched ? (await watched(place)).engine : null;
    const child = changing(place.root, seed);
    const queries = [
      queryOf(place),
      queryOf(place, { includeIgnored: true }),
      queryOf(place, { include: ["a", "*/b"], exclude: ["d2"] }),
      queryOf(place, { only: "ignored" }),
      queryOf({ ...place, target: { ...place.target, path: "d1", asked: "d1" } }),
    ];
    try {
      for (let i = 0; i < numRuns; i++) {
        const change = await child.next();
        // Now and then everything is old enough to be remembered.
        if (!isWatched && i % 5 === 0) await sleep(SETTLED_MS);
        for (const query of queries) {
          const message = `seed ${seed}, change ${i}: ${change}`;
          // A folder that is gone is nothing to be asked about.
          if (query.targets[0]?.path === "d1" && !fs.existsSync(join(place.root, "d1"))) continue;
          assert.deepEqual(
            (await told(rememberedWalk(query, never))).answer,
            (await told(walk(query, never))).answer,
            message,
          );
          assert.deepEqual(await entries(rememberedWalk(query, never)), await entries(walk(query, never)), message);
        }
      }
    } finally {
      child.end();
      await engine?.close();
    }
  });
}
