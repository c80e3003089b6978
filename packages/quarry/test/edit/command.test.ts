import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { contentVersion } from "#src/files/version.js";
import { PACKAGE } from "../support/tour.js";
import { makeTree } from "../support/tree.js";
import { CACHE, textOf } from "./editing.js";

function quarry(
  root: string,
  args: readonly string[],
  input: string | Buffer = "",
): { readonly status: number | null; readonly out: string; readonly err: string } {
  const env = { PATH: process.env["PATH"] ?? "", HOME: CACHE, QUARRY_CACHE_DIR: CACHE };
  const ran = spawnSync(process.execPath, [join(PACKAGE, "bin/quarry.js"), ...args], {
    cwd: root,
    env,
    input,
    encoding: "utf8",
  });
  return { status: ran.status, out: ran.stdout, err: ran.stderr };
}

test("quarry edit replaces text, and says what it did", () => {
  const root = makeTree({ "a.txt": "one\ntwo\ntwo\n", "-v": "x\n" });
  const done = quarry(root, ["edit", "a.txt", "--old", "one", "--new", "-1 $&", "--allow-write"]);
  assert.deepEqual([done.status, done.err], [0, ""]);
  assert.match(
    done.out,
    /^Edited a\.txt \(1 replacement\), version [0-9a-f]{16}\n@@ -1,3 \+1,3 @@\n-one\n\+-1 \$&\n two\n two\n$/,
  );
  const twice = quarry(root, ["edit", "a.txt", "--old", "two", "--new", "2", "--allow-write"]);
  assert.equal(twice.status, 2);
  assert.match(twice.err, /^Error OLD_STR_NOT_UNIQUE: .*at lines 2, 3/);
  const all = quarry(root, ["edit", "a.txt", "--old", "two", "--new", "2", "--all", "--allow-write", "--json"]);
  assert.equal(all.status, 0);
  assert.equal((JSON.parse(all.out) as { replacements: number }).replacements, 2);
  assert.equal(textOf(root, "a.txt"), "-1 $&\n2\n2\n");
  assert.equal(quarry(root, ["edit", "--old", "x", "--new", "y", "--allow-write", "--", "-v"]).status, 0);
  assert.equal(textOf(root, "-v"), "y\n");
  assert.equal(
    quarry(root, ["edit", "a.txt", "--old", "2", "--new", "3", "--all", "--if-version", "0", "--allow-write"]).status,
    2,
  );
  assert.equal(quarry(root, ["edit", "a.txt", "--old", "2", "--allow-write"]).status, 2);
});

test("quarry write takes the content from standard input", () => {
  const root = makeTree({});
  const made = quarry(root, ["write", "d/a.txt", "--create-dirs", "--allow-write"], "é $&\n");
  assert.deepEqual([made.status, made.err], [0, ""]);
  assert.equal(textOf(root, "d/a.txt"), "é $&\n");
  const again = quarry(root, ["write", "d/a.txt", "--allow-write"], "new\n");
  assert.equal(again.status, 2);
  assert.match(again.err, /^Error FILE_EXISTS/);
  const version = contentVersion(Buffer.from("é $&\n"));
  assert.equal(quarry(root, ["write", "d/a.txt", "--if-version", version, "--allow-write"], "new\n").status, 0);
  assert.equal(textOf(root, "d/a.txt"), "new\n");
  const bytes = quarry(root, ["write", "b.txt", "--allow-write"], Buffer.from([0x61, 0xff]));
  assert.equal(bytes.status, 2);
  assert.match(bytes.err, /standard input is not UTF-8 text/);
});

test("without --allow-write nothing is changed, and the error names the flag", () => {
  const root = makeTree({ "a.txt": "one\n" });
  for (const args of [
    ["edit", "a.txt", "--old", "one", "--new", "two"],
    ["write", "b.txt"],
  ]) {
    const ran = quarry(root, args, "x");
    assert.equal(ran.status, 2);
    assert.match(ran.err, /^Error READ_ONLY: .* Add --allow-write to allow it\.\n$/);
  }
  assert.equal(textOf(root, "a.txt"), "one\n");
});
