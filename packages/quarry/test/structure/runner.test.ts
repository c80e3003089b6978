/** `scripts/test.js` is what CI believes: it must fail whenever a test did not really run. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { REPOSITORY } from "./sources.js";

/** Runs the script in a repository of its own, over test files with these bodies. */
function runOver(
  bodies: Record<string, string>,
  env: Record<string, string> = {},
): { status: number | null; stdout: string } {
  const root = mkdtempSync(join(tmpdir(), "quarry-runner-"));
  try {
    cpSync(join(REPOSITORY, "scripts"), join(root, "scripts"), { recursive: true });
    const folder = join(root, "packages/p");
    for (const name of ["test", "dist-test"]) mkdirSync(join(folder, name), { recursive: true });
    for (const place of [root, folder]) writeFileSync(join(place, "package.json"), '{ "type": "module" }');
    for (const [name, body] of Object.entries(bodies)) {
      writeFileSync(join(folder, `test/${name}.test.ts`), "");
      writeFileSync(join(folder, `dist-test/${name}.test.js`), `import test from "node:test";\n${body}\n`);
    }
    writeFileSync(join(folder, "dist-test/gone.test.js"), 'throw new Error("its source is gone");');
    const { QUARRY_NO_SKIPS: _, ...rest } = process.env;
    return spawnSync(process.execPath, [join(root, "scripts/test.js")], { env: { ...rest, ...env }, encoding: "utf8" });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** The lines that say why a run failed. */
function complaints(stdout: string): string[] {
  return [...stdout.matchAll(/^FAILED (.*)$/gm)].map((match) => match[1] as string).sort();
}

test("a run is good where tests pass and skips have a reason; it ends with the runner's own totals", () => {
  const run = runOver({ a: 'test("a", () => {}); test("b", { skip: "needs sun" }, () => {});' });
  assert.equal(run.status, 0, run.stdout);
  assert.match(run.stdout, /skip p\/a: b # needs sun/);
  assert.match(run.stdout, /^# tests 2\n(?:# .*\n)*# pass 1\n# fail 0\n(?:# .*\n)*# skipped 1\n(?:# .*\n)*$/m);
});

test("whatever did not really run, or failed, fails the run and is named", () => {
  const run = runOver({
    fails: 'test("a", () => { throw new Error("why it fails"); });',
    inside: 'test("a", (t) => t.test("b", () => { throw new Error("inside"); }));',
    unloadable: 'import "./nowhere.js";',
    empty: "",
    skipped: 'test("a", () => {}); test("b", { skip: true }, () => {}); test("c", { todo: true }, () => {});',
  });
  assert.equal(run.status, 1, run.stdout);
  assert.deepEqual(complaints(run.stdout), [
    "p/empty holds no test",
    "p/fails: a",
    "p/inside: b",
    "p/skipped: b is skipped without a reason",
    "p/skipped: c is marked todo",
    "p/unloadable",
  ]);
  assert.match(run.stdout, /Error: why it fails/);
});

test("a run in which nothing ran fails", () => {
  const run = runOver({ a: 'test("a", { skip: "needs sun" }, () => {});' });
  assert.equal(run.status, 1, run.stdout);
  assert.deepEqual(complaints(run.stdout), ["no test ran"]);
});

test("CI accepts a skip only for what the machine cannot be", () => {
  const foreign = process.platform === "win32" ? "needs Linux" : "needs Windows";
  const reasons = ["needs sun", "needs Node 18", "needs Node 999", foreign];
  const body = reasons.map((reason) => `test("${reason}", { skip: "${reason}" }, () => {});`).join("\n");
  const run = runOver({ a: `test("a", () => {});\n${body}` }, { QUARRY_NO_SKIPS: "1" });
  assert.equal(run.status, 1, run.stdout);
  assert.deepEqual(complaints(run.stdout), [
    "p/a: needs Node 18 is skipped where it should run: needs Node 18",
    "p/a: needs sun is skipped where it should run: needs sun",
  ]);
});
