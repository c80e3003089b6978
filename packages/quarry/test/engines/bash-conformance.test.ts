import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { BashEngine } from "#src/engines/bash/engine.js";
import { QuarryError } from "#src/errors/errors.js";
import type { BashExecutor, BashResult, BashSpec } from "#src/executors/executor.js";
import { DIFFERS, executor } from "./bash.js";
import { conformance } from "./conformance.js";
import { ask, children, makePlace, run } from "./place.js";

conformance("bash", () => new BashEngine(executor()), DIFFERS);

test("bash: a late NUL makes the search incomplete, whatever is behind it", async () => {
  const place = await makePlace({ f: `x 1\n${"filler\n".repeat(12_000)}x 2\nab\0cd\n` });
  const { found, report } = await run(new BashEngine(executor()), place, ask("x"));
  assert.deepEqual(
    found[0]?.lines.map((line) => line.split(":")[2]),
    ["x 1", "x 2"],
  );
  assert.equal(report.incomplete, "nul-byte");
});

test("bash: fault-65: a line whose record is over 16 MiB is passed over, which is said", async () => {
  const place = await makePlace({ "a.min.js": `${"a".repeat(20_000_000)}NEEDLE\n`, b: "NEEDLE\n" });
  const { found, report } = await run(new BashEngine(executor()), place, ask("NEEDLE"));
  assert.deepEqual(
    found.map((f) => f.path),
    ["b"],
  );
  assert.deepEqual(
    [report.incomplete, report.reason],
    ["engine", "a match on a line of more than 16 MiB is not shown"],
  );
});

/** An executor whose results a test changes. */
function changed(change: (result: BashResult, spec: BashSpec) => BashResult | Promise<BashResult>): BashExecutor {
  const real = executor();
  return { resolve: (request) => real.resolve(request), run: async (spec) => change(await real.run(spec), spec) };
}

test("bash: more files than one command takes are asked in several, in order, no more at once than may run", async () => {
  const place = await makePlace(
    Object.fromEntries(
      Array.from({ length: 2_300 }, (_, i) => [`f${String(i).padStart(4, "0")}`, i % 10 === 0 ? "x\n" : "y\n"]),
    ),
  );
  let atOnce = 0;
  let most = 0;
  const real = executor();
  const counting: BashExecutor = {
    resolve: (request) => real.resolve(request),
    run: async (spec) => {
      most = Math.max(most, ++atOnce);
      const result = await real.run(spec);
      atOnce -= 1;
      return result;
    },
  };
  const { found, report } = await run(new BashEngine(counting), place, ask("x"), { chunk: 5_000, parallel: 2 });
  assert.deepEqual(
    found.map((f) => f.path),
    place.files.filter((_, i) => i % 10 === 0),
  );
  assert.deepEqual([report.filesSearched, report.incomplete, most], [2_300, null, 2]);
});

test("bash: output that is cut is asked for again in halves; one file with too much of it is said", async () => {
  const place = await makePlace({ a: "x\n", b: "x\n", c: "x\n" });
  let commands = 0;
  const halving = changed((result, spec) => {
    commands += 1;
    return {
      ...result,
      stdout: { ...result.stdout, truncated: (spec.command.match(/'\.\/[abc]'/g) ?? []).length > 1 },
    };
  });
  const { found, report } = await run(new BashEngine(halving), place, ask("x"));
  assert.deepEqual([found.map((f) => f.path), report.incomplete, commands], [["a", "b", "c"], null, 5]);
  const never = changed((result, spec) => ({
    ...result,
    stdout: { ...result.stdout, truncated: spec.command.includes("'./b'") },
  }));
  const part = await run(new BashEngine(never), place, ask("x"));
  assert.deepEqual(
    part.found.map((f) => f.path),
    ["a", "c"],
  );
  assert.equal(part.report.incomplete, "engine");
  assert.match(part.report.reason ?? "", /one file's matches take more than/);
});

test("bash: fault-62 fault-12: a shell without ripgrep, and one that does not start, are no empty answer", async () => {
  const place = await makePlace({ a: "x\n" });
  const empty = mkdtempSync(join(tmpdir(), "bin-"));
  writeFileSync(join(empty, "rg"), "");
  chmodSync(join(empty, "rg"), 0o755);
  const gone = new BashEngine(
    changed((result) => ({ ...result, exitCode: 127, stdout: { text: "", truncated: false } })),
  );
  assert.deepEqual(await gone.status(), { available: false, detail: "the shell finds no ripgrep (rg)" });
  await assert.rejects(
    run(gone, place, ask("x")),
    (error) =>
      error instanceof QuarryError && error.code === "SEARCH_FAILED" && error.message.includes("cannot run ripgrep"),
  );
  const odd = new BashEngine(executor([empty]));
  assert.equal((await odd.status()).available, false);
  await assert.rejects(run(odd, place, ask("x")), /reported a match and printed none/);
  const dead: BashExecutor = {
    resolve: (request) => executor().resolve(request),
    run: () => Promise.reject(new Error("no connection")),
  };
  assert.deepEqual(await new BashEngine(dead).status(), { available: false, detail: "the shell cannot run commands" });
  await assert.rejects(run(new BashEngine(dead), place, ask("x")), /the shell could not run the command/);
});

test("bash: fault-03: the executor's own limit, a signal, an odd status and odd output make the answer incomplete or an error", async () => {
  const place = await makePlace({ a: "x\n", b: "x\n" });
  /** Changes what the command over `b` gave; the one over `a` stays. */
  const onB = (change: Partial<BashResult>): BashEngine =>
    new BashEngine(changed((result, spec) => (spec.command.includes("'./b'") ? { ...result, ...change } : result)));
  for (const [change, incomplete, reason] of [
    [{ timedOut: true }, "timeout", /time limit/],
    [{ exitCode: null, signal: "SIGSEGV" }, "engine", /ended by SIGSEGV/],
    [{ exitCode: 9 }, "engine", /status 9/],
    [{ exitCode: 1 }, "engine", /printed matches and reported none/],
    [{ stdout: { text: "oops\n", truncated: false } }, "engine", /cannot be understood/],
    [{ exitCode: 2, stderr: { text: "rg: something broke\n", truncated: false } }, "engine", /something broke/],
  ] as const) {
    const { found, report } = await run(onB(change), place, ask("x"), { chunk: 1 });
    assert.equal(found[0]?.path, "a");
    assert.equal(report.incomplete, incomplete);
    assert.match(report.reason ?? "", reason);
  }
  assert.deepEqual(children(), []);
});
