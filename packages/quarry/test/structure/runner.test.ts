/** `scripts/test.js` is what CI believes: it must fail whenever a test did not really run. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { REPOSITORY } from "./sources.js";

/** Runs the script over one test file with this body, in a repository of its own. */
function runOver(body: string, env: Record<string, string> = {}): { status: number | null; stdout: string } {
  const root = mkdtempSync(join(tmpdir(), "quarry-runner-"));
  try {
    cpSync(join(REPOSITORY, "scripts"), join(root, "scripts"), { recursive: true });
    const folder = join(root, "packages/p");
    for (const name of ["test", "dist-test"]) mkdirSync(join(folder, name), { recursive: true });
    for (const place of [root, folder]) writeFileSync(join(place, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "test/a.test.ts"), "");
    writeFileSync(join(folder, "dist-test/a.test.js"), `import test from "node:test";\n${body}\n`);
    writeFileSync(join(folder, "dist-test/gone.test.js"), 'throw new Error("its source is gone");');
    const { QUARRY_NO_SKIPS: _, ...rest } = process.env;
    return spawnSync(process.execPath, [join(root, "scripts/test.js")], { env: { ...rest, ...env }, encoding: "utf8" });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const cases: [string, string, number, RegExp][] = [
  ["a test that passes", 'test("a", () => {});', 0, /^# tests 1\n[\s\S]*^# pass 1\n# fail 0$/m],
  [
    "a test that fails",
    'test("a", () => { throw new Error("why"); });',
    1,
    /not ok p\/a: a\nError: why[\s\S]*^# fail 1$/m,
  ],
  ["a file that does not load", 'import "./nowhere.js";', 1, /^FAILED p\/a$/m],
  ["a file without a test", "", 1, /FAILED p\/a holds no test/],
  ["nothing but skips", 'test("a", { skip: "needs sun" }, () => {});', 1, /FAILED no test ran/],
  [
    "a skip without a reason",
    'test("a", () => {}); test("b", { skip: true }, () => {});',
    1,
    /FAILED p\/a: b is skipped without a reason/,
  ],
  [
    "a skip with a reason",
    'test("a", () => {}); test("b", { skip: "needs sun" }, () => {});',
    0,
    /skip p\/a: b # needs sun/,
  ],
  [
    "a test to be done",
    'test("a", () => {}); test("b", { todo: true }, () => {});',
    1,
    /FAILED p\/a: b is marked todo/,
  ],
  [
    "a test inside a test that fails",
    'test("a", (t) => t.test("b", () => { throw new Error("why"); }));',
    1,
    /FAILED p\/a: b/,
  ],
];
for (const [what, body, status, says] of cases) {
  test(`the runner over ${what} ends with ${status}`, () => {
    const run = runOver(body);
    assert.equal(run.status, status, run.stdout);
    assert.match(run.stdout, says);
  });
}

test("CI accepts a skip only for what the machine cannot be", () => {
  const skipping = (reason: string): number | null =>
    runOver(`test("a", () => {}); test("b", { skip: "${reason}" }, () => {});`, { QUARRY_NO_SKIPS: "1" }).status;
  assert.equal(skipping("needs sun"), 1);
  assert.equal(skipping("needs Node 18"), 1);
  assert.equal(skipping("needs Node 999"), 0);
  assert.equal(skipping(process.platform === "win32" ? "needs Linux" : "needs Windows"), 0);
});
