import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { makeTree } from "../support/tree.js";
import { BODY, nextWriterIsFine, wholeNumber, WRITER } from "./killing.js";

test("killed before any one of its calls to the system, a writer leaves the old file or the new one", async (t) => {
  let killed = 0;
  const seen = new Set<string>();
  for (let k = 1; ; k++) {
    const root = makeTree({ "a.txt": `7\n${BODY}7\n` });
    const locks = makeTree({});
    const ran = spawnSync(process.execPath, [WRITER, root, locks, "7", String(k)], { encoding: "utf8" });
    const now = wholeNumber(root);
    assert.ok(now === 7 || now === 8);
    seen.add(
      `${now}${readdirSync(root).includes("new.txt") ? " and a new file" : ""}${readdirSync(root).some((n) => n.endsWith(".tmp")) ? ", with a temporary file" : ""}`,
    );
    if (ran.signal !== "SIGKILL") {
      assert.equal(ran.status, 0, ran.stderr);
      assert.equal(now, 8);
      break;
    }
    killed += 1;
    await nextWriterIsFine(root, locks);
  }
  assert.ok(killed > 30, `only ${killed} calls`);
  assert.deepEqual([...seen].sort(), [
    "7",
    "7, with a temporary file",
    "8",
    "8 and a new file",
    "8 and a new file, with a temporary file",
    "8, with a temporary file",
  ]);
  t.diagnostic(`${killed} places to be killed at`);
});
