import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "node:test";
import { IndexStore } from "#src/engines/index/store.js";
import { makeIndexFolder } from "#src/tools/index-folder.js";
import { buildOf } from "../engines/index-place.js";
import { generatedRuns } from "../support/cases.js";
import { makeTree } from "../support/tree.js";
import { open } from "./opened.js";

/** `skull` in every way that some letter case makes of it, and what only looks like it. */
const WORDS = [
  "SKULL",
  "Skull",
  "s\u212aull",
  "\u017fkull",
  "\u017f\u212aULL",
  "s kull",
  "skul",
  "KULL",
  "\u212a",
  "bones",
];

const text = fc
  .array(fc.constantFrom(...WORDS, "no", "a longer line of words", ""), { maxLength: 8 })
  .map((lines) => lines.join("\n"));

const file = fc.oneof(
  text.map((one) => Buffer.from(one)),
  text.map((one) => Buffer.from(`\ufeff${one}`)),
  text.map((one) => Buffer.from(`\ufeff${one}`, "utf16le")),
  text.map((one) => Buffer.from(one, "utf16le")),
  // With a NUL at its beginning, or far behind it.
  text.map((one) => Buffer.from(`\0${one}`)),
  text.map((one) => Buffer.from(`${"line\n".repeat(20_000)}${one}\n\0\n`)),
  // Of more than one piece.
  text.map((one) => Buffer.from(`${"line\n".repeat(300_000)}${one}`)),
  text.map((one) => Buffer.from(`${one}\n${"line\n".repeat(300_000)}`)),
);

const question = fc.record({
  pattern: fc.constantFrom("skull", "sku[l]+", "skulls?\\b", "(skull|femur)", "^skull$", "k\\w+l"),
  case: fc.constantFrom("sensitive", "smart"),
});

test("an empty answer tells the same of another letter case, whichever engine answers and however few files it may look at", async (t) => {
  const run = async (
    contents: readonly Buffer[],
    asked: { readonly pattern: string; readonly case: string },
    secondLookFiles: number,
  ): Promise<string> => {
    const names = contents.map((content, i): [string, Buffer] => [`d${i % 3}/f${i}`, content]);
    const root = makeTree({ "a.txt": "no\n", ...Object.fromEntries(names) });
    const texts: string[] = [];
    for (const engine of ["ripgrep", "kernel", "index"] as const) {
      const at = await open(root, { engine, artifacts: false, settings: { secondLookFiles } });
      const target = at.workspace.resolve(undefined, "directory");
      if (engine === "index")
        await buildOf({ root: target.mount.hostRoot, target, files: [] }, new IndexStore(makeIndexFolder()));
      const answer = await at.grep(asked);
      // An index says nothing of a pattern without three letters in a row.
      if (!asked.pattern.startsWith("k")) assert.equal(answer.value.meta.engine, engine);
      texts.push(answer.text);
    }
    assert.equal(texts[1], texts[0]);
    assert.equal(texts[2], texts[0]);
    return texts[0] as string;
  };
  const alone = await run([Buffer.from("no\nSKULL\n")], { pattern: "skull", case: "sensitive" }, 5_000);
  assert.match(alone, /^1 line matches in another letter case, in d0\/: case: "insensitive"\.$/m);
  const runs = generatedRuns(t, 60);
  const cases = fc.asyncProperty(
    fc.array(file, { maxLength: 6 }),
    question,
    fc.constantFrom(2, 5_000),
    async (...of) => void (await run(...of)),
  );
  await fc.assert(cases, runs);
});
