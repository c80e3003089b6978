import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RECORD, type Kernel } from "#src/engines/kernel/kernel.js";
import { needleOf, type Needle } from "#src/engines/kernel/needles.js";
import { TwinKernel } from "#src/engines/kernel/twin.js";
import { makeKernel } from "#src/engines/kernel/wasm.js";
import { generatedRuns } from "../support/cases.js";

const PIECES = [
  "\n",
  "\n",
  "\r\n",
  "a",
  "ab",
  "abc",
  "AbC",
  "b",
  "foo",
  "FOO",
  "sk",
  "\u017fk",
  "\u212a",
  "é",
  "\0",
  " ",
  "x".repeat(15),
  "y".repeat(64),
  "z".repeat(130),
];
const text = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 60, size: "max" }).map((parts) => Buffer.from(parts.join(""))),
  fc.uint8Array({ maxLength: 300, size: "max" }).map((bytes) => Buffer.from(bytes)),
  fc
    .array(fc.constantFrom(0x0a, 0x61, 0x62, 0x41, 0xc5, 0xbf, 0x84, 0xaa, 0), { maxLength: 200, size: "max" })
    .map((bytes) => Buffer.from(bytes)),
);
const word = fc.constantFrom(
  "a",
  "b",
  "ab",
  "abc",
  "ABC",
  "foo",
  "sk",
  "é",
  "xxxx",
  "x".repeat(40),
  "\r",
  " f",
  "bab",
  "zz",
  "q",
);
const needles = fc.array(fc.tuple(word, fc.boolean()), { minLength: 1, maxLength: 12 }).map((all): Needle[] => {
  const fold = all[0]?.[1] === true;
  return all.map(([text]) => needleOf(text, fold));
});

/** Everything a kernel says of a text that stands at an odd place of its window, with rubbish around it. */
function say(kernel: Kernel, bytes: Uint8Array, wanted: readonly Needle[], from: number): object {
  kernel.reserve(from + bytes.length + 100);
  kernel.window.fill(0x61, 0, from + bytes.length + 100);
  kernel.window.set(bytes, from);
  kernel.prepare(wanted);
  const to = from + bytes.length;
  const lines: number[][] = [];
  let at = from;
  let line = 1;
  for (;;) {
    const found = kernel.find(at, to, line);
    for (let i = 0; i < found; i++) lines.push([...kernel.records.subarray(i * RECORD.size, (i + 1) * RECORD.size)]);
    if (found < kernel.maxRecords) break;
    at = kernel.next;
    line = kernel.nextLine;
  }
  const { next, nextLine } = kernel;
  return {
    lines,
    next,
    nextLine,
    rest: kernel.countLines(next, to),
    nul: kernel.firstNul(from, to),
    traits: kernel.traits(from, to),
    odd: kernel.oddFolds(from, to),
  };
}

test("the WebAssembly kernel and its twin say the same of generated texts", (t) => {
  const wasm = makeKernel();
  const twin = new TwinKernel();
  assert.notEqual(wasm.constructor, twin.constructor, "WebAssembly is there");
  fc.assert(
    fc.property(text, needles, fc.nat(70), (bytes, wanted, from) => {
      assert.deepEqual(say(wasm, bytes, wanted, from), say(twin, bytes, wanted, from));
    }),
    generatedRuns(t, 2_000),
  );
});

test("more lines than one call records come in turn", () => {
  const bytes = Buffer.from("ab\n\nxab\n".repeat(5_000));
  const wanted = [needleOf("ab", false)];
  const told = say(makeKernel(), bytes, wanted, 3) as { lines: number[][] };
  assert.equal(told.lines.length, 10_000);
  assert.deepEqual(
    told.lines.at(-1),
    [14_999 + 1, 3 + bytes.length - 4, 3 + bytes.length - 1, 3 + bytes.length - 3].map((n, i) =>
      i === 0 ? 15_000 : n,
    ),
  );
  assert.deepEqual(told, say(new TwinKernel(), bytes, wanted, 3));
});

test("64 needles of one alternation are told apart", () => {
  const words = Array.from({ length: 64 }, (_, i) => `w${String(i).padStart(2, "0")}end`);
  const bytes = Buffer.from(words.map((word) => `-- ${word}!\nw99end\n`).join(""));
  const told = say(
    makeKernel(),
    bytes,
    words.map((word) => needleOf(word, false)),
    0,
  ) as { lines: number[][] };
  assert.deepEqual(
    told.lines.map(([line]) => line),
    words.map((_, i) => 1 + i * 2),
  );
});

test("the window grows and keeps what is in it", () => {
  const kernel = makeKernel();
  kernel.window.set(Buffer.from("needle\n"), 0);
  kernel.reserve(9_000_000);
  kernel.prepare([needleOf("needle", false)]);
  assert.ok(kernel.window.length >= 9_000_000);
  assert.equal(kernel.find(0, 7, 1), 1);
});
