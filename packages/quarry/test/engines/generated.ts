import fc from "fast-check";
import type { RelPath } from "#src/paths/path.js";
import type { CaseMode, LineQuery } from "#src/search/query.js";
import { ask } from "./place.js";

/** Words that the texts are made of and the patterns ask for: letters that fold oddly, edges of words, operators. */
const WORDS = [
  "x",
  "foo",
  "Foo",
  "FOO",
  "bar",
  "k",
  "K",
  "\u212a",
  "s",
  "\u017f",
  "é",
  "fooé",
  "ß",
  "İ",
  "a.b",
  "(",
  "{",
  "[x]",
  "->",
  "--pre=/x",
  "\\n",
  "_1",
  "42",
  "😀",
  "\u2028",
  "\u00a0",
  "\u0085",
  "\r",
  "\t",
  " ",
  "$",
  "end",
  "Σ",
  "ς",
];

const word = fc.constantFrom(...WORDS);
const line = fc.oneof(
  { weight: 8, arbitrary: fc.array(word, { maxLength: 6 }).map((words) => Buffer.from(words.join(" "))) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(word, fc.uint8Array({ maxLength: 4 }))
      .map(([w, bytes]) => Buffer.concat([Buffer.from(w), Buffer.from(bytes.map((b) => b | 0x80)), Buffer.from(w)])),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(word, fc.constantFrom(900, 995, 1000, 1001, 1005, 3000), word)
      .map(([a, n, b]) => Buffer.from(a + "é".repeat(n / 2) + b)),
  },
  { weight: 1, arbitrary: fc.constant(Buffer.alloc(0)) },
);
const ending = fc.constantFrom("\n", "\n", "\n", "\r\n", "\r\r\n");

const text = fc
  .tuple(fc.array(fc.tuple(line, ending), { maxLength: 12 }), line, fc.boolean())
  .map(([lines, last, open]) =>
    Buffer.concat([...lines.flatMap(([l, e]) => [l, Buffer.from(e)]), open ? last : Buffer.alloc(0)]),
  );

const filler = Buffer.from(`${"neither nor ".repeat(50)}\n`.repeat(120));
const nul = Buffer.from("p\0q");

/** Contents: mostly text; some with a mark, in UTF-16, with a NUL early or late. */
const content = fc.oneof(
  { weight: 12, arbitrary: text },
  { weight: 1, arbitrary: text.map((t) => Buffer.concat([Buffer.from("\ufeff"), t])) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(text, fc.boolean())
      .map(([t, be]) =>
        be ? Buffer.from(`\ufeff${t.toString()}`, "utf16le").swap16() : Buffer.from(`\ufeff${t.toString()}`, "utf16le"),
      ),
  },
  { weight: 1, arbitrary: fc.tuple(text, text).map(([a, b]) => Buffer.concat([a, nul, b])) },
  { weight: 1, arbitrary: fc.tuple(text, text, text).map(([a, b, c]) => Buffer.concat([a, filler, b, nul, c])) },
  { weight: 1, arbitrary: fc.tuple(text, text).map(([a, b]) => Buffer.concat([a, filler, b])) },
);

const name = fc.constantFrom(
  "a",
  "a.b",
  "a-b",
  "-v",
  "--help",
  "B",
  "é",
  "n\udcff",
  "\udc80",
  "a\nb",
  ":1:2:",
  ".hid",
  "f 1",
  "z'\"",
  "\ufffd",
  "x\n./a",
  "{}",
  "[id]",
);
const path = fc
  .tuple(fc.constantFrom("", "", "d/", "d/e/", "-d/", "d.x/", "w\udcfe/"), name)
  .map(([folder, base]) => folder + base);

export type GeneratedTree = { readonly [path: RelPath]: Buffer };

/** A tree of up to ten files. No file is where another one's folder is. */
export const generatedTree: fc.Arbitrary<GeneratedTree> = fc
  .uniqueArray(fc.tuple(path, content), { minLength: 1, maxLength: 10, selector: ([p]) => p })
  .map((files) => Object.fromEntries(files));

const atom = fc.oneof(
  { weight: 6, arbitrary: word.map((w) => w.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&").replace("\r", "\\s")) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ".",
      "\\w",
      "\\b",
      "\\s",
      "\\d",
      "\\S",
      "\\W",
      "\\B",
      "^",
      "$",
      "[a-z]",
      "[^a]",
      "[^\\n]",
      "[k-s]",
      "(?i:FOO)",
      "(?i:ſ)",
      "\\p{L}",
      "\\x{212A}",
      "é?",
      "(?-u:\\w)",
      "(?s:.)",
      "\\A",
      "\\z",
    ),
  },
);
const quantified = fc
  .tuple(atom, fc.constantFrom("", "", "", "", "*", "+", "?", "{1,3}", "{2}", "+?"))
  .map(([a, q]) => (/^(?:\\[bBAz]|[\^$])$/.test(a) ? a : `(?:${a})${q}`));
const sequence = fc.array(quantified, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(""));
const regex = fc.oneof(
  { weight: 4, arbitrary: sequence },
  { weight: 1, arbitrary: fc.tuple(sequence, sequence).map(([a, b]) => `${a}|${b}`) },
);
const acrossLines = fc
  .tuple(sequence, fc.constantFrom("\\n", "\\r?\\n", "\\n+", "(?s:.)", "\\s+"), sequence)
  .map(([a, e, b]) => a + e + b);
/**
 * On lines no engine is asked for the text's ends, see `resolveQuery`: where such a pattern has alternatives, the column that ripgrep tells
 * depends on the sizes of the files that it searched before.
 */
const inLines = (pattern: string): string => pattern.replaceAll("\\A", "^").replaceAll("\\z", "$");
const caseMode = fc.constantFrom<CaseMode>("sensitive", "insensitive", "smart");

/** Questions of every kind: plain words, literals, regular expressions, across lines. */
export const generatedQuery: fc.Arbitrary<LineQuery> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        word.filter((w) => w !== "\r"),
        caseMode,
      )
      .map(([w, c]) => ask(w, { literal: true, case: c })),
  },
  { weight: 6, arbitrary: fc.tuple(regex, caseMode).map(([p, c]) => ask(inLines(p), { case: c })) },
  { weight: 1, arbitrary: fc.tuple(acrossLines, caseMode).map(([p, c]) => ask(p, { case: c, multiline: true })) },
);

/** How the files are given to the engine. */
export const generatedForm = fc
  .record({ tree: fc.boolean(), chunk: fc.constantFrom(100, 100, 100, 4), parallel: fc.constantFrom(1, 2) })
  // A folder stands for its files only where the batch has them all.
  .map((form) => ({ ...form, tree: form.tree && form.chunk === 100 }));
