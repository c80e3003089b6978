import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { addPostings, bitmapBytes, SegmentTable, SegmentWriter } from "#src/engines/index/segment.js";
import { CLASSES, isEmptyTrigram, TRIGRAMS, trigramsOf } from "#src/engines/index/trigrams.js";
import { generatedRuns } from "../support/cases.js";

test("letters have one class in either case; line ends, NUL and other controls are in no trigram", () => {
  for (let c = 0; c < 26; c++) assert.equal(CLASSES[0x41 + c], CLASSES[0x61 + c]);
  for (let byte = 0; byte < 0x80; byte++) {
    const isText = byte === 9 || (byte >= 0x20 && byte !== 0x7f);
    assert.equal(CLASSES[byte] !== 0, isText, String(byte));
  }
  assert.ok(CLASSES.every((c) => c < 64));
  assert.deepEqual(trigramsOf(Buffer.from("ab\ncd\0ef")), []);
  assert.deepEqual(trigramsOf(Buffer.from("ABC")), trigramsOf(Buffer.from("abc")));
  assert.equal(trigramsOf(Buffer.from("abcabc")).length, 3);
});

/** What a segment says, for each of these trigrams. */
function documentsOf(table: SegmentTable, postings: Uint8Array, trigram: number): number[] {
  const bits = new Uint8Array(bitmapBytes(table.documents));
  const start = table.start(trigram);
  addPostings(postings.subarray(start, start + table.length(trigram)), table.documents, bits);
  return Array.from({ length: table.documents }, (_, i) => i).filter((i) => ((bits[i >> 3] as number) >> (i & 7)) & 1);
}

const text = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  fc
    .array(fc.constantFrom("foo", "Bar", " ", "\n", "é", "x_1", "(*)"), { maxLength: 12 })
    .map((w) => Buffer.from(w.join(""))),
);

test("a segment says of each document exactly the trigrams that it has", (t) => {
  const writer = new SegmentWriter();
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 60 }), (texts, times) => {
      const all = Array.from({ length: times }, () => texts).flat();
      all.forEach((one, i) => writer.add(Buffer.concat([Buffer.from("zzz"), one]), 3, 3 + one.length, i * 2, i * 3, i));
      const { table: bytes, postings, documents } = writer.finish();
      const table = new SegmentTable(bytes, documents);
      assert.equal(documents, all.length);
      assert.deepEqual(
        [...table.files],
        all.map((_, i) => i * 2),
      );
      assert.deepEqual(
        [...table.offsets],
        all.map((_, i) => i * 3),
      );
      const expected = new Map<number, number[]>();
      all.forEach((one, i) => {
        for (const trigram of trigramsOf(one)) expected.set(trigram, [...(expected.get(trigram) ?? []), i]);
      });
      for (const [trigram, where] of expected) assert.deepEqual(documentsOf(table, postings, trigram), where);
      let present = 0;
      for (let trigram = 0; trigram < TRIGRAMS; trigram++) if (table.length(trigram) > 0) present += 1;
      assert.equal(present, expected.size);
      assert.ok([...expected.keys()].every((trigram) => !isEmptyTrigram(trigram)));
    }),
    generatedRuns(t, 60),
  );
});

test("postings far apart and close together, and as a bitmap", () => {
  const writer = new SegmentWriter();
  const has = (i: number): string =>
    `${i % 2 === 0 ? "evn" : "odd"} ${i % 1000 === 7 ? "far" : ""} ${i > 900 ? "end" : ""}`;
  for (let i = 0; i < 3_000; i++) {
    const one = Buffer.from(has(i));
    writer.add(one, 0, one.length, i, 0, 1);
  }
  const { table: bytes, postings, documents } = writer.finish();
  const table = new SegmentTable(bytes, documents);
  for (const word of ["evn", "odd", "far", "end"]) {
    const [trigram] = trigramsOf(Buffer.from(word));
    const where = Array.from({ length: 3_000 }, (_, i) => i).filter((i) => has(i).includes(word));
    assert.deepEqual(documentsOf(table, postings, trigram as number), where, word);
    assert.ok(table.length(trigram as number) <= bitmapBytes(documents));
  }
});
