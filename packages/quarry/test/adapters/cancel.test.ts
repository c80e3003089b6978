/** Cancellation in the middle of a search that would never end by itself: the agent is free at once, and nothing is left. */
import assert from "node:assert/strict";
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { langchainTools } from "#src/adapters/langchain.js";
import { deerflowTools } from "#src/tools/deerflow.js";
import { LocalSandbox } from "#src/tools/local-sandbox.js";
import type { EngineChoice } from "#src/tools/registry.js";
import { place, ROOT } from "../deerflow/place.js";
import { descendants, eventually, isAlive } from "../support/mcp.js";
import { runAgent, type Script } from "./agent.js";

const GB = 1 << 30;
const { workspace, root } = await place({ "large.bin": "needle\n" });
// A file of zeros takes no room, and a search of it seconds.
truncateSync(join(root, "large.bin"), 16 * GB);

function tools(engine: EngineChoice) {
  return langchainTools(deerflowTools({ sandbox: new LocalSandbox(workspace, { engine }) }));
}

const LARGE = { name: "grep", args: { pattern: "absent", path: `${ROOT}/large.bin` } };

function* searching(): Script {
  yield LARGE;
}

/** Runs `search` until it is in the middle of it, cancels it, and sees it reject. @returns how long that took, in ms. */
async function cancelled(search: (signal: AbortSignal) => Promise<unknown>, begun: () => boolean): Promise<number> {
  const abort = new AbortController();
  const reason = new Error("no longer wanted");
  const ended = search(abort.signal).then(
    () => "it ended by itself",
    (error: unknown) => error,
  );
  await eventually(begun, 10_000, "the search began");
  const start = performance.now();
  abort.abort(reason);
  assert.equal(await ended, reason);
  return performance.now() - start;
}

/** A machine that is busy with something else may be late once, and not each time. */
async function withinASecond(attempt: () => Promise<number>): Promise<void> {
  const took: number[] = [];
  while (took.length < 3) {
    took.push(Math.round(await attempt()));
    if ((took.at(-1) as number) < 1_000) return;
  }
  assert.fail(`${took.join(", ")} ms`);
}

for (const [who, search] of [
  ["the agent's", (signal: AbortSignal) => runAgent(tools("ripgrep"), searching(), { signal })],
  ["the call's", async (signal: AbortSignal) => tools("ripgrep")[2]?.invoke(LARGE.args, { signal })],
] as const) {
  test(`fault-53: ${who} signal, with ripgrep's process held: rejected within a second with its reason, no process is left`, async () => {
    await withinASecond(async () => {
      let children: number[] = [];
      const ms = await cancelled(search, () => {
        children = descendants(process.pid);
        // It cannot end by itself any more, and takes no time of the processor.
        for (const child of children) process.kill(child, "SIGSTOP");
        return children.length > 0;
      });
      await eventually(() => !children.some(isAlive), 1_000, "its processes have ended");
      assert.deepEqual(descendants(process.pid), []);
      return ms;
    });
  });
}

for (const engine of ["kernel", "wasm"] as const) {
  test(`the call's signal ends a search of the engine ${engine} within a second`, () =>
    withinASecond(() => {
      const middle = performance.now() + 500;
      return cancelled(
        async (signal) => tools(engine)[2]?.invoke(LARGE.args, { signal }),
        () => performance.now() > middle,
      );
    }));
}

test("a call's timeout ends the search as its signal does, and a signal that came before the call leaves nothing to do", () =>
  withinASecond(async () => {
    const [, , grep] = tools("kernel");
    const early = AbortSignal.abort(new Error("early"));
    const start = performance.now();
    await assert.rejects(async () => grep?.invoke(LARGE.args, { timeout: 200 }), { name: "TimeoutError" });
    await assert.rejects(async () => grep?.invoke(LARGE.args, { signal: early }), /^Error: early$/);
    return performance.now() - start - 200;
  }));
