import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { countLines, readLines } from "#src/files/lines.js";
import { openFile, type OpenFile } from "#src/workspace/guard.js";
import { Workspace } from "#src/workspace/workspace.js";

const host = fs.mkdtempSync(path.join(os.tmpdir(), "quarry-lines-"));
after(() => fs.rmSync(host, { recursive: true, force: true }));
const workspace = await Workspace.open({ mounts: [{ host }] });

function withFile<T>(content: Uint8Array | string, use: (file: OpenFile) => T): T {
  fs.writeFileSync(path.join(host, "f"), content);
  const file = openFile(workspace.mounts[0]!, "f");
  try {
    return use(file);
  } finally {
    file.close();
  }
}

/** The plain way: everything in memory. */
function naive(content: Buffer): Buffer[] {
  const text = content.toString("latin1");
  const lines = text.split("\n");
  const last = lines.pop() as string;
  return [...lines.map((l) => l.replace(/\r$/, "")), ...(last === "" ? [] : [last])].map((l) =>
    Buffer.from(l, "latin1"),
  );
}

test("wanted lines and their context are what a plain split gives", () => {
  const piece = fc.constantFrom("\n", "\r\n", "\r", "a", "bc ", "é", "\u2028", "\v", "x".repeat(40), "\n\n");
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 60 }),
      fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 8 }),
      fc.integer({ min: 0, max: 3 }),
      (pieces, wanted, context) => {
        const content = Buffer.from(pieces.join(""));
        const expected = naive(content);
        wanted.sort((a, b) => a - b);
        const read = withFile(content, (file) => readLines(file, wanted, { encoding: null, context, toEnd: true }));
        assert.equal(read.totalLines, expected.length);
        const shown = expected.map((_, i) => i + 1).filter((n) => wanted.some((w) => Math.abs(w - n) <= context));
        assert.deepEqual(
          read.lines.map((l) => l.line),
          shown,
        );
        for (const line of read.lines) {
          assert.deepEqual(line.prefix, expected[line.line - 1]);
          assert.equal(line.length, line.prefix.length);
          assert.equal(line.wanted, wanted.includes(line.line));
        }
      },
    ),
    { numRuns: 300, seed: 20_240_601 },
  );
});

test("counting line feeds by words equals counting them by bytes, at every alignment", () => {
  const bytes = Buffer.from(
    Array.from({ length: 5_000 }, (_, i) => [10, 11, 138, 0, 255, 9, 10][(i * i) % 7] as number),
  );
  for (let from = 0; from < 9; from++) {
    for (const to of [from, from + 1, from + 3, from + 4, 1_021 + from, 4_999, 5_000]) {
      assert.equal(countLines(bytes, from, to), bytes.subarray(from, to).filter((b) => b === 10).length);
    }
  }
});

test("lines on both sides of a block boundary are whole, CR and LF apart too", () => {
  for (const shift of [-2, -1, 0, 1, 2]) {
    const content = `${"x".repeat(262_143 + shift)}\r\nsecond\r\nthird`;
    const read = withFile(content, (file) => readLines(file, [1, 2, 3], { encoding: null, maxLineBytes: 300_000 }));
    assert.deepEqual(
      read.lines.map((l) => [l.length, l.prefix.length]),
      [
        [262_143 + shift, 262_143 + shift],
        [6, 6],
        [5, 5],
      ],
    );
  }
});

test("fault-65: one line of 60 MB gives its start, its length and the bytes around the column in bounded memory", () => {
  const content = Buffer.alloc(60_000_000, "ab ");
  content.write("NEEDLE", 41_000_000);
  const before = process.memoryUsage().arrayBuffers;
  const [line] = withFile(content, (file) =>
    readLines(file, [{ line: 1, column: 41_000_000 }], { encoding: null }),
  ).lines;
  assert.ok(line);
  assert.equal(line.length, 60_000_000);
  assert.equal(line.prefix.length, 16_384);
  assert.equal(line.window.length, 16_384);
  const at = line.window.indexOf("NEEDLE");
  assert.equal(line.windowStart + at, 41_000_000);
  assert.ok(process.memoryUsage().arrayBuffers - before < 4_000_000);
});

test("fault-15: the first NUL on the way is told with its line; one behind the last wanted line is not looked for", () => {
  const content = `${"line\n".repeat(100_000)}hi\0there\nlast\n`;
  const passed = withFile(content, (file) => readLines(file, [100_001], { encoding: null }));
  assert.deepEqual(passed.nul, { offset: 500_002, line: 100_001 });
  assert.equal(passed.totalLines, null);
  assert.equal(withFile(content, (file) => readLines(file, [3], { encoding: null })).nul, null);
});

test("fault-36: UTF-16 with a byte order mark is read as UTF-8, and a UTF-8 mark is not part of the first line", () => {
  const text = "zeile eins ä\r\nzwei 😀\n";
  const le = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
  const be = Buffer.from(le).swap16();
  for (const content of [le, be, Buffer.from(`\ufeff${text}`)]) {
    const { lines, nul } = withFile(content, (file) => readLines(file, [1, 2], { encoding: null }));
    assert.deepEqual(
      lines.map((l) => l.prefix.toString()),
      ["zeile eins ä", "zwei 😀"],
    );
    assert.equal(nul, null);
  }
});

test("invalid UTF-8 keeps its bytes, and a named encoding decodes", () => {
  const gbk = Buffer.from([0xd6, 0xd0, 0xce, 0xc4, 0x0a, 0x61]);
  assert.deepEqual(
    withFile(gbk, (file) => readLines(file, [1], { encoding: null })).lines[0]?.prefix,
    gbk.subarray(0, 4),
  );
  assert.equal(withFile(gbk, (file) => readLines(file, [1], { encoding: "gbk" })).lines[0]?.prefix.toString(), "中文");
  assert.equal(
    withFile(Buffer.from([0x80]), (f) => readLines(f, [1], { encoding: "latin1" })).lines[0]?.prefix.toString(),
    "€",
  );
  assert.throws(() => withFile(gbk, (file) => readLines(file, [1], { encoding: "klingon" })), {
    code: "INVALID_ARGUMENT",
  });
});
