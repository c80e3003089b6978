import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { agentIn, BASE, BASH, folder, loadRows, search, textOf } from "./support/harness.js";
import { inPath, program } from "./support/rg.js";

/** A ripgrep that takes half a minute for a search, and leaves its process id where the test finds it. */
function slowRg(t: TestContext): { readonly alive: () => boolean } {
  const pid = join(folder(), "pid");
  inPath(t, program("rg", `echo $$ > ${pid}\nsleep 30 & echo $! >> ${pid}\nwait`));
  return {
    alive: () =>
      execFileSync("bash", ["-c", `for p in $(cat ${pid}); do kill -0 $p 2>/dev/null && echo $p; done; true`], {
        encoding: "utf8",
      }).trim() !== "",
  };
}

async function gone(alive: () => boolean): Promise<void> {
  for (let i = 0; i < 50 && alive(); i++) await sleep(100);
  assert.equal(alive(), false, "a process is left");
}

test("[A-025][A-032] fault-53: the real policy ends a call at timeoutMs, and nothing is left running", async (t) => {
  const rg = slowRg(t);
  const harness = await loadRows(t, [...BASE, BASH, search({ timeoutMs: 300 })]);
  const started = performance.now();
  for (const name of ["grep", "glob"]) {
    const result = await harness.call(name, { pattern: "x" }, { agent: agentIn(folder()) });
    assert.equal(result.isError && result.error.info?.code, "TOOL_TIMEOUT");
    assert.match(textOf(result), /timed out after 300ms/);
    await gone(rg.alive);
  }
  assert.ok(performance.now() - started < 15_000);
});

test("[A-032][A-052] the executor's own limit comes first: SEARCH_ABORTED with that limit, and nothing is left running", async (t) => {
  const rg = slowRg(t);
  const harness = await loadRows(t, [...BASE, { ...BASH, config: { timeoutMs: 350 } }, search()]);
  for (const name of ["grep", "glob"]) {
    const result = await harness.call(name, { pattern: "x" }, { agent: agentIn(folder()) });
    assert.equal(result.isError && result.error.info?.code, "SEARCH_ABORTED");
    assert.match(textOf(result), /the shell's own time limit of 350 ms/);
    await gone(rg.alive);
  }
});

test("[A-031][A-052] a cancelled call ends at once: SEARCH_ABORTED, and nothing is left running", async (t) => {
  const rg = slowRg(t);
  const harness = await loadRows(t, [...BASE, BASH, search()]);
  for (const name of ["grep", "glob"]) {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 400);
    const result = await harness.call(name, { pattern: "x" }, { agent: agentIn(folder()), signal: controller.signal });
    assert.equal(result.isError && result.error.info?.code, "SEARCH_ABORTED", textOf(result));
    assert.match(textOf(result), /the call was cancelled or its own time limit was reached/);
    await gone(rg.alive);
  }
});

test("[A-067] a real signal death is an error", async (t) => {
  inPath(t, program("rg", "kill -KILL $$"));
  const cwd = folder();
  writeFileSync(join(cwd, "a"), "x");
  const harness = await loadRows(t, [...BASE, BASH, search()]);
  const grep = await harness.call("grep", { pattern: "x" }, { agent: agentIn(cwd) });
  assert.match(textOf(grep), /grep was ended by SIGKILL/);
  const glob = await harness.call("glob", { pattern: "x" }, { agent: agentIn(cwd) });
  assert.match(textOf(glob), /glob was ended by signal 9/);
  for (const result of [grep, glob]) assert.equal(result.isError && result.error.info?.code, "SEARCH_FAILED");
});
