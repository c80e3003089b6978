import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { privateFolder } from "#src/spill/cache-folder.js";
import { makeTree } from "../support/tree.js";

const QUARRY = join(import.meta.dirname, "../../bin/quarry.js");

function edit(root: string, cache: string): ReturnType<typeof spawnSync> {
  const args = ["edit", "a.txt", "--old", "one", "--new", "two", "--allow-write", "--root", root];
  return spawnSync(process.execPath, [QUARRY, ...args], {
    env: { ...process.env, QUARRY_CACHE_DIR: cache },
    encoding: "utf8",
    timeout: 20_000,
  });
}

test("a cache folder some levels deep is made, each level closed to others", () => {
  const base = makeTree({});
  privateFolder(join(base, "a/b/c"));
  for (const level of ["a", "a/b", "a/b/c"]) assert.equal(statSync(join(base, level)).mode & 0o777, 0o700);
});

test(
  "a cache folder where none can be made keeps neither a search nor an edit waiting",
  { skip: existsSync("/proc/self") ? false : "only where there is /proc" },
  () => {
    const root = makeTree({ "a.txt": "one\n".repeat(3), "b.txt": "one\n" });
    const searched = spawnSync(process.execPath, [QUARRY, "grep", "one", "--max-results", "1", "--root", root], {
      env: { ...process.env, QUARRY_CACHE_DIR: "/proc/none/cache" },
      encoding: "utf8",
      timeout: 20_000,
    });
    assert.equal(searched.status, 0, searched.stderr);
    assert.match(searched.stdout, /The complete result could not be saved: /);
    const edited = edit(makeTree({ "a.txt": "one\n" }), "/proc/none/cache");
    assert.equal(edited.status, 0, String(edited.stderr));
    assert.match(String(edited.stdout), /^Edited a\.txt/);
  },
);
