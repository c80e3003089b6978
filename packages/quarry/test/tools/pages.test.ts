import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { generatedRuns } from "../support/cases.js";
import { makeTree } from "../support/tree.js";
import { lines, open, openTree, type Opened } from "./opened.js";

const TREE = Object.fromEntries(
  Array.from({ length: 12 }, (_, i) => [
    `d${i % 3}/f${i}.txt`,
    Array.from({ length: 9 }, (_, n) => `${n % 2 === 0 ? "x" : "y"} ${"😀é日".repeat((i * n) % 40)}\n`).join(""),
  ]),
);
const root = makeTree(TREE);

type Page = Awaited<ReturnType<Opened["grep"]>>;

/** All pages from the first on. */
async function pages(at: Opened, args: Readonly<Record<string, unknown>>): Promise<Page[]> {
  const all: Page[] = [];
  for (let offset: number | undefined = 0; offset !== undefined; offset = all.at(-1)?.value.nextOffset) {
    all.push(await at.grep({ ...args, offset }));
    assert.ok(all.length < 1_000);
  }
  return all;
}

test("pages one behind the other are the whole, for any limits; every page says the true total and fits its budget", async (t) => {
  const whole = await (
    await open(root, { artifacts: false, settings: { pageBytes: 1_000_000 } })
  ).grep({ pattern: "x", max_results: 10_000 });
  const total = whole.value.total;
  assert.equal(total, 60);
  const limits = fc.record({
    max_results: fc.integer({ min: 1, max: 70 }),
    pageBytes: fc.integer({ min: 1_000, max: 4_000 }),
    output: fc.constantFrom("matches", "files", "count"),
    context: fc.constantFrom(0, 0, 1),
    artifacts: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(limits, async ({ max_results, pageBytes, output, context, artifacts }) => {
      const at = await open(root, { artifacts: artifacts && { owner: "pages" }, settings: { pageBytes } });
      const all = await pages(at, { pattern: "x", max_results: Math.max(max_results, 8), output, context });
      const items = all.flatMap(
        (page) =>
          page.value.matches?.map((m) => `${m.path}:${m.line}`) ??
          page.value.files?.map((f) => `${f.path}:${f.count}`) ??
          [],
      );
      assert.equal(items.length, output === "matches" ? total : 12);
      assert.equal(new Set(items).size, items.length);
      const locators = new Set(
        all.flatMap((page) => (page.value.artifact === null ? [] : [page.value.artifact.locator])),
      );
      assert.ok(locators.size <= 1);
      for (const { value, text } of all) {
        assert.deepEqual([value.total, value.totalFiles], [total, 12]);
        assert.equal(value.truncated, value.nextOffset !== undefined);
        assert.equal(text, Buffer.from(text).toString(), "no code point is cut");
        const body = Buffer.byteLength(text) - 300;
        assert.ok(value.shown === 1 || body <= pageBytes, `${body} of ${pageBytes}`);
      }
    }),
    generatedRuns(t, 12),
  );
});

test("fault-31: exactly N results at limit N are not cut; one more is", async () => {
  for (const n of [29, 31, 100]) {
    const at = await openTree({ a: "x\n".repeat(n), b: "y\n" }, { artifacts: false });
    const exact = await at.grep({ pattern: "x", max_results: n });
    assert.deepEqual([exact.value.shown, exact.value.truncated, exact.value.nextOffset], [n, false, undefined]);
    assert.ok(!exact.text.includes("More:") && exact.text.startsWith(`${n} matches in 1 file\n`));
    const cut = await at.grep({ pattern: "x", max_results: n - 1 });
    assert.deepEqual([cut.value.shown, cut.value.truncated, cut.value.nextOffset], [n - 1, true, n - 1]);
    assert.ok(cut.text.includes(`(More: offset=${n - 1}.)`));
    const names = await openTree(Object.fromEntries(Array.from({ length: n }, (_, i) => [`f${i}`, ""])), {
      artifacts: false,
    });
    assert.equal((await names.glob({ pattern: "*", max_results: n })).value.truncated, false);
    assert.equal((await names.glob({ pattern: "*", max_results: n - 1 })).value.nextOffset, n - 1);
  }
});

test("past the end a page says so, with the true total", async () => {
  const at = await openTree({ a: "x\n".repeat(5) });
  for (const offset of [5, 6, 1_000_000]) {
    const { text, value } = await at.grep({ pattern: "x", offset });
    assert.equal(text, "5 matches in 1 file\n(Nothing here: the offset is past the end.)");
    assert.deepEqual([value.shown, value.total, value.truncated], [0, 5, false]);
    const names = await at.glob({ pattern: "*", offset });
    assert.equal(names.text, "1 path\n(Nothing here: the offset is past the end.)");
  }
  assert.match(
    (await at.read({ path: "a", start_line: 9 })).text,
    /start_line 9 is past the end: the file has 5 lines/,
  );
});

test("a page is cut between results by size, never inside a line or a code point", async () => {
  const at = await openTree(
    { a: `x${"😀".repeat(290)}\n`.repeat(100) },
    { artifacts: false, settings: { pageBytes: 20_000 } },
  );
  const { value, text } = await at.grep({ pattern: "x" });
  assert.equal(value.shown, Math.floor((20_000 - 2) / (1 + 290 * 4 + 3)));
  for (const line of text.split("\n").slice(2, -1)) assert.match(line, /^\d+ x(😀){290}$/u);
  assert.deepEqual(lines((await at.grep({ pattern: "x", offset: value.shown, max_results: 1 })).value), [
    `a:${value.shown + 1}:x${"😀".repeat(290)}`,
  ]);
});
