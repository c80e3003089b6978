import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { makeTree } from "../support/tree.js";
import { open, openTree } from "./opened.js";

test("fault-22: with several roots a pattern may begin with a root's name, as the paths that are shown do", async () => {
  const root = makeTree({
    "web/src/a.ts": "",
    "web/b.ts": "",
    "api/src/c.ts": "",
    "api/web/d.ts": "",
    "api/web/only/e.ts": "",
  });
  const at = await open(root, {
    artifacts: false,
    mounts: [{ host: join(root, "web") }, { host: join(root, "api") }],
  });
  const paths = async (pattern: string): Promise<readonly string[]> => (await at.glob({ pattern })).value.paths;
  assert.deepEqual(await paths("web/src/*.ts"), ["web/src/a.ts"]);
  assert.deepEqual(await paths("./web/*.ts"), ["web/b.ts"]);
  assert.deepEqual(await paths("web/**"), ["web/b.ts", "web/src/a.ts"]);
  assert.deepEqual(await paths("api/web/*.ts"), ["api/web/d.ts"]);
  assert.deepEqual(await paths("src/*.ts"), ["web/src/a.ts", "api/src/c.ts"]);
  // No such folder in the root of that name: the pattern is then looked for in every root.
  assert.deepEqual(await paths("web/only/*"), ["api/web/only/e.ts"]);
});

test("an empty glob says where only folders match, and how to have them listed", async () => {
  const at = await openTree({ "src/in/a.ts": "", "out/in/b.ts": "", "Doc/c.md": "" }, { artifacts: false });
  for (const pattern of ["in", "**/in", "in/"]) {
    const { text } = await at.glob({ pattern });
    assert.equal(text, "0 paths match among 3 files.\n2 folders match (out/in/, src/in/): include_dirs: true.");
    assert.deepEqual((await at.glob({ pattern, include_dirs: true })).value.paths, ["out/in/", "src/in/"]);
  }
  const other = await at.glob({ pattern: "doc", include_dirs: true });
  assert.match(other.text, /\n1 path matches in another letter case, in Doc\/: write the pattern so\.$/);
});
