import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { DEFAULT_SETTINGS } from "#src/config/settings.js";
import { readRange, type ReadRange, type ReadValue } from "#src/files/read.js";
import { readText } from "#src/profiles/quarry/read-text.js";
import { Workspace } from "#src/workspace/workspace.js";
import { addToTree, makeTree } from "../support/tree.js";

const root = makeTree({});
const workspace = await Workspace.open({ mounts: [{ host: root }] });

async function read(content: string | Buffer, range: ReadRange = {}, settings = DEFAULT_SETTINGS): Promise<ReadValue> {
  addToTree(root, { "f.txt": content });
  return readRange(workspace, workspace.resolve("f.txt", "file"), range, settings);
}

async function text(content: string | Buffer, range: ReadRange = {}): Promise<string> {
  return readText(await read(content, range));
}

function numbered(count: number): string {
  return Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join("");
}

test("a small file: headline with the version, numbered lines, tabs kept", async () => {
  const content = "\tif (x) {\n\t\treturn 1;\n\t}\n";
  const version = createHash("sha256").update(content).digest("hex").slice(0, 16);
  assert.equal(await text(content), `f.txt: 3 lines, version ${version}\n1\t\tif (x) {\n2\t\t\treturn 1;\n3\t\t}`);
});

test("what looks like our own headline or number in a file stays behind a number and a tab", async () => {
  const content = "f.txt: 3 lines, version 0\n  2\tnot line two\n(More: start_line=1.)\n";
  const rows = (await text(content)).split("\n").slice(1);
  assert.deepEqual(
    rows.map((row) => row.slice(row.indexOf("\t") + 1)),
    content.trimEnd().split("\n"),
  );
  assert.ok(rows.every((row, i) => row.startsWith(`${i + 1}\t`)));
});

test("any text comes back line by line as it is", async () => {
  const piece = fc.constantFrom("\n", "\r\n", "\t", " ", "a", "é😀", "\u2028", "\r", "12\t", "(");
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 50 }), fc.integer({ min: 1, max: 6 }), async (pieces, startLine) => {
      const content = pieces.join("");
      const all = content.split("\n");
      const last = all.pop() as string;
      const expected = [...all.map((l) => l.replace(/\r$/, "")), ...(last === "" ? [] : [last])];
      const value = await read(content, { startLine });
      assert.equal(value.totalLines, expected.length);
      assert.deepEqual(
        value.lines.map((l) => l.text),
        expected.slice(startLine - 1),
      );
      assert.deepEqual(
        value.lines.map((l) => l.line),
        expected.map((_, i) => i + 1).slice(startLine - 1),
      );
    }),
    { numRuns: 150, seed: 7_001 },
  );
});

test("fault-80: a long file is paged: the first page and the next call to make, to the end", async () => {
  const content = numbered(20_000);
  let value = await read(content);
  assert.equal(value.lines.length, 2_000);
  assert.match(readText(value), /^f\.txt: lines 1-2000 of 20000, version [0-9a-f]{16}\n {3}1\tline 1\n/);
  assert.match(readText(value), /\n2000\tline 2000\n\(More: start_line=2001\.\)$/);
  const seen: string[] = [];
  for (;;) {
    seen.push(...value.lines.map((l) => l.text));
    if (value.nextStartLine === undefined) break;
    value = await read(content, { startLine: value.nextStartLine });
  }
  assert.equal(`${seen.join("\n")}\n`, content);
});

test("fault-80: the size limit cuts between lines too, and one line is always shown", async () => {
  const settings = { ...DEFAULT_SETTINGS, readBytes: 1_000 };
  const value = await read(`${"é".repeat(200)}\n`.repeat(10), {}, settings);
  assert.deepEqual([value.lines.length, value.truncated, value.nextStartLine], [2, true, 3]);
  const wide = await read(`${"é".repeat(1_900)}\nb\n`, {}, settings);
  assert.deepEqual([wide.lines.length, wide.nextStartLine], [1, 2]);
  assert.equal(wide.lines[0]?.text, "é".repeat(1_900));
});

test("a range is what was asked for; its end may lie behind the file's end", async () => {
  const value = await read(numbered(30), { startLine: 10, endLine: 12 });
  assert.deepEqual(
    value.lines.map((l) => l.line),
    [10, 11, 12],
  );
  assert.deepEqual([value.truncated, value.totalLines, value.endLine], [false, 30, 12]);
  assert.match(readText(value), /^f\.txt: lines 10-12 of 30, /);
  assert.deepEqual(
    (await read(numbered(3), { startLine: 3, endLine: 99 })).lines.map((l) => l.line),
    [3],
  );
});

test("an empty file and a start behind the end say so; a range that is none is refused", async () => {
  assert.match(await text(""), /^f\.txt: 0 lines, version e3b0c44298fc1c14\n\(the file is empty\)$/);
  assert.match(
    await text(numbered(12), { startLine: 500 }),
    /\(start_line 500 is past the end: the file has 12 lines\)$/,
  );
  for (const range of [{ startLine: 0 }, { startLine: -3 }, { startLine: 1.5 }, { startLine: 5, endLine: 4 }]) {
    await assert.rejects(read("x\n", range), { code: "INVALID_ARGUMENT" });
  }
});

test("the version is of the content alone: of all its bytes, also those not shown", async () => {
  const a = await read(numbered(5_000), { startLine: 1, endLine: 1 });
  const b = await read(numbered(5_000), { startLine: 9, endLine: 9 });
  assert.equal(a.version, b.version);
  assert.notEqual((await read(`${numbered(5_000)}x`, { endLine: 1 })).version, a.version);
});

test("fault-71: CRLF is told and not shown; mixed ends and a missing last newline are told", async () => {
  assert.match(await text("a\r\nb\r\n"), /\n1\ta\n2\tb\n\(lines end in CRLF\)$/);
  assert.equal((await read("a\r\nb\n")).eol, "mixed");
  assert.match(await text("a\r\nb\n"), /line ends are mixed/);
  assert.match(await text("a\nb"), /\(the last line has no newline at its end\)$/);
  assert.doesNotMatch(await text("a\nb\n"), /newline/);
  const long = `${"x".repeat(262_143)}\r\n`;
  assert.equal((await read(long)).eol, "crlf");
  assert.equal((await read(`${long}y`, { startLine: 2 })).lines[0]?.text, "y");
});

test("fault-65: a line of 20 MB is cut and marked, and costs no memory", async () => {
  const before = process.memoryUsage().arrayBuffers;
  const value = await read(Buffer.alloc(20_000_000, "ab😀"));
  assert.ok(process.memoryUsage().arrayBuffers - before < 30_000_000);
  const [line] = value.lines;
  assert.deepEqual([line?.clipped, line?.lineBytes, [...(line?.text ?? "")].length], [true, 20_000_000, 2_000]);
  assert.ok(!line?.text.includes("\ufffd"));
  assert.match(readText(value), / \[…cut: the line has 20,000,000 bytes\]\n/);
});

test("fault-45: a byte order mark is not content, and is told", async () => {
  const value = await read("\ufeffhello\n");
  assert.deepEqual([value.lines[0]?.text, value.encoding], ["hello", "utf-8"]);
  assert.match(readText(value), /UTF-8 byte order mark/);
});

test("fault-36: UTF-16 is decoded, with a mark and without", async () => {
  const body = Buffer.from("eins\r\nzwei ä\r\n", "utf16le");
  const le = Buffer.concat([Buffer.from([0xff, 0xfe]), body]);
  const be = Buffer.from(le).swap16();
  for (const [content, encoding] of [
    [le, "utf-16le"],
    [be, "utf-16be"],
    [body, "utf-16le"],
    [Buffer.from(body).swap16(), "utf-16be"],
  ] as const) {
    const value = await read(content);
    assert.deepEqual(
      value.lines.map((l) => l.text),
      ["eins", "zwei ä"],
    );
    assert.deepEqual([value.encoding, value.eol], [encoding, "crlf"]);
    assert.ok(value.notes.some((note) => note.includes(encoding)));
  }
});

test("fault-34: bytes of another encoding are shown with loss and told by line; a named encoding decodes them", async () => {
  const gbk = Buffer.concat([Buffer.from("ok\n"), Buffer.from([0xd6, 0xd0, 0x0a]), Buffer.from("fine\n")]);
  const value = await read(gbk);
  assert.ok(value.lines[1]?.text.includes("\ufffd"));
  assert.ok(value.notes.some((note) => note.startsWith("not UTF-8: bytes of line 2 are")));
  const decoded = await read(gbk, { encoding: "gbk" });
  assert.equal(decoded.lines[1]?.text, "中");
  assert.ok(decoded.notes.includes("decoded from gbk, as asked"));
  assert.equal((await read("a\ufffdb\n")).notes.length, 0);
});

test("a NUL far inside a text is told and shown as a sign", async () => {
  const shown = await text(`${"x".repeat(70_000)}\nhi\0there\n`, { startLine: 2 });
  assert.match(shown, /\n2\thi␀there\n\(the file holds NUL bytes, the first in line 2\)$/);
});

test("a binary gets a sentence of what it is, never an error", async () => {
  const png = Buffer.alloc(1_234);
  png.write("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1");
  png.writeUInt32BE(64, 16);
  png.writeUInt32BE(48, 20);
  const value = await read(png);
  assert.deepEqual(value.binary, { kind: "PNG image", mime: "image/png", width: 64, height: 48 });
  assert.match(
    readText(value),
    /^f\.txt: PNG image, 64×48 pixels, 1\.2 KB; not text, so there are no lines to show, version [0-9a-f]{16}$/,
  );
  assert.match(await text(Buffer.from([1, 0, 2])), /^f\.txt: binary data, 3 bytes; not text/);
});

test("fault-25: names that look like patterns are read; a path that names a link keeps its name", async () => {
  addToTree(root, { "app/(auth)/[[...sign-in]]/{x}*.tsx": "page\n", alias: { link: "app" } });
  const path = "app/(auth)/[[...sign-in]]/{x}*.tsx";
  assert.equal(
    (await readRange(workspace, workspace.resolve(path, "file"), {}, DEFAULT_SETTINGS)).lines[0]?.text,
    "page",
  );
  const linked = await readRange(
    workspace,
    workspace.resolve(`/alias/(auth)/[[...sign-in]]/{x}*.tsx`, "file"),
    {},
    DEFAULT_SETTINGS,
  );
  assert.equal(linked.path, "alias/(auth)/[[...sign-in]]/{x}*.tsx");
});

test("a cancelled read of a large file ends", async () => {
  const controller = new AbortController();
  controller.abort();
  await assert.rejects(read(Buffer.alloc(40_000_000, "abc\n"), { signal: controller.signal }), { code: "ABORTED" });
});
