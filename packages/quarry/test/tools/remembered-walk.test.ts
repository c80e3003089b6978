import assert from "node:assert/strict";
import fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { FileBatch } from "#src/search/engine.js";
import { rememberedWalk } from "#src/tools/remembered-walk.js";
import type { Walk, WalkQuery } from "#src/walk/query.js";
import { walk } from "#src/walk/walker.js";
import type { Target } from "#src/workspace/mount.js";
import { Workspace } from "#src/workspace/workspace.js";
import { changing, CHANGING_TREE } from "../engines/changing.js";
import { watched } from "../engines/index-place.js";
import { makePlace, type Place } from "../engines/place.js";
import { generatedRuns } from "../support/cases.js";

function queryOf(place: Place, rest: Partial<WalkQuery> = {}): WalkQuery {
  const all = { include: [], exclude: [], types: [], includeIgnored: false, maxFileBytes: 0 };
  return { targets: [place.target], ...all, ...rest };
}

const never = new AbortController().signal;

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
  const at = (name: string): string => join(place.root, name);
  for (const change of [
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
    () => fs.chmodSync(place.root, 0o700),
    () => fs.mkdirSync(at("d/.git")),
    () => fs.mkdirSync(at("d/.git/info")),
    () => fs.writeFileSync(at("d/.git/info/exclude"), "c\n"),
    () => fs.writeFileSync(at("d/.git/info/exclude"), "inside\n"),
    () => fs.renameSync(at("d/.git/info"), at("d/.git/off")),
    () => fs.renameSync(at("d/.git/off"), at("d/.git/info")),
    () => fs.rmSync(at(".git"), { recursive: true }),
    () => fs.writeFileSync(at(".git"), "gitdir: d/.git\n"),
    () => fs.writeFileSync(at("d/.git/info/exclude"), "a\n"),
  ]) {
    change();
    const now = await told(rememberedWalk(query, never));
    assert.deepEqual(now.answer, (await told(walk(query, never))).answer, String(change));
    assert.notEqual(now.batches[0], last.batches[0], String(change));
    last = now;
  }
  await engine.close();
  assert.deepEqual((await told(rememberedWalk(query, never))).answer, (await told(walk(query, never))).answer);
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

test("fault-35: lists, counts and notes are those of now, whatever another process does", async (t) => {
  const { numRuns, seed } = generatedRuns(t, 400);
  const place = await makePlace(CHANGING_TREE);
  const { engine } = await watched(place);
  const child = changing(place.root, seed);
  const queries = [
    queryOf(place),
    queryOf(place, { includeIgnored: true }),
    queryOf(place, { include: ["a", "*/b"], exclude: ["d2"] }),
    queryOf(place, { only: "ignored" }),
  ];
  try {
    for (let i = 0; i < numRuns; i++) {
      const change = await child.next();
      for (const query of queries) {
        const message = `seed ${seed}, change ${i}: ${change}`;
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
    await engine.close();
  }
});
