import assert from "node:assert/strict";
import { test } from "node:test";
import { Finder, replacement } from "#src/files/edit-find.js";
import { makeTree } from "../support/tree.js";
import { bytesOf, done, editTools, refused, textOf } from "./editing.js";

/** Replaces the only place of `old`, as the tools do. */
function once(body: string, old: string, now: string): string {
  const spans = new Finder(body, old).candidates(10);
  assert.equal(spans.length, 1, `${JSON.stringify(old)} stands once in ${JSON.stringify(body)}`);
  const [span] = spans;
  if (span === undefined) throw new Error("not found");
  return body.slice(0, span.from) + replacement(body, span, old, now) + body.slice(span.to);
}

const CASES: readonly (readonly [why: string, body: string, old: string, now: string, after: string])[] = [
  ["LF file, LF arguments", "a\nb\nc\n", "a\nb", "x\ny\nz", "x\ny\nz\nc\n"],
  ["CRLF file, several lines", "a\r\nb\r\nc\r\n", "a\nb\n", "x\ny\nz\n", "x\r\ny\r\nz\r\nc\r\n"],
  ["CRLF file, one line becomes two", "a\r\nb\r\nc\r\n", "b", "b\nb2", "a\r\nb\r\nb2\r\nc\r\n"],
  ["CRLF file, the last line has no end", "a\r\nb", "b", "b\nc", "a\r\nb\r\nc"],
  ["CRLF file, lines become one", "a\r\nb\r\nc", "a\nb", "ab", "ab\r\nc"],
  ["CRLF file, a leading line end takes its CR along", "a\r\nb\r\n", "\nb", "\nx\ny", "a\r\nx\r\ny\r\n"],
  ["CRLF file, only a line end", "a\r\nb", "\n", "\n\n", "a\r\n\r\nb"],
  ["one line without any end", "ab", "b", "b\nc", "ab\nc"],
  ["CRLF file, the first line", "a\r\nb\r\n", "a", "0\na", "0\r\na\r\nb\r\n"],
  ["mixed file, the LF part", "a\r\nb\nc\n", "b\nc", "b\nx\nc", "a\r\nb\nx\nc\n"],
  ["mixed file, the CRLF part", "a\nb\r\nc\r\nd\n", "b\nc", "b\nx\nc", "a\nb\r\nx\r\nc\r\nd\n"],
  [
    "mixed file, a span over both kinds keeps each",
    "a\r\nb\nc\r\nd\n",
    "a\nb\nc\nd",
    "a\nb\nX\nc\nd",
    "a\r\nb\nX\nc\r\nd\n",
  ],
  ["mixed file, one line in a LF line", "a\r\nb\nc\r\n", "b", "b\nb2", "a\r\nb\nb2\nc\r\n"],
  ["a CR in old_str: as it stands", "a\r\nb\r\nc\r\n", "a\r\nb", "a\nb", "a\nb\r\nc\r\n"],
  ["a CR in new_str: as it stands", "a\nb\n", "a\n", "a\r\n", "a\r\nb\n"],
  ["a CR alone is text", "a\rb\r\nc", "b\nc", "x\ny", "a\rx\r\ny"],
];
for (const [why, body, old, now, after] of CASES) {
  test(`fault-71: ${why}`, () => assert.equal(once(body, old, now), after));
}

test("fault-71: LF and CRLF are the same to whoever asks, so both count as places", async () => {
  const root = makeTree({ "a.txt": "a\nb\n--\r\na\r\nb\r\n" });
  const { replace } = await editTools(root);
  assert.match(
    refused(await replace({ path: "a.txt", old_str: "a\nb", new_str: "x\ny" })).message,
    /2 times: at lines 1, 4$/,
  );
  done(await replace({ path: "a.txt", old_str: "a\nb", new_str: "x\ny\nz", replace_all: true }));
  assert.equal(textOf(root, "a.txt"), "x\ny\nz\n--\r\nx\r\ny\r\nz\r\n");
});

test("fault-71: a CRLF file is edited with LF arguments through the tool, and no other line changes", async () => {
  const root = makeTree({ "a.txt": "one\r\ntwo\r\nthree\r\nfour\r\n" });
  const { replace } = await editTools(root);
  const value = done(await replace({ path: "a.txt", old_str: "two\nthree\n", new_str: "2\n3\n3b\n" }));
  assert.equal(textOf(root, "a.txt"), "one\r\n2\r\n3\r\n3b\r\nfour\r\n");
  assert.equal(value.diff, "@@ -1,4 +1,5 @@\n one\n-two\n-three\n+2\n+3\n+3b\n four");
});

test("fault-71: a change of line ends alone is seen in the diff", async () => {
  const root = makeTree({ "a.txt": "one\r\ntwo\r\n" });
  const { replace } = await editTools(root);
  const value = done(await replace({ path: "a.txt", old_str: "one\r\n", new_str: "one\n" }));
  assert.equal(textOf(root, "a.txt"), "one\ntwo\r\n");
  assert.equal(value.diff, "@@ -1,2 +1,2 @@\n-one^M\n+one\n two");
});

test("the last line keeps that it has no newline, and the diff says it", async () => {
  const root = makeTree({ "a.txt": "one\ntwo" });
  const { replace } = await editTools(root);
  const value = done(await replace({ path: "a.txt", old_str: "two", new_str: "2" }));
  assert.equal(textOf(root, "a.txt"), "one\n2");
  assert.equal(
    value.diff,
    "@@ -1,2 +1,2 @@\n one\n-two\n\\ No newline at end of file\n+2\n\\ No newline at end of file",
  );
});

const UTF16 = (text: string, big: boolean): Buffer => {
  const bytes = Buffer.from(`\ufeff${text}`, "utf16le");
  return big ? bytes.swap16() : bytes;
};

for (const big of [false, true]) {
  test(`fault-45: UTF-16 ${big ? "BE" : "LE"} keeps its mark, its line ends and code units that are not valid`, async () => {
    // "\u0a0d" and "\u0d0a" hold the bytes of line ends; a search of bytes would cut characters in two.
    const text = "\u0a0d\u0d0a x\ud800y\r\nport=80 \u{1f600}\r\n";
    const root = makeTree({ "a.txt": Buffer.concat([UTF16(text, big), Buffer.from([0x41])]) });
    const { replace } = await editTools(root);
    const value = done(await replace({ path: "a.txt", old_str: "port=80 \u{1f600}\n", new_str: "port=81\nhost=é\n" }));
    const after = text.replace("port=80 \u{1f600}\r\n", "port=81\r\nhost=é\r\n");
    assert.deepEqual(bytesOf(root, "a.txt"), Buffer.concat([UTF16(after, big), Buffer.from([0x41])]));
    assert.match(value.diff, /^-port=80 \u{1f600}\n\+port=81\n\+host=é$/mu);
  });
}

test("fault-45: a UTF-8 byte order mark stays, and is not part of the text", async () => {
  const root = makeTree({ "a.txt": "\ufeffone\n" });
  const { replace, write } = await editTools(root);
  const value = done(await replace({ path: "a.txt", old_str: "one", new_str: "two" }));
  assert.equal(textOf(root, "a.txt"), "\ufefftwo\n");
  assert.match(
    refused(await replace({ path: "a.txt", old_str: "\ufefftwo", new_str: "x" })).message,
    /byte order mark/,
  );
  const written = done(await write({ path: "a.txt", content: "three\n", if_version: value.version }));
  assert.equal(textOf(root, "a.txt"), "\ufeffthree\n");
  assert.deepEqual(written.notes, ["The byte order mark was kept."]);
  done(await write({ path: "a.txt", content: "\ufefffour\n", if_version: written.version }));
  assert.equal(textOf(root, "a.txt"), "\ufefffour\n");
});
