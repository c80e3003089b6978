import assert from "node:assert/strict";
import { test } from "node:test";
import { makeTree } from "../support/tree.js";
import { editTools, refused } from "./editing.js";

const HOSTILE: readonly (readonly [what: string, text: string])[] = [
  ["one long line", "x".repeat(20_000_000)],
  ["runs of blanks", `${`a${" ".repeat(9_000)}b\u00e9\n`.repeat(400)}`],
  ["lines that are all alike", "a\u201cb\u201d aaaaaaaaaaaaaaaaaaaa\n".repeat(100_000)],
  ["nothing but line ends", "\r\n".repeat(2_000_000)],
];
for (const [what, text] of HOSTILE) {
  test(`a refusal is explained in bounded time and length: ${what}`, async () => {
    const root = makeTree({ "a.txt": text });
    const { replace } = await editTools(root);
    for (const old of ["aaaa \u201cbbbb\n".repeat(60), `q${" ".repeat(5_000)}q`, "\n\n\nb\n\n\n"]) {
      const started = performance.now();
      const error = refused(await replace({ path: "a.txt", old_str: old, new_str: "z" }));
      assert.equal(error.code, "OLD_STR_NOT_FOUND");
      assert.ok(error.message.length < 1_500, `${error.message.length} characters`);
      assert.ok(performance.now() - started < 15_000, `${Math.round(performance.now() - started)} ms`);
    }
  });
}

test("more places than can be held are refused", async () => {
  const root = makeTree({ "a.txt": "a".repeat(600_000) });
  const { replace } = await editTools(root);
  assert.match(
    refused(await replace({ path: "a.txt", old_str: "a", new_str: "b", replace_all: true })).message,
    /more than 500000 times/,
  );
});

test("a text that would grow over the limit is refused", async () => {
  const root = makeTree({ "a.txt": "a".repeat(200_000) });
  const { replace } = await editTools(root);
  const error = refused(await replace({ path: "a.txt", old_str: "a", new_str: "b".repeat(1_000), replace_all: true }));
  assert.equal(error.code, "FILE_TOO_LARGE");
});
