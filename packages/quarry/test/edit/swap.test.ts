import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { OPENS_BY_DESCRIPTOR } from "#src/workspace/system.js";
import { makeTree } from "../support/tree.js";
import { editTools } from "./editing.js";

const EDITS = Number(process.env["QUARRY_ROUNDS"] ?? 300);
const SWAPPER = fileURLToPath(new URL("./swapper.js", import.meta.url));
const weaker = !OPENS_BY_DESCRIPTOR && "needs Linux";
/** A new tree after so many edits: their files would make each look for near names slower. */
const BATCH = 200;

/** @param outcomes counts the codes of all calls. */
async function editWhileSwapping(outside: string, edits: number, outcomes: Record<string, number>): Promise<void> {
  const root = makeTree({ "d/a.txt": "one\n", "d/sub/a.txt": "one\n", "f.txt": "one\n" });
  const { replace, write } = await editTools(root);
  const swapper = spawn(process.execPath, [SWAPPER, root, outside], { stdio: ["ignore", "pipe", "inherit"] });
  await once(swapper.stdout, "data");
  let flip = ["one", "two"];
  try {
    for (let i = 0; i < edits; i++) {
      const [old = "", now = ""] = flip;
      const results = [
        await replace({ path: ["d/a.txt", "f.txt", "d/sub/a.txt"][i % 3], old_str: old, new_str: now }),
        await write({ path: `d/new-${i}.txt`, content: "inside\n" }),
        await write({ path: `d/made-${i}/new.txt`, content: "inside\n", create_dirs: true }),
      ];
      for (const result of results) {
        const code = result.isError ? result.value.error.code : "ok";
        outcomes[code] = (outcomes[code] ?? 0) + 1;
        assert.ok(!result.text.includes(root) && !result.text.includes(outside), result.text);
      }
      if (i % 3 === 2) flip = flip.reverse();
    }
  } finally {
    swapper.kill("SIGKILL");
    await once(swapper, "close");
  }
}

test(
  `fault-10: names exchanged for links during ${EDITS} edits: nothing outside is written`,
  { skip: weaker },
  async (t) => {
    const outside = makeTree({ "a.txt": "one\n", "sub/a.txt": "one\n" });
    const before = [outside, join(outside, "a.txt"), join(outside, "sub"), join(outside, "sub/a.txt")].map(
      (path) => [path, statSync(path, { bigint: true })] as const,
    );
    const outcomes: Record<string, number> = {};
    for (let done = 0; done < EDITS; done += BATCH) {
      await editWhileSwapping(outside, Math.min(BATCH, EDITS - done), outcomes);
    }
    // On a busy machine the other process may have had its turns at other times.
    for (let more = 0; more < 5 && !(outcomes["ok"] && outcomes["OUTSIDE_WORKSPACE"]); more++)
      await editWhileSwapping(outside, BATCH, outcomes);
    t.diagnostic(JSON.stringify(outcomes));
    for (const [path, then] of before) {
      const now = statSync(path, { bigint: true });
      assert.deepEqual(
        [now.ino, now.mtimeNs, now.ctimeNs, now.size],
        [then.ino, then.mtimeNs, then.ctimeNs, then.size],
        "outside is as it was",
      );
    }
    assert.deepEqual(readdirSync(outside).sort(), ["a.txt", "sub"]);
    assert.equal(readFileSync(join(outside, "a.txt"), "utf8"), "one\n");
    assert.ok((outcomes["ok"] ?? 0) > 0, "some edits found the folder in its place");
    assert.ok((outcomes["OUTSIDE_WORKSPACE"] ?? 0) > 0, "some edits met a link");
    assert.equal(outcomes["INTERNAL"], undefined);
  },
);
