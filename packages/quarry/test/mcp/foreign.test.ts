import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { IndexStore } from "#src/engines/index/store.js";
import type { RelPath } from "#src/paths/path.js";
import { walk } from "#src/walk/walker.js";
import { changing, CHANGING_TREE } from "../engines/changing.js";
import { buildOf } from "../engines/index-place.js";
import { openPlace, type Place } from "../engines/place.js";
import { generatedRuns } from "../support/cases.js";
import { connect, quarryServer, type TestClient } from "../support/mcp.js";
import { makeTree } from "../support/tree.js";

/** The index is brought up to date, by another process than the server, after so many changes. */
const UPDATE_AFTER = 40;

function repository(): string {
  const root = fs.realpathSync(makeTree(CHANGING_TREE));
  const git = (...args: readonly string[]): void => {
    execFileSync("git", ["-C", root, "-c", "user.name=a", "-c", "user.email=a@b", ...args], { stdio: "ignore" });
  };
  git("init", "-q", "-b", "b0");
  git("add", "-A");
  git("commit", "-qm", "first");
  for (const branch of ["b1", "b2"]) {
    git("switch", "-qc", branch);
    for (const name of ["a", "d0/b", "d2/d0/d1/c"]) fs.writeFileSync(join(root, name), `needle on ${branch}\n`);
    fs.rmSync(join(root, branch === "b1" ? "d1" : "d0"), { recursive: true });
    git("add", "-A");
    git("commit", "-qm", branch);
  }
  git("switch", "-q", "b0");
  return root;
}

/** What is there now, by a walk and by reading each file. */
async function truth(
  place: Place,
): Promise<{ readonly files: RelPath[]; readonly counts: [path: RelPath, lines: number][] }> {
  const rules = { include: [], exclude: [], types: [], includeIgnored: false, maxFileBytes: 0 };
  const files: RelPath[] = [];
  const walked = walk({ targets: [place.target], ...rules }, new AbortController().signal);
  for await (const batch of walked.batches(1_000)) files.push(...batch.files);
  const counts = files.flatMap((path): [RelPath, number][] => {
    const lines = fs.readFileSync(join(place.root, path), "latin1").split("\n");
    const count = lines.filter((line) => line.includes("needle")).length;
    return count === 0 ? [] : [[path, count]];
  });
  return { files, counts };
}

async function answers(
  client: TestClient,
): Promise<{ readonly files: readonly RelPath[]; readonly counts: readonly unknown[]; readonly engine: string }> {
  const grep = await client.call("grep", { pattern: "needle", output: "count", max_results: 5_000 });
  const glob = await client.call("glob", { pattern: "**/*", max_results: 5_000 });
  const counted = grep.structured as { files: { path: RelPath; count: number }[]; meta: { engine: string } };
  const { paths } = glob.structured as { paths: RelPath[] };
  return { files: paths, counts: counted.files.map(({ path, count }) => [path, count]), engine: counted.meta.engine };
}

test("fault-35: another process changes a repository at random, branches too, and a server is asked at once", async (t) => {
  const { numRuns, seed } = generatedRuns(t, 1_000);
  const place = await openPlace(repository(), []);
  const cache = makeTree({ "index/.keep": "" });
  fs.chmodSync(cache, 0o700);
  fs.chmodSync(join(cache, "index"), 0o700);
  const store = new IndexStore(join(cache, "index"));
  assert.ok((await buildOf(place, store)).built);
  const server = quarryServer(["--root", place.root, "--engine", "index", "--structured"]);
  const client = await connect("v1", { ...server, env: { ...server.env, QUARRY_CACHE_DIR: cache } });
  const child = changing(place.root, seed);
  const done: string[] = [];
  let branches = 0;
  let seen = 0;
  try {
    for (let i = 0; i < numRuns; i++) {
      const change = await child.next();
      done.push(change);
      if (change === "switchBranch") branches += 1;
      const { files, counts, engine } = await answers(client);
      const now = await truth(place);
      const about = `seed ${seed}, change ${i}: ${done.slice(-6).join(", ")}`;
      assert.deepEqual(counts, now.counts, about);
      assert.deepEqual([...files].sort(), [...now.files].sort(), about);
      // Without any file nobody asks an index.
      assert.equal(engine, files.length > 0 ? "index" : "kernel", about);
      seen += counts.length;
      if (i % UPDATE_AFTER === UPDATE_AFTER - 1) assert.ok((await buildOf(place, store)).built);
    }
    t.diagnostic(`${numRuns} changes, ${branches} of them switches of a branch: 0 wrong answers, of ${seen} files`);
  } finally {
    child.end();
    await client.close();
  }
});
