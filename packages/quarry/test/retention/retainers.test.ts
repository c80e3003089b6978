import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ItemRetainer } from "#src/retention/item-retainer.js";
import { TextRetainer } from "#src/retention/text-retainer.js";
import { generatedRuns } from "../support/cases.js";

test("[A-060] fault-31: the first items are kept, all are counted; exactly as many as the budget is not cut", () => {
  const retainer = new ItemRetainer<number>({ kind: "head", maxItems: 2 });
  assert.deepEqual(
    [1, 2].map((n) => retainer.push(n)),
    [true, true],
  );
  assert.deepEqual(retainer.finish(), { items: [1, 2], seen: 2, omitted: 0, truncated: false });
  assert.equal(retainer.push(3), false);
  assert.deepEqual(retainer.finish(), { items: [1, 2], seen: 3, omitted: 1, truncated: true });
});

test("[A-060][A-023] the first bytes of a text are kept, characters whole; what is left out is counted", (t) => {
  const { numRuns, seed } = generatedRuns(t, 500);
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "grapheme", maxLength: 12 }), { maxLength: 4 }),
      fc.integer({ min: 1, max: 60 }),
      (parts, maxBytes) => {
        const retainer = new TextRetainer({ kind: "head", maxBytes });
        const whole = parts.map((part) => retainer.push(part));
        const { text, omittedBytes, truncated } = retainer.finish();
        const all = parts.join("");
        const bytes = Buffer.byteLength(all, "utf8");
        assert.ok(all.startsWith(text));
        assert.equal(Buffer.from(text, "utf8").toString("utf8"), text);
        assert.equal(Buffer.byteLength(text, "utf8") + omittedBytes, bytes);
        assert.equal(truncated, bytes > maxBytes);
        assert.equal(whole.every(Boolean), !truncated);
        if (truncated) assert.ok(Buffer.byteLength(text, "utf8") > maxBytes - 4);
      },
    ),
    { numRuns, seed },
  );
});

test("[A-060] once a text is cut, nothing that comes later is kept", () => {
  const retainer = new TextRetainer({ kind: "head", maxBytes: 3 });
  assert.deepEqual(
    ["aé", "b", "", "c"].map((text) => retainer.push(text)),
    [true, false, true, false],
  );
  assert.deepEqual(retainer.finish(), { text: "aé", omittedBytes: 2, truncated: true });
  const wide = new TextRetainer({ kind: "head", maxBytes: 2 });
  wide.push("aé");
  wide.push("b");
  assert.deepEqual(wide.finish(), { text: "a", omittedBytes: 3, truncated: true });
});
