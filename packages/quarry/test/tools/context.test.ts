import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { rgPath } from "@vscode/ripgrep";
import fc from "fast-check";
import { generatedRuns } from "../support/cases.js";
import { makeTree } from "../support/tree.js";
import { open, openTree } from "./opened.js";

/** rg's own text with context, its `N:text` written as ours. */
function fromRg(root: string, file: string, context: number): string {
  const out = execFileSync(rgPath, ["--no-config", "-n", "-C", String(context), "-e", "hit", "--", file], {
    cwd: root,
    encoding: "utf8",
  });
  return out.replaceAll(/^(\d+):/gm, "$1 ");
}

test("with context every line stands once, a match as a match, as in rg's text; the artifact is the same text", async (t) => {
  const file = fc.array(fc.constantFrom("hit", "  hit too", "other", ""), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(file, fc.integer({ min: 1, max: 4 }), async (made, context) => {
      const root = makeTree({ "a.txt": `hit\n${made.join("\n")}\nend\n` });
      const at = await open(root, { artifacts: { owner: "context" } });
      const expected = fromRg(root, "a.txt", context);
      const whole = await at.grep({ pattern: "hit", context });
      assert.equal(whole.text.split("\n").slice(2).join("\n"), expected.trimEnd());
      if (whole.value.total < 2) return;
      const cut = await at.grep({ pattern: "hit", context, max_results: 1 });
      const saved = await at.grep({ pattern: "", path: cut.value.artifact?.locator, max_results: 200 });
      assert.deepEqual(
        saved.value.matches?.map((m) => m.text),
        ["a.txt", ...expected.trimEnd().split("\n")],
      );
    }),
    generatedRuns(t, 20),
  );
});

test("a page of adjacent matches ends with the lines behind its last one", async () => {
  const at = await openTree({ "a.txt": "hit 1\nhit 2\nhit 3\nx\n", "b.txt": "hit\ny\n" }, { artifacts: false });
  const first = await at.grep({ pattern: "hit", context: 1, max_results: 2 });
  assert.equal(first.text, "2 of 4 matches in 2 files\na.txt\n1 hit 1\n2 hit 2\n3-hit 3\n(More: offset=2.)");
  const next = await at.grep({ pattern: "hit", context: 1, max_results: 2, offset: 2 });
  assert.equal(next.text, "4 matches in 2 files\na.txt\n2-hit 2\n3 hit 3\n4-x\nb.txt\n1 hit\n2-y");
});

test("fault-14: a page cut by its bytes has its artifact, also where a character takes several", async () => {
  for (const context of [0, 1]) {
    const at = await openTree(
      { "a.txt": "検索hit検索\n".repeat(100) },
      { artifacts: { owner: "wide" }, settings: { pageBytes: 1_500 } },
    );
    const { value } = await at.grep({ pattern: "hit", context });
    assert.ok(value.truncated && value.shown < 100);
    assert.equal(value.artifact?.lines, 101);
    const names = await openTree(Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`検索検索検索${i}`, ""])), {
      artifacts: { owner: "wide" },
      settings: { pageBytes: 1_000 },
    });
    const listed = await names.glob({ pattern: "*" });
    assert.ok(listed.value.truncated);
    assert.equal(listed.value.artifact?.lines, 60);
  }
});
