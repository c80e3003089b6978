/** The one ignore set: what `ls` shows `glob` and `grep` find, and the other way round. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { IGNORED, ignoredNames, isIgnoredName } from "#src/profiles/deerflow/ignored.js";
import type { GlobFound, GrepFound, Listed } from "#src/sandbox/sandbox.js";
import { PACKAGE } from "../support/tour.js";
import type { TreeSpec } from "../support/tree.js";
import { place, ROOT } from "./place.js";

const NAMES = IGNORED.flatMap((group) => group.names);
/** A name that an entry of the set matches. */
const example = (name: string): string => name.replaceAll("*", "x");

test("[B-029] the set covers every kind, with every name that the source gives", () => {
  const given = `.git .svn .hg .bzr node_modules .venv venv site-packages dist build target out .next .nuxt .output .turbo
    __pycache__ .pytest_cache .mypy_cache .ruff_cache *.log *.tmp *.bak *.swp`;
  assert.deepEqual(
    given.split(/\s+/).filter((name) => !NAMES.includes(name)),
    [],
  );
  assert.deepEqual(
    IGNORED.map(({ what }) => what),
    [
      "Version control",
      "Dependencies and virtual environments",
      "Build output",
      "Caches",
      "Logs and temporary files",
      "Coverage reports",
      "Editors",
      "System files",
    ],
  );
});

test("[B-030] it has about fifty names, none twice, and the documentation lists each", () => {
  assert.ok(NAMES.length >= 48 && NAMES.length <= 56, String(NAMES.length));
  assert.equal(new Set(NAMES).size, NAMES.length);
  const page = readFileSync(join(PACKAGE, "../../docs/deerflow.md"), "utf8");
  for (const name of NAMES) assert.ok(page.includes(`\`${name}\``), name);
});

test("[B-028] plain names are whole names, wildcards match; letter case counts here and does not on Windows", () => {
  const posix = ignoredNames(false);
  const windows = ignoredNames(true);
  for (const name of NAMES) {
    assert.ok(posix(example(name)) && windows(example(name)), name);
    assert.ok(windows(example(name).toUpperCase()), name);
    assert.equal(posix(example(name).toUpperCase()), !/[a-z]/.test(name), name);
  }
  for (const kept of [
    "git",
    ".github",
    ".gitignore",
    "distance",
    "builds",
    "my-dist",
    "log",
    "a.logs",
    "x.log.ts",
    "xlog",
    "Dist",
    ".envrc",
  ])
    assert.equal(posix(kept), false, kept);
  for (const odd of ["a\n.log", "*.log", ".log", "~", "\udc80.tmp"])
    assert.equal(posix(odd), true, JSON.stringify(odd));
  assert.equal(isIgnoredName("DIST"), process.platform === "win32");
});

test("names are decided in the time that their length takes", () => {
  const start = performance.now();
  for (const name of ["~".repeat(200_000) + "x", ".log".repeat(50_000) + "x", "*".repeat(200_000)]) isIgnoredName(name);
  assert.ok(performance.now() - start < 1_000);
});

test("[B-026][B-027] what one tool shows the others find: every name of the set, as a file and as a folder", async () => {
  const tree: Record<string, TreeSpec[string]> = {
    "kept.txt": "hit\n",
    "src/kept.txt": "hit\n",
    ".hidden/kept.txt": "hit\n",
  };
  for (const name of NAMES) {
    tree[`as-file/${example(name)}`] = "hit\n";
    tree[`as-folder/${example(name)}/inner.txt`] = "hit\n";
    tree[`deep/a/b/${example(name)}/c/inner.txt`] = "hit\n";
  }
  const { sandbox, call } = await place(tree);
  const kept = [`${ROOT}/.hidden/kept.txt`, `${ROOT}/kept.txt`, `${ROOT}/src/kept.txt`];
  const globbed = (await call("glob", { pattern: "**", path: ROOT, include_dirs: true })).value as GlobFound;
  const grepped = (await call("grep", { pattern: "hit", path: ROOT })).value as GrepFound;
  const folders = [".hidden", "as-file", "as-folder", "deep", "deep/a", "deep/a/b", "src"].map(
    (name) => `${ROOT}/${name}`,
  );
  assert.deepEqual([...globbed.paths].sort(), [...kept, ...folders].sort());
  assert.deepEqual(
    grepped.matches.map(({ path }) => path),
    kept,
  );
  const listed = new Set<string>();
  const visit = async (path: string): Promise<void> => {
    const answer: Listed = await sandbox.ls({ path });
    for (const entry of answer.entries) {
      listed.add(entry.path);
      if (entry.kind === "directory") await visit(entry.path);
    }
  };
  await visit(ROOT);
  assert.deepEqual([...listed].sort(), [...globbed.paths].sort());
});

test("[B-031] .gitignore, .ignore and hidden names play no part", async () => {
  const { text } = await place({
    ".git/HEAD": "ref\n",
    ".gitignore": "*.txt\nsecret/\n",
    ".ignore": "*\n",
    "a.txt": "hit\n",
    "secret/b.txt": "hit\n",
    ".config/c.txt": "hit\n",
  });
  assert.equal(
    await text("grep", { pattern: "hit", path: ROOT }),
    [
      `Found 3 matches under ${ROOT}`,
      `${ROOT}/.config/c.txt:1: hit`,
      `${ROOT}/a.txt:1: hit`,
      `${ROOT}/secret/b.txt:1: hit`,
    ].join("\n"),
  );
  assert.match(await text("glob", { pattern: ".gitignore", path: ROOT }), /^Found 1 paths/);
});

test("[B-032] fault-02: a folder or file that is named is searched whatever its name, and what the set names in it is left out", async () => {
  const { text } = await place({
    ".git/config": "hit\n",
    "node_modules/pkg/index.js": "hit\n",
    "node_modules/pkg/dist/index.js": "hit\n",
    "server.log": "hit\n",
  });
  const grep = (path: string): Promise<string> => text("grep", { pattern: "hit", path: `${ROOT}/${path}` });
  assert.equal(
    await grep("node_modules"),
    `Found 1 matches under ${ROOT}/node_modules\n${ROOT}/node_modules/pkg/index.js:1: hit\nSkipped: 1 entry left out by name.`,
  );
  assert.match(await grep("node_modules/pkg/dist"), /^Found 1 matches/);
  assert.match(await grep(".git"), /^Found 1 matches/);
  assert.match(await grep("server.log"), /^Found 1 matches/);
  assert.match(await text("glob", { pattern: "*.js", path: `${ROOT}/node_modules/pkg/dist` }), /^Found 1 paths/);
  assert.match(await text("ls", { path: `${ROOT}/node_modules` }), /^Found 1 entries/);
  assert.match(await text("read_file", { path: `${ROOT}/.git/config` }), /^hit$/);
});

test("[B-039] fault-01: every answer says how many entries were left out by name, version control aside", async () => {
  const { text } = await place({ ".git/config": "hit\n", "dist/a.js": "hit\n", "b.log": "hit\n", "c.txt": "x\n" });
  const told = "Skipped: 2 entries left out by name.";
  assert.equal(await text("grep", { pattern: "hit", path: ROOT }), `No matches found under ${ROOT}\n${told}`);
  assert.equal(
    await text("grep", { pattern: "x", path: ROOT }),
    `Found 1 matches under ${ROOT}\n${ROOT}/c.txt:1: x\n${told}`,
  );
  assert.equal(await text("glob", { pattern: "*.js", path: ROOT }), `No files matched under ${ROOT}\n${told}`);
  assert.equal(await text("ls", { path: ROOT }), `Found 1 entries under ${ROOT}\n${ROOT}/c.txt\n${told}`);
  const plain = await place({ ".git/config": "hit\n", ".hg/x": "hit\n", "c.txt": "x\n" });
  assert.equal(await plain.text("grep", { pattern: "hit", path: ROOT }), `No matches found under ${ROOT}`);
  assert.equal(await plain.text("ls", { path: ROOT }), `Found 1 entries under ${ROOT}\n${ROOT}/c.txt`);
});
