import assert from "node:assert/strict";
import { test } from "node:test";
import { lines, openTree } from "./opened.js";

const MIXED = [
  "x lf\n",
  "x crlf\r\n",
  "x lone\rx cr\n",
  "\n",
  "x u2028 \u2028 x\n",
  "x nel \u0085 x ff \f x vt \v\r\n",
  "\r\n",
  "\t\tx 😀é日本 y x\n",
  "x last",
].join("");

test("fault-71: a line ends at LF or CRLF, nothing else, and its number is the same in grep and read_file", async () => {
  const at = await openTree({ f: MIXED, bom: `\ufeff${MIXED}` }, { artifacts: false });
  for (const path of ["f", "bom"]) {
    const read = await at.read({ path });
    const found = await at.grep({ pattern: "x", path });
    assert.equal(read.value.totalLines, 9);
    assert.deepEqual(
      (found.value.matches ?? []).map((m) => m.line),
      [1, 2, 3, 5, 6, 8, 9],
    );
    for (const match of found.value.matches ?? []) {
      assert.equal(match.text, read.value.lines[match.line - 1]?.text, `${path}:${match.line}`);
      const one = await at.read({ path, start_line: match.line, end_line: match.line });
      assert.equal(one.value.lines[0]?.text, match.text);
    }
    assert.deepEqual(lines((await at.grep({ pattern: "(lf|cr)$", path })).value), [
      `${path}:1:x lf`,
      `${path}:2:x crlf`,
      `${path}:3:x lone\rx cr`,
    ]);
    assert.deepEqual(
      (await at.grep({ pattern: "^$", path })).value.matches?.map((m) => m.line),
      [4, 7],
    );
  }
});

test("columns count code points from 1, in any encoding", async () => {
  const text = "\t\t😀é日本 NEEDLE\n";
  const at = await openTree(
    {
      utf8: text,
      bom: `\ufeff${text}`,
      le: Buffer.from(`\ufeff${text}`, "utf16le"),
      be: Buffer.from(`\ufeff${text}`, "utf16le").swap16(),
      long: `${"😀".repeat(5_000)}NEEDLE${"é".repeat(5_000)}\n`,
    },
    { artifacts: false },
  );
  const { value } = await at.grep({ pattern: "NEEDLE" });
  assert.deepEqual(Object.fromEntries((value.matches ?? []).map((m) => [m.path, m.column])), {
    utf8: 8,
    bom: 8,
    le: 8,
    be: 8,
    long: 5_001,
  });
  const long = value.matches?.find((m) => m.path === "long");
  assert.equal(long?.clipped, true);
  assert.ok(
    long.text.includes("NEEDLE") && Buffer.from(long.text).toString() === long.text && [...long.text].length <= 302,
  );
});

test("fault-65: a match in one line of 60 MB is shown in its place, and reading it is bounded", async () => {
  const line = Buffer.alloc(60_000_000, "abcdefghij ");
  line.write("NEEDLE", 41_000_003);
  const at = await openTree({ "min.js": line, "b.js": "NEEDLE b\n" }, { artifacts: false });
  const { value, text, complete } = await at.grep({ pattern: "NEEDLE" });
  assert.ok(complete, text);
  assert.deepEqual(
    value.matches?.map((m) => [m.path, m.line, m.column]),
    [
      ["b.js", 1, 1],
      ["min.js", 1, 41_000_004],
    ],
  );
  assert.ok(value.matches?.[1]?.text.includes("NEEDLE"));
  assert.ok(text.length < 1_000);
  const read = await at.read({ path: "min.js" });
  assert.ok(read.text.length < 5_000 && /cut: the line has 60,000,000 bytes/.test(read.text), read.text.slice(-300));
});

test("fault-34: a GBK line is shown with loss and marked, the others as they are; its encoding named, it is found", async () => {
  const gbk = Buffer.from([0xc4, 0xe3, 0xba, 0xc3]);
  const at = await openTree(
    {
      "a.txt": "TOKEN plain\n",
      "gbk.txt": Buffer.concat([Buffer.from("TOKEN "), gbk, Buffer.from("\nplain TOKEN\n")]),
      "z.txt": "TOKEN z\n",
    },
    { artifacts: false },
  );
  const found = await at.grep({ pattern: "TOKEN" });
  assert.equal(found.value.total, 4);
  assert.deepEqual(
    found.value.matches?.map((m) => m.lossy ?? false),
    [false, true, false, false],
  );
  assert.match(found.text, /^1 TOKEN \ufffd+.* \[not UTF-8\]$/m);
  const none = await at.grep({ pattern: "你好" });
  assert.equal(none.value.total, 0);
  assert.match(none.text, /encoding: "gbk"/);
  const named = await at.grep({ pattern: "你好", encoding: "gbk" });
  assert.deepEqual(lines(named.value), ["gbk.txt:1:TOKEN 你好"]);
  assert.equal((await at.read({ path: "gbk.txt", encoding: "gbk" })).value.lines[0]?.text, "TOKEN 你好");
});

test("an encoding that nobody knows is refused with what is accepted", async () => {
  const at = await openTree({ a: "a\n" }, { artifacts: false });
  for (const encoding of ["klingon", "utf-9", "-e", "replacement", "none"]) {
    for (const [tool, args] of [
      ["grep", { pattern: "a", encoding }],
      ["read_file", { path: "a", encoding }],
    ] as const) {
      const error = await at.error(tool, args);
      assert.deepEqual([error.code, error.argument], ["INVALID_ARGUMENT", "encoding"]);
      assert.match(error.text, /WHATWG labels, such as utf-8/);
    }
  }
});

test("fault-36: UTF-16 is found with its mark; without one it is told, and found with the encoding named", async () => {
  const text = "first line\nhas NEEDLE in it\n";
  const le = Buffer.from(text, "utf16le");
  const at = await openTree(
    {
      "marked.txt": Buffer.from(`\ufeff${text}`, "utf16le"),
      "marked-be.txt": Buffer.from(`\ufeff${text}`, "utf16le").swap16(),
    },
    { artifacts: false },
  );
  assert.deepEqual(lines((await at.grep({ pattern: "NEEDLE" })).value), [
    "marked-be.txt:2:has NEEDLE in it",
    "marked.txt:2:has NEEDLE in it",
  ]);
  const bare = await openTree(
    { "s/le.txt": le, "s/be.txt": Buffer.from(le).swap16(), "s/ascii.txt": "nothing\n".repeat(100) },
    { artifacts: false },
  );
  const none = await bare.grep({ pattern: "NEEDLE" });
  assert.match(none.text, /1 file in utf-16le without a byte order mark would match, in s\/: encoding: "utf-16le"\./);
  assert.match(none.text, /1 file in utf-16be without a byte order mark would match, in s\/: encoding: "utf-16be"\./);
  assert.deepEqual(lines((await bare.grep({ pattern: "NEEDLE", encoding: "utf-16le" })).value), [
    "s/le.txt:2:has NEEDLE in it",
  ]);
  assert.deepEqual(lines((await bare.grep({ pattern: "NEEDLE", encoding: "utf-16be" })).value), [
    "s/be.txt:2:has NEEDLE in it",
  ]);
});

test("fault-36: beside other matches, by every engine, UTF-16 without a mark is told where it would match", async () => {
  const utf16 = (text: string): Buffer => Buffer.from(text, "utf16le");
  const tree = {
    "a/plain.txt": "a NEEDLE\n",
    "a/le.txt": utf16("a NEEDLE here\n"),
    "a/other.txt": utf16("nothing of the kind\n"),
    "b/be.txt": utf16("\nsecond NEEDLE\n").swap16(),
    "b/image.png": Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR NEEDLE", "latin1"),
  };
  for (const engine of ["ripgrep", "kernel", "wasm", "auto"] as const) {
    const at = await openTree(tree, { artifacts: false, engine });
    for (const output of ["matches", "files", "count"]) {
      const found = await at.grep({ pattern: "NEEDLE", output });
      assert.equal(found.value.total, 1, engine);
      assert.deepEqual(found.text.split("\n").slice(-2), [
        '(1 file in utf-16le without a byte order mark would match, in a/: encoding: "utf-16le".)',
        '(1 file in utf-16be without a byte order mark would match, in b/: encoding: "utf-16be".)',
      ]);
    }
    assert.doesNotMatch((await at.grep({ pattern: "NEEDLE", path: "a/plain.txt" })).text, /utf-16/);
    assert.equal((await at.grep({ pattern: "NEEDLE", encoding: "utf-16le" })).text.match(/would match/), null);
  }
  const few = await openTree(tree, { artifacts: false, settings: { secondLookFiles: 2 } });
  assert.match((await few.grep({ pattern: "NEEDLE" })).text, /At least 1 file in utf-16le .* in a\//);
});

test("the start of the text is the start of each line: the column does not depend on where a file was read in pieces", async () => {
  const text = Array.from({ length: 9_000 }, (_, i) => `line ${i} and foo\n`).join("");
  for (const engine of ["ripgrep", "kernel", "wasm"] as const) {
    const at = await openTree({ f: text }, { artifacts: false, engine });
    for (const offset of [0, 4_000, 8_950]) {
      const { value } = await at.grep({ pattern: "\\Aline|foo", offset, max_results: 50 });
      assert.equal(value.total, 9_000);
      assert.deepEqual(new Set(value.matches?.map(({ column }) => column)), new Set([1]), engine);
      assert.match(value.notes.join(), /ends of a line/);
    }
    const ends = await at.grep({ pattern: "foo\\z|qqq", max_results: 3 });
    assert.deepEqual(
      ends.value.matches?.map(({ column }) => column),
      [12, 12, 12],
    );
  }
});
