import assert from "node:assert/strict";
import fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Confirmer } from "#src/engines/confirm.js";
import type { LineHit } from "#src/search/engine.js";
import { ask, descriptors, makePlace, run, type Place } from "./place.js";
import { RipgrepEngine } from "#src/engines/ripgrep/engine.js";
import { codePointsBefore } from "#src/engines/code-points.js";
import { openFile } from "#src/workspace/guard.js";

const hit = (line: number, column: number, text: string | Buffer, rest: Partial<LineHit> = {}): LineHit => ({
  line,
  column,
  text: Buffer.from(text as string),
  cut: false,
  ...rest,
});

/** Confirms hits and shows the lines; with offsets and, once more, without: both ways have to agree. */
function confirm(
  place: Place,
  path: string,
  hits: readonly LineHit[],
  context = 0,
  encoding: string | null = null,
): { lines: string[]; dropped: number } {
  const confirmer = new Confirmer({ context, encoding });
  const show = (some: readonly LineHit[]): { lines: string[]; dropped: number } => {
    const { lines, dropped } = confirmer.confirm({ target: place.target, path, hits: some, guarded: false });
    return {
      dropped,
      lines: lines.map((l) =>
        [
          ...l.before.map((c) => `${c.line}-${String(c.bytes)}`),
          `${l.line}:${l.column}:${String(l.bytes)}`,
          ...l.after.map((c) => `${c.line}-${String(c.bytes)}`),
        ].join("|"),
      ),
    };
  };
  const result = show(hits);
  const withoutOffset = show(hits.map(({ line, column, text, cut }) => ({ line, column, text, cut })));
  assert.deepEqual(withoutOffset, result, "with and without offsets");
  confirmer.close();
  return result;
}

test("a line that is there is confirmed, with its context", async () => {
  const place = await makePlace({ f: "one\r\ntwo\nthree x\r\nfour\nfive" });
  assert.deepEqual(confirm(place, "f", [hit(3, 6, "three x", { offset: 9 })]).lines, ["3:6:three x"]);
  assert.deepEqual(confirm(place, "f", [hit(3, 6, "three x", { offset: 9 })], 1).lines, ["2-two|3:6:three x|4-four"]);
  assert.deepEqual(confirm(place, "f", [hit(3, 6, "three x", { offset: 9 })], 9).lines, [
    "1-one|2-two|3:6:three x|4-four|5-five",
  ]);
  assert.deepEqual(confirm(place, "f", [hit(1, 0, "one", { offset: 0 }), hit(5, 0, "five", { offset: 23 })], 1).lines, [
    "1:0:one|2-two",
    "4-four|5:0:five",
  ]);
});

test("empty lines and a mark", async () => {
  const place = await makePlace({ f: "\ufeffx\n\n\nx\n", g: "\n\n" });
  assert.deepEqual(
    confirm(place, "f", [hit(1, 0, "x", { offset: 0 }), hit(2, 0, "", { offset: 2 }), hit(4, 0, "x", { offset: 4 })], 2)
      .lines,
    ["1:0:x|2-|3-", "1-x|2:0:|3-|4-x", "2-|3-|4:0:x"],
  );
  assert.deepEqual(confirm(place, "g", [hit(1, 0, "", { offset: 0 }), hit(2, 0, "", { offset: 1 })], 1).lines, [
    "1:0:|2-",
    "1-|2:0:",
  ]);
});

test("what differs is dropped and counted", async () => {
  const place = await makePlace({ f: "one\ntwo\nthree\n" });
  for (const wrong of [
    hit(2, 0, "twO", { offset: 4 }),
    hit(2, 0, "tw", { offset: 4 }),
    hit(2, 0, "two\nthree", { offset: 4 }),
    hit(2, 0, "twos", { offset: 4 }),
    hit(9, 0, "two", { offset: 400 }),
    hit(2, 0, "three", { cut: true, offset: 4 }),
  ]) {
    assert.deepEqual(confirm(place, "f", [wrong]), { lines: [], dropped: 1 }, JSON.stringify(wrong));
  }
  assert.deepEqual(confirm(place, "f", [hit(1, 0, "one", { offset: 0 }), hit(2, 0, "no", { offset: 4 })]), {
    lines: ["1:0:one"],
    dropped: 1,
  });
});

test("a piece of a line is not a line", async () => {
  const place = await makePlace({ f: "a two\n" });
  const confirmer = new Confirmer({ context: 0, encoding: null });
  const { dropped } = confirmer.confirm({
    target: place.target,
    path: "f",
    hits: [hit(1, 0, "two", { offset: 2 })],
    guarded: false,
  });
  assert.equal(dropped, 1);
});

test("files that are gone, links, folders and pipes: all hits are dropped", async () => {
  const place = await makePlace({ f: "x\n", "d/e": "x\n", link: { link: "f" }, pipe: { fifo: true } });
  for (const path of ["gone", "d", "link", "pipe", "d/e/f"])
    assert.deepEqual(confirm(place, path, [hit(1, 0, "x", { offset: 0 })]), { lines: [], dropped: 1 }, path);
});

test("UTF-16 and given encodings are compared after decoding", async () => {
  const place = await makePlace({
    u: Buffer.from("\ufeffone\r\nnäx\n", "utf16le"),
    gbk: Buffer.from("\xc4\xe3 x\n", "latin1"),
  });
  assert.deepEqual(confirm(place, "u", [hit(2, 3, "näx", { offset: 5 })], 1).lines, ["1-one|2:3:näx"]);
  assert.deepEqual(confirm(place, "gbk", [hit(1, 4, "你 x", { offset: 0 })], 0, "gbk").lines, ["1:4:你 x"]);
});

test("a long line is given around its match, with the column in code points", async () => {
  const line = `${"é".repeat(30_000)}X${"b".repeat(40_000)}`;
  for (const before of ["", "short\n", "y".repeat(1_500_000) + "\n"]) {
    const place = await makePlace({ f: `${before}${line}\nend\n` });
    const confirmer = new Confirmer({ context: 1, encoding: null });
    for (const offset of [{ offset: before.length }, {}]) {
      const [found] = confirmer.confirm({
        target: place.target,
        path: "f",
        hits: [hit(before === "" ? 1 : 2, 60_000, line.slice(0, 200), { cut: true, ...offset })],
        guarded: false,
      }).lines;
      assert.ok(found !== undefined);
      assert.equal(found.length, 100_001);
      assert.equal(found.columnPoints, 30_001);
      assert.equal(found.bytes.toString("latin1", 60_000 - found.from, 60_001 - found.from), "X");
      assert.ok(found.bytes.length <= 16_384);
      assert.deepEqual(
        found.after.map((c) => c.bytes.toString()),
        ["end"],
      );
    }
  }
});

test("lines far apart in a large file, with context", async () => {
  const texts = Array.from({ length: 200_000 }, (_, i) => `line ${i} ${i % 40_000 === 17 ? "X" : "."}`);
  const place = await makePlace({ f: `${texts.join("\n")}\n` });
  const { found } = await run(new RipgrepEngine(), place, ask("X"));
  assert.deepEqual(
    found[0]?.lines,
    [17, 40_017, 80_017, 120_017, 160_017].map((i) => `${i + 1}:${`line ${i} `.length}:line ${i} X`),
  );
  const confirmer = new Confirmer({ context: 2, encoding: null });
  await run(new RipgrepEngine(), place, ask("X"), {
    sink: (file) => {
      for (const line of confirmer.confirm(file).lines) {
        assert.deepEqual(
          [...line.before, ...line.after].map((c) => `${c.line}:${String(c.bytes)}`),
          [-2, -1, 1, 2].map((d) => `${line.line + d}:${texts[line.line + d - 1]}`),
        );
      }
      return true;
    },
  });
});

test("code points before a column, in a decoded text too", async () => {
  const place = await makePlace({
    u: Buffer.from("\ufeffa\nüüX\n", "utf16le"),
    f: "\ufeffa\nüüX\n",
    bad: Buffer.from("a\n\xff\xc3\xbcX\n", "latin1"),
  });
  const count = (path: string, column: number, offset?: number): number => {
    const file = openFile(place.target.mount, path);
    const n = codePointsBefore(file, null, hit(2, column, "", offset === undefined ? {} : { offset }));
    file.close();
    return n;
  };
  assert.deepEqual(
    [count("u", 4), count("u", 4, 2), count("f", 4), count("f", 4, 2), count("bad", 3, 2)],
    [2, 2, 2, 2, 2],
  );
});

test("no descriptor stays open when the program is idle", async () => {
  const place = await makePlace({ "a/b": "x\n", "c/d": "x\n" });
  const before = descriptors();
  const confirmer = new Confirmer({ context: 0, encoding: null });
  for (const path of ["a/b", "c/d"])
    confirmer.confirm({ target: place.target, path, hits: [hit(1, 0, "x", { offset: 0 })], guarded: false });
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok(descriptors() <= before);
});

test("fault-10: with a folder swapped for a link in a loop, no outside line is confirmed", async () => {
  const outside = await makePlace({ f: "x outside\n" });
  const place = await makePlace({ "d/f": "x inside\n", z: "x\n" });
  const folder = join(place.root, "d");
  const texts = new Set<string>();
  let dropped = 0;
  const confirmer = new Confirmer({ context: 0, encoding: null });
  for (let round = 0; round < 60; round++) {
    const swapping = (async () => {
      for (let i = 0; i < 12; i++) {
        fs.renameSync(folder, `${folder}2`);
        fs.symlinkSync(outside.root, folder);
        await new Promise((resolve) => setImmediate(resolve));
        fs.rmSync(folder);
        fs.renameSync(`${folder}2`, folder);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    await run(new RipgrepEngine(), place, ask("x"), {
      sink: (file) => {
        const confirmed = confirmer.confirm(file);
        dropped += confirmed.dropped;
        for (const line of confirmed.lines) texts.add(line.bytes.toString());
        return true;
      },
    });
    await swapping;
  }
  assert.ok(!texts.has("x outside"), `${dropped} dropped`);
  assert.ok(texts.has("x"));
});
