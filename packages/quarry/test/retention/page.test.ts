import assert from "node:assert/strict";
import { test } from "node:test";
import { Page } from "#src/retention/page.js";

/** Offers the results 0..n-1, each of `bytes` bytes. */
function fill(limits: { offset?: number; maxItems?: number; maxBytes?: number }, n: number, bytes = 1): Page<number> {
  const page = new Page<number>({ offset: 0, maxItems: 10, maxBytes: 1_000, ...limits });
  for (let i = 0; i < n; i++) page.offer(i, bytes);
  return page;
}

test("fault-31: exactly N results at limit N are not cut; one more is", () => {
  assert.equal(fill({}, 10).truncated, false);
  const cut = fill({}, 11);
  assert.equal(cut.truncated, true);
  assert.equal(cut.nextOffset, 10);
  assert.equal(cut.total, 11);
});

test("the size limit cuts between results and keeps the first whatever its size", () => {
  assert.deepEqual(fill({ maxBytes: 35 }, 10, 10).items, [0, 1, 2]);
  const large = fill({ maxBytes: 35 }, 3, 100);
  assert.deepEqual(large.items, [0]);
  assert.equal(large.nextOffset, 1);
});

test("a small result after one that did not fit is not kept: pages have no holes", () => {
  const page = new Page<string>({ offset: 0, maxItems: 10, maxBytes: 10 });
  page.offer("a", 6);
  page.offer("b", 6);
  page.offer("c", 1);
  assert.deepEqual(page.items, ["a"]);
  assert.equal(page.nextOffset, 1);
});

test("pages put together by their offsets are the whole, whatever cuts them", () => {
  for (const limits of [{ maxItems: 3 }, { maxBytes: 7 }, { maxItems: 4, maxBytes: 9 }]) {
    const all: number[] = [];
    let offset = 0;
    for (;;) {
      const page = fill({ ...limits, offset }, 23, 2);
      all.push(...page.items);
      if (!page.truncated) break;
      offset = page.nextOffset;
    }
    assert.deepEqual(
      all,
      Array.from({ length: 23 }, (_, i) => i),
    );
  }
});

test("past the end", () => {
  const page = fill({ offset: 5 }, 5);
  assert.equal(page.pastEnd, true);
  assert.equal(page.truncated, false);
  assert.equal(page.total, 5);
  assert.equal(fill({ offset: 0 }, 0).pastEnd, false);
});

test("results that are only counted: before the page and behind it", () => {
  const page = new Page<number>({ offset: 5, maxItems: 2, maxBytes: 1_000 });
  assert.deepEqual(page.window(4), { before: 4, wanted: 0 });
  page.skip(4);
  assert.deepEqual(page.window(10), { before: 1, wanted: 2 });
  page.skip(1);
  page.offer(5, 1);
  page.offer(6, 1);
  assert.deepEqual(page.window(10), { before: 0, wanted: 0 });
  page.skip(10);
  assert.deepEqual([page.items, page.total, page.truncated, page.nextOffset], [[5, 6], 17, true, 7]);
});
