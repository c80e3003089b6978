import assert from "node:assert/strict";
import { lstatSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { EMPTY_NAMES, LONG_FILES } from "./rooms.js";
import { REPOSITORY, repositoryFiles, textOf } from "./sources.js";

const LONGEST = 400;
const files = repositoryFiles().filter((file) => lstatSync(join(REPOSITORY, file)).isFile());
const code = files.filter((file) => /\.(ts|js)$/.test(file));

test(`files have at most ${LONGEST} lines, or a reason`, () => {
  const lines = new Map(code.map((file) => [file, textOf(file).split("\n").length - 1]));
  const long = [...lines].filter(([, count]) => count > LONGEST).map(([file]) => file);
  assert.deepEqual(
    long.filter((file) => !Object.hasOwn(LONG_FILES, file)),
    [],
    "split it, or list it with its reason in rooms.ts",
  );
  assert.deepEqual(
    Object.keys(LONG_FILES).filter((file) => !long.includes(file)),
    [],
    "listed and not long (any more)",
  );
});

test("names say what a file holds", () => {
  assert.deepEqual(
    files.filter((file) => file.split("/").some((part) => EMPTY_NAMES.test(part)) || EMPTY_NAMES.test(basename(file))),
    [],
  );
});

test("nothing in the repository names a developer's machine or where packages came from", () => {
  // Written in parts, so that this file does not name them either.
  const machine = new RegExp(String.raw`(?<![\w.~-])/(?:${["wo" + "rk", "ro" + "ot"].join("|")})/`);
  const registry = new RegExp(
    ["registry\\.npm" + "js\\.", "deb\\.deb" + "ian\\.", "registry\\.yarn" + "pkg\\.", '"resolved": "ht' + "tp"].join(
      "|",
    ),
  );
  const found = files.flatMap((file) =>
    textOf(file)
      .split("\n")
      .flatMap((line, at) => (machine.test(line) || registry.test(line) ? [`${file}:${at + 1}`] : [])),
  );
  assert.deepEqual(found, []);
});

test("no test is switched off, none is the only one", () => {
  const found = code
    .filter((file) => /\.test\.(ts|js)$/.test(file))
    .filter((file) => /\b(?:test|it|describe|suite)\.(?:only|todo)\(/.test(textOf(file)));
  assert.deepEqual(found, []);
});

test("what must be executable is", () => {
  for (const file of ["packages/quarry/bin/quarry.js", ".ci/run"]) {
    assert.notEqual(lstatSync(join(REPOSITORY, file)).mode & 0o111, 0, file);
  }
});
