import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "node:test";
import { generatedRuns } from "../support/cases.js";
import { makeTree } from "../support/tree.js";
import { open } from "./opened.js";

/** Pieces of lines: what may stand at the edge of a line's text, what is not UTF-8, what makes a line long. */
const ASCII = ["x", "a word", " ", "\t\v\f", "\r", "y".repeat(120)].map((text) => Buffer.from(text));
const UTF8 = [
  "x",
  " ",
  "\u00a0",
  "\ufeff",
  "\u3000",
  "\u0085",
  "é",
  "日本",
  "😀",
  "y".repeat(120),
  "z".repeat(1_200),
].map((text) => Buffer.from(text));
const BROKEN = [Buffer.from([0xff]), Buffer.from([0xe2, 0x80]), Buffer.from([0xa0]), Buffer.from([0xf0, 0x9f])];

const line = (pieces: readonly Buffer[]): fc.Arbitrary<Buffer> =>
  fc
    .tuple(
      fc.array(fc.constantFrom(...pieces), { maxLength: 5 }),
      fc.array(fc.constantFrom(...pieces), { maxLength: 3 }),
    )
    .map(([before, behind]) => Buffer.concat([...before, Buffer.from("x"), ...behind, Buffer.from("\n")]));

/** White space aside, it begins and ends with ASCII. */
const enclosed = (pieces: readonly Buffer[]): fc.Arbitrary<Buffer> =>
  fc
    .array(fc.constantFrom(...pieces), { maxLength: 4 })
    .map((inside) => Buffer.concat([Buffer.from(" x"), ...inside, Buffer.from("x\t\n")]));

const file = (pieces: readonly Buffer[]): fc.Arbitrary<Buffer> =>
  fc
    .oneof(
      fc.array(line(pieces), { minLength: 1, maxLength: 12 }),
      fc.array(enclosed(pieces), { minLength: 1, maxLength: 12 }),
    )
    .map((lines) => Buffer.concat(lines));

/** Files of ASCII, of UTF-8, of anything; a file of one kind is saved by another way than the next. */
const files = fc.array(
  fc.oneof(file(ASCII), file(UTF8), file([...UTF8, ...BROKEN]), fc.constant(Buffer.from("no\n"))),
  { minLength: 1, maxLength: 8 },
);

test("what is saved around the page is the same text, however its lines were found", async (t) => {
  const run = async (contents: readonly Buffer[], width: number, offset: number): Promise<void> => {
    const names = contents.map((content, i): [string, Buffer] => [i % 2 === 0 ? `f${i}.c` : `10${i} g\n`, content]);
    const root = makeTree({ "a.txt": "x first\n".repeat(40), ...Object.fromEntries(names) });
    const saved = [];
    for (const engine of ["ripgrep", "kernel"] as const) {
      const settings = { lineWidth: width, maxResults: 20 };
      const at = await open(root, { engine, artifacts: { owner: "me" }, settings });
      const { value, text } = await at.grep({ pattern: "x", offset });
      assert.equal(value.meta.engine, engine);
      // The same content of the same owner has the same locator, and no other has.
      saved.push([value.total, value.totalFiles, value.artifact, text]);
      assert.ok(value.artifact !== null);
    }
    assert.deepEqual(saved[1], saved[0]);
  };
  await fc.assert(
    fc.asyncProperty(files, fc.integer({ min: 80, max: 300 }), fc.constantFrom(0, 30, 55, 10_000), run),
    generatedRuns(t, 150),
  );
});
