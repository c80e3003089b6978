import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Mount } from "#src/workspace/mount.js";
import { isVersionControl } from "#src/workspace/version-control.js";
import { makeTree } from "../support/tree.js";
import { editTools, refused } from "./editing.js";

test("nothing below a folder of version control is written: its hooks and configuration run programs", async () => {
  const root = makeTree({
    ".git/config": "[core]\n",
    "sub/.git": "gitdir: ../.git/modules/sub\n",
    ".svn/entries": "12\n",
    ".gitignore": "dist\n",
    link: { link: ".git" },
    "git/notes.git": "a\n",
  });
  const { replace, write } = await editTools(root);
  for (const path of [".git/config", "sub/.git", ".svn/entries", "link/config"]) {
    const before = readFileSync(join(root, path), "utf8");
    const error = refused(await replace({ path, old_str: before, new_str: "[core]\n\tfsmonitor = touch x\n" }));
    assert.equal(error.code, "READ_ONLY", path);
    assert.match(error.message, /belongs to version control/);
    assert.equal(readFileSync(join(root, path), "utf8"), before);
  }
  for (const path of [".git/hooks/pre-commit", "sub/new/.git/config", ".hg/hgrc", "link/hooks/post-checkout"]) {
    assert.equal(refused(await write({ path, content: "#!/bin/sh\n", create_dirs: true })).code, "READ_ONLY", path);
    assert.ok(!existsSync(join(root, path)), path);
  }
  assert.ok(!existsSync(join(root, ".git/hooks")) && !existsSync(join(root, "sub/new")), "no folder was made either");
  assert.equal((await replace({ path: ".gitignore", old_str: "dist", new_str: "out" })).isError, false);
  assert.equal((await replace({ path: "git/notes.git", old_str: "a", new_str: "b" })).isError, false);
});

test("where a file system folds names, no other spelling of .git is written", () => {
  const mount = (foldsNames: boolean): Mount => ({ foldsNames }) as Mount;
  for (const path of [".GIT/config", "a/.Git", ".gIt/hooks/x", "GIT~1/config", ".HG/hgrc"]) {
    assert.equal(isVersionControl(mount(true), path), true, path);
    assert.equal(isVersionControl(mount(false), path), false, path);
  }
  for (const path of [".gitignore", "git/config", "a.git", "x/.github/y"])
    assert.equal(isVersionControl(mount(true), path), false, path);
});
