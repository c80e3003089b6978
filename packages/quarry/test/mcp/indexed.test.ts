import assert from "node:assert/strict";
import fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { connect, eventually, quarryServer, type TestClient } from "../support/mcp.js";
import { makeTree } from "../support/tree.js";

/** A server builds the index of as many files by itself. */
const FILES = 2_100;
const LEFT_OUT = 60;
const LEFT_OUT_BYTES = 50_000;
/** The system counts processor time in these, a hundred a second. */
const TICKS_PER_SECOND = 100;

interface Served {
  readonly root: string;
  readonly client: TestClient;
}

/** A server of a folder that has an index, which it has made by itself. */
async function served(): Promise<Served> {
  const text = (i: number): string => `word${i} and more\n`.padEnd(LEFT_OUT_BYTES, "text\n");
  const root = makeTree({
    ".ignore": "ignored/\n",
    ...Object.fromEntries(Array.from({ length: LEFT_OUT }, (_, i) => [`ignored/f${i}`, text(i)])),
    ...Object.fromEntries(Array.from({ length: FILES }, (_, i) => [`d${i % 40}/f${i}`, `word${i} needle${i % 7}\n`])),
  });
  await sleep(100);
  const cache = join(makeTree({}), "cache");
  const server = quarryServer(["--root", root, "--engine", "index"]);
  const client = await connect("v1", { ...server, env: { ...server.env, QUARRY_CACHE_DIR: cache } });
  const { text: first } = await client.call("grep", { pattern: "word77 needle" });
  assert.match(first, /word77 needle/);
  const folder = join(cache, "index");
  const isBuilt = (): boolean =>
    fs.existsSync(folder) && fs.readdirSync(folder).some((name) => name.endsWith(".index"));
  await eventually(isBuilt, 60_000, "the server has built an index");
  // Opens it, and begins to watch; then all is asked once, and known.
  await client.call("grep", { pattern: "word77 needle" });
  await eventually(() => fs.readdirSync(folder).some((name) => name.includes(".watch-")), 20_000, "it watches");
  await sleep(500);
  await client.call("grep", { pattern: "word77 needle" });
  await client.call("grep", { pattern: "nowhere to be found" });
  return { root, client };
}

function ticks(pid: number): number {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

/** Bytes that a process has read. */
function bytesRead(pid: number): number {
  return Number(/^rchar: (\d+)$/m.exec(fs.readFileSync(`/proc/${pid}/io`, "latin1"))?.[1]);
}

test("a server with an index: what was written is found at once, an empty answer reads nothing, and it rests", async (t) => {
  const { root, client } = await served();
  try {
    for (const [what, name] of Object.entries({ changed: "f0", new: "fresh" })) {
      const took: number[] = [];
      for (let i = 0; i < 20; i++) {
        fs.writeFileSync(join(root, `d${i}/${name}`), `${what}word${i}\n`);
        const started = performance.now();
        const { text } = await client.call("grep", { pattern: `${what}word${i}\\b` });
        took.push(performance.now() - started);
        assert.match(text, new RegExp(`d${i}/${name}`));
      }
      took.sort((one, other) => one - other);
      const [median, most] = [took[10] as number, took[19] as number];
      t.diagnostic(`a ${what} file is in an answer after ${median.toFixed(1)} ms (median), ${most.toFixed(1)} at most`);
    }

    // Ignored files hold what is asked for, or do not: 3 MB of them.
    const left = await client.call("grep", { pattern: "word29 and more" });
    assert.match(left.text, /ignored\//);
    await client.call("grep", { pattern: "nowhere to be seen" });
    const before = bytesRead(client.pid);
    const none = await client.call("grep", { pattern: "nowhere to be heard" });
    const read = bytesRead(client.pid) - before;
    assert.match(none.text, /^0 matches/);
    t.diagnostic(`an empty answer about ${FILES + LEFT_OUT} files: ${read} bytes are read`);
    assert.ok(read < LEFT_OUT * LEFT_OUT_BYTES * 0.1, `${read} bytes`);

    // Threads that wait for work have ended by then, and the sweep that the last search asked for is over.
    await sleep(32_000);
    const used = ticks(client.pid);
    await sleep(4_000);
    assert.ok(ticks(client.pid) - used <= 1, `${ticks(client.pid) - used} of ${4 * TICKS_PER_SECOND} ticks while idle`);
  } finally {
    await client.close();
  }
});
