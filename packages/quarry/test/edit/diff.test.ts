import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { applyEdits } from "#src/files/edit-apply.js";
import { unifiedDiff } from "#src/files/edit-diff.js";
import { toUnits } from "#src/files/edit-units.js";
import { generatedRuns } from "../support/cases.js";
import { makeTree } from "../support/tree.js";

const line = fc.constantFrom("a", "b", "c", "", "aa", "x y");
const text = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.boolean())
  .map(([lines, open]) => (open ? lines.join("\n") : lines.map((l) => `${l}\n`).join("")));
const edit = fc.record({
  oldText: fc.constantFrom("a", "b\n", "\n", "x y", "aa", "c\na"),
  newText: fc.constantFrom("", "z", "q\nq", "\n", "b\n", "a"),
});

/** The tool's own way back: `patch` applies what we print. */
test("the diff of generated edits, applied by patch(1), gives the new file", (t) => {
  const root = makeTree({});
  let compared = 0;
  const runs = generatedRuns(t, 200);
  fc.assert(
    fc.property(text, fc.array(edit, { minLength: 1, maxLength: 4 }), (before, edits) => {
      const units = toUnits(Buffer.from(before), "a");
      let body = before;
      const usable = edits.filter((e) => {
        if (e.oldText === e.newText || !body.includes(e.oldText)) return false;
        body = body.replaceAll(e.oldText, () => e.newText);
        return true;
      });
      if (usable.length === 0) return;
      const applied = applyEdits(
        units,
        usable.map((e) => ({ ...e, all: true })),
        "a",
      );
      assert.equal(applied.body, body);
      const diff = unifiedDiff("utf-8", before, applied.body, applied.changes, { lines: 10_000, width: 1_000 });
      assert.equal(diff.cut, false);
      assert.equal(diff.text === "", before === body);
      if (diff.text === "") return;
      writeFileSync(join(root, "a"), before);
      execFileSync("patch", ["--silent", "--fuzz=0", "a"], { cwd: root, input: `--- a\n+++ a\n${diff.text}\n` });
      assert.equal(readFile(root), body);
      compared += 1;
    }),
    { ...runs, examples: [["a\nb\n", [{ oldText: "a", newText: "z" }]]] },
  );
  t.diagnostic(`${compared} compared`);
  // Some 60 of 100 are; a few alone need not be.
  assert.ok(compared > (runs.numRuns < 100 ? 0 : runs.numRuns / 4), `${compared} compared`);
});

/** `patch` removes a file that becomes empty. */
function readFile(root: string): string {
  try {
    return readFileSync(join(root, "a"), "utf8");
  } catch {
    return "";
  }
}

test("edits far apart are hunks of their own, near ones stand together", () => {
  const lines = Array.from({ length: 60 }, (_, i) => `${i + 1}`);
  const before = lines.join("\n");
  const edits = ["\n5\n", "\n10\n", "\n50\n"].map((old) => ({
    oldText: old,
    newText: old.replace(/\d+/, "x"),
    all: false,
  }));
  const applied = applyEdits(toUnits(Buffer.from(before), "a"), edits, "a");
  const { text: diff } = unifiedDiff("utf-8", before, applied.body, applied.changes, { lines: 100, width: 100 });
  assert.deepEqual(
    diff.split("\n").filter((l) => /^[-+@]/.test(l)),
    ["@@ -2,12 +2,12 @@", "-5", "+x", "-10", "+x", "@@ -47,7 +47,7 @@", "-50", "+x"],
  );
});
