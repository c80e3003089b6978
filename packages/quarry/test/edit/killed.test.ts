import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { makeTree } from "../support/tree.js";
import { BODY, inLanes, nextWriterIsFine, wholeNumber, WRITER } from "./killing.js";

/** `QUARRY_ROUNDS=1000` for a long run. */
const ROUNDS = Number(process.env["QUARRY_ROUNDS"] ?? 24);

test(`a kill at a random moment leaves the old file or the new one (${ROUNDS} rounds)`, async (t) => {
  let round = 0;
  let begun = 0;
  let left = 0;
  await inLanes(async () => {
    const root = makeTree({ "a.txt": { text: `0\n${BODY}0\n`, mode: 0o640 } });
    const locks = makeTree({});
    let n = 0;
    while (round++ < ROUNDS) {
      const child = spawn(process.execPath, [WRITER, root, locks, String(n)], { stdio: ["pipe", "pipe", "inherit"] });
      let started = 0;
      child.stdout.on("data", (chunk: Buffer) => (started += chunk.length));
      child.stdin.write("go\n");
      await once(child.stdout, "data");
      await sleep(Math.random() * 60);
      child.kill("SIGKILL");
      await once(child, "close");
      const now = wholeNumber(root);
      assert.ok(now === n + started || now === n + started - 1, `${started} edits of ${n} begun, the file says ${now}`);
      assert.equal(statSync(join(root, "a.txt")).mode & 0o7777, 0o640);
      if (readdirSync(root).some((name) => name.endsWith(".tmp"))) left += 1;
      begun += started;
      n = now;
      rmSync(join(root, "new.txt"), { force: true });
    }
    await nextWriterIsFine(root, locks);
  });
  t.diagnostic(`${begun} edits begun, ${left} rounds in which a kill left a temporary file`);
});
