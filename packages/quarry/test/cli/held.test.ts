import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { holdsReadsOf, makeHold } from "../support/held.js";
import { connect, eventually, isAlive, quarryServer } from "../support/mcp.js";
import { makeTree } from "../support/tree.js";
import { aliveIn, start } from "./quarry.js";

/** A folder of which one file is on a server that is gone: whoever reads it waits inside the system for ever. */
const root = makeTree({
  ...Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`f${i}`, "needle\n"])),
  "gone/lost": "needle\n",
});

for (const engine of ["kernel", "wasm"]) {
  test(`fault-53: ${engine}: a time limit ends a search that the system holds, and the command`, async () => {
    const { env } = holdsReadsOf("lost", makeHold());
    const args = ["grep", "needle", "--engine", engine, "--timeout", "1s", "--no-artifacts"];
    const { child, ended } = start(root, args, env);
    const began = performance.now();
    const ran = await ended;
    assert.match(ran.stdout, /^INCOMPLETE: the time limit was reached; \d+ files? searched\.\n/, ran.stderr);
    assert.ok(performance.now() - began < 15_000);
    // Node cannot end a process with such a thread: a signal can, so that there is no status.
    assert.deepEqual([ran.status, ran.signal], [null, "SIGKILL"]);
    assert.deepEqual(aliveIn(child.pid as number), []);
  });
}

test("a second Ctrl-C ends a command that the system holds at once", async () => {
  const { env, marker } = holdsReadsOf("lost", makeHold());
  const { child, ended } = start(root, ["grep", "needle", "--engine", "kernel", "--no-artifacts"], env);
  await eventually(() => existsSync(marker), 20_000, "it is held");
  child.kill("SIGINT");
  await new Promise((resolve) => setTimeout(resolve, 100));
  child.kill("SIGINT");
  const ran = await ended;
  assert.deepEqual([ran.status, ran.signal, ran.stdout], [null, "SIGINT", ""]);
});

test("fault-53: MCP: a call that the system holds ends with its time limit, others go on, and the server ends with its client", async () => {
  const { env } = holdsReadsOf("lost", makeHold());
  const server = quarryServer(["--root", root, "--engine", "kernel", "--timeout", "1s"]);
  const client = await connect("v2", { ...server, env: { ...server.env, ...env } });
  try {
    for (let i = 0; i < 2; i++) {
      assert.match((await client.call("grep", { pattern: "needle" })).text, /^INCOMPLETE: the time limit was reached/);
      assert.match((await client.call("grep", { pattern: "needle", glob: "f*" })).text, /^8 matches in 8 files\n/);
    }
    assert.match((await client.call("read_file", { path: "f1" })).text, /needle/);
  } finally {
    await client.close();
  }
  await eventually(() => !isAlive(client.pid), 5_000, "the server has ended");
});
