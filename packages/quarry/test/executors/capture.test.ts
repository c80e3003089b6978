import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cutAfter, cutBefore, HeadCapture, TailCapture } from "#src/executors/capture.js";
import { generatedRuns } from "../support/cases.js";

const parts = (bytes: Buffer, sizes: readonly number[]): Buffer[] => {
  const found: Buffer[] = [];
  let from = 0;
  for (const size of [...sizes, bytes.length]) {
    if (from >= bytes.length) break;
    found.push(bytes.subarray(from, from + size));
    from += size;
  }
  return found;
};

test("the head and the tail of a stream keep characters whole, however it comes and wherever it is cut", (t) => {
  const { numRuns, seed } = generatedRuns(t, 500);
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 20 }),
      fc.integer({ min: 1, max: 60 }),
      (raw, sizes, max) => {
        const text = raw.replace(/\p{Surrogate}/gu, "");
        const bytes = Buffer.from(text, "utf8");
        const head = new HeadCapture(max);
        const tail = new TailCapture(max);
        for (const part of parts(bytes, sizes)) {
          head.push(part);
          tail.push(part);
        }
        const first = head.finish();
        const last = tail.finish();
        assert.equal(first.truncated, bytes.length > max);
        assert.equal(last.truncated, bytes.length > max);
        assert.ok(text.startsWith(first.text));
        assert.ok(text.endsWith(last.text));
        for (const kept of [first.text, last.text]) {
          const length = Buffer.byteLength(kept, "utf8");
          assert.ok(length <= max && length >= Math.min(bytes.length, max) - 3);
        }
      },
    ),
    { numRuns, seed },
  );
});

test("bytes that are no UTF-8 are cut anywhere", () => {
  const bytes = Buffer.alloc(10, 0x80);
  assert.equal(cutBefore(bytes, 5), 5);
  assert.equal(cutAfter(bytes, 5), 5);
  assert.equal(cutBefore(bytes, 20), 10);
  assert.equal(cutAfter(bytes, 10), 10);
});
