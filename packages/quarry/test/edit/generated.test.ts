import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { contentVersion } from "#src/files/version.js";
import { generatedRuns } from "../support/cases.js";
import { makeTree } from "../support/tree.js";
import { done, editTools, refused } from "./editing.js";

type Encoding = "utf-8" | "utf-8 with mark" | "utf-16le" | "utf-16be";
const ENCODINGS: readonly Encoding[] = ["utf-8", "utf-8 with mark", "utf-16le", "utf-16be"];

function encode(encoding: Encoding, text: string): Buffer {
  if (!encoding.startsWith("utf-16")) return Buffer.from(text, "utf8");
  const bytes = Buffer.from(text, "utf16le");
  return encoding === "utf-16be" ? bytes.swap16() : bytes;
}

/** Small pieces that meet often, so that texts are found, overlap and repeat. */
const piece = fc.constantFrom("a", "b", "ab", "é", "😀", " ", "\t", "$&", "\\n", "x=1", "中", "\u0a0d");
const words = fc.array(piece, { maxLength: 4 }).map((parts) => parts.join(""));
const junk = fc.constantFrom(
  Buffer.alloc(0),
  Buffer.alloc(0),
  Buffer.from([0xff]),
  Buffer.from([0x80, 0xc3]),
  Buffer.from([0xe4, 0xb8]),
);

interface Case {
  readonly encoding: Encoding;
  readonly content: Buffer;
  readonly old: string;
  readonly now: string;
}

const cases: fc.Arbitrary<Case> = fc
  .record({
    encoding: fc.constantFrom(...ENCODINGS),
    eol: fc.constantFrom("\n", "\r\n"),
    lines: fc.array(fc.tuple(words, junk), { minLength: 1, maxLength: 12 }),
    other: fc.array(words, { minLength: 1, maxLength: 3 }),
    part: fc.option(fc.tuple(fc.nat(30), fc.integer({ min: 1, max: 8 })), { freq: 5 }),
    now: fc.array(words, { minLength: 1, maxLength: 4 }),
    open: fc.boolean(),
  })
  .map(({ encoding, eol, lines, other, part, now, open }) => {
    const mark = encoding === "utf-8" ? "" : "\ufeff";
    const wide = encoding.startsWith("utf-16");
    const body = lines.flatMap(([text, bytes], i) => [
      encode(encoding, text),
      ...(wide ? [] : [bytes]),
      encode(encoding, open && i === lines.length - 1 ? "" : eol),
    ]);
    const points = [...lines.map(([text]) => text).join("\n")];
    const old =
      part === null
        ? other.join("\n")
        : points.slice(part[0] % points.length, (part[0] % points.length) + part[1]).join("");
    return { encoding, content: Buffer.concat([encode(encoding, mark), ...body]), old, now: now.join("\n") };
  });

/** The plain model: the file has one kind of line end, the arguments are written with it, and bytes are split and joined. */
function model({ encoding, content, old, now }: Case): { readonly places: number; readonly after: Buffer } {
  const crlf = content.includes(encode(encoding, "\r\n"));
  const written = (text: string): Buffer => encode(encoding, crlf ? text.replaceAll("\n", "\r\n") : text);
  const wide = encoding.startsWith("utf-16") ? 2 : 1;
  const mark = encoding === "utf-8" ? 0 : encode(encoding, "\ufeff").length;
  const needle = written(old);
  const out: Buffer[] = [];
  let at = 0;
  let places = 0;
  for (let i = mark; needle.length > 0 && i + needle.length <= content.length;) {
    if (!content.subarray(i, i + needle.length).equals(needle)) {
      i += wide;
      continue;
    }
    out.push(content.subarray(at, i), written(now));
    i += needle.length;
    at = i;
    places += 1;
  }
  return { places, after: Buffer.concat([...out, content.subarray(at)]) };
}

test("generated edits do what splitting and joining bytes does", async (t) => {
  const runs = generatedRuns(t, 300);
  const root = makeTree({ "a.txt": "" });
  const path = join(root, "a.txt");
  const { replace, rooms } = await editTools(root);
  assert.equal(rooms.workspace.mounts.length, 1);
  let found = 0;
  await fc.assert(
    fc.asyncProperty(cases, async (c) => {
      // A UTF-16 text with a NUL behind its mark would be UTF-32; generated texts hold none.
      writeFileSync(path, c.content);
      const { places, after } = model(c);
      const args = { path: "a.txt", old_str: c.old, new_str: c.now };
      const result = await replace({ ...args, replace_all: true });
      if (c.old === "" || c.old === c.now) {
        assert.equal(refused(result).code, "INVALID_ARGUMENT");
        assert.deepEqual(readFileSync(path), c.content);
      } else if (places === 0) {
        assert.equal(refused(result).code, "OLD_STR_NOT_FOUND");
        assert.deepEqual(readFileSync(path), c.content);
      } else {
        found += 1;
        const value = done(result);
        assert.deepEqual(readFileSync(path), after);
        assert.equal(value.replacements, places);
        assert.equal(value.version, contentVersion(after));
        writeFileSync(path, c.content);
        const once = await replace(args);
        if (places > 1) assert.equal(refused(once).code, "OLD_STR_NOT_UNIQUE");
        if (once.isError) assert.deepEqual(readFileSync(path), c.content);
        else assert.deepEqual(readFileSync(path), after);
      }
    }),
    runs,
  );
  // Two thirds are; a few cases alone need not be.
  if (runs.numRuns >= 100) assert.ok(found > runs.numRuns / 10, `only ${found} of ${runs.numRuns} texts were there`);
});
