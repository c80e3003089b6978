import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { makeTree, removeTree } from "../support/tree.js";
import { BODY, inLanes, nextWriterIsFine, wholeNumber, WRITER } from "./killing.js";

/** One in so many places, from a random one on; every place in a long run (`QUARRY_ROUNDS`). */
const STRIDE = process.env["QUARRY_ROUNDS"] === undefined ? 4 : 1;

test("killed before any one of its calls to the system, a writer leaves the old file or the new one", async (t) => {
  let next = 1 + Math.floor(Math.random() * STRIDE);
  let killed = 0;
  let finished = false;
  const seen = new Set<string>();
  await inLanes(async () => {
    while (!finished) {
      const root = makeTree({ "a.txt": `7\n${BODY}7\n` });
      const locks = makeTree({});
      const place = next;
      next += STRIDE;
      const child = spawn(process.execPath, [WRITER, root, locks, "7", String(place)], {
        stdio: ["ignore", "ignore", "inherit"],
      });
      const [status, signal] = (await once(child, "close")) as [number | null, string | null];
      const now = wholeNumber(root);
      assert.ok(now === 7 || now === 8);
      const names = readdirSync(root);
      const states = [names.includes("new.txt") && "new file", names.some((n) => n.endsWith(".tmp")) && "temporary"];
      seen.add([now, ...states].filter((state) => state !== false).join(", "));
      if (signal === "SIGKILL") {
        killed += 1;
        await nextWriterIsFine(root, locks);
      } else {
        finished = true;
        assert.deepEqual([status, now], [0, 8]);
      }
      removeTree(root);
      removeTree(locks);
    }
  });
  assert.ok(killed * STRIDE > 30, `only ${killed} of the calls`);
  const all = ["7", "7, temporary", "8", "8, new file", "8, new file, temporary", "8, temporary"];
  // Some of these last for a call or two.
  if (STRIDE === 1) assert.deepEqual([...seen].sort(), all);
  for (const state of seen) assert.ok(all.includes(state), state);
  assert.ok(seen.has("7") && seen.has("8, new file"));
  t.diagnostic(`${killed} places to be killed at`);
});
