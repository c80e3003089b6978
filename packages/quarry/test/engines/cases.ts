import type { IncompleteReason } from "#src/search/coverage.js";
import type { LineQuery } from "#src/search/query.js";
import type { TreeSpec } from "../support/tree.js";

/** One question over one small tree, and all that is to come out. */
export interface Case {
  readonly name: string;
  readonly tree: TreeSpec;
  readonly pattern: string;
  readonly query?: Partial<LineQuery>;
  /** `line:column:text` by path, in order; a path without lines is left out. */
  readonly found: { readonly [path: string]: readonly string[] };
  readonly binary?: number;
  readonly incomplete?: IncompleteReason;
}

const utf16 = (text: string, be = false): Buffer => {
  const bytes = Buffer.from(`\ufeff${text}`, "utf16le");
  return be ? bytes.swap16() : bytes;
};
const fill = (bytes: number): string => "filler filler fill\n".repeat(Math.ceil(bytes / 19));
const lines = (text: string): number => text.split("\n").length;
const filler = fill(70_000);

export const CASES: readonly Case[] = [
  {
    name: "files come in path order, a/b before a.b",
    tree: { "a.b": "x\n", "a/b": "x\n", "a-b": "x\n", A: "x\n" },
    pattern: "x",
    found: { A: ["1:0:x"], "a/b": ["1:0:x"], "a-b": ["1:0:x"], "a.b": ["1:0:x"] },
  },
  {
    name: "a line with several matches is one hit at the first",
    tree: { f: "no\nab x x x\n" },
    pattern: "x",
    found: { f: ["2:3:ab x x x"] },
  },
  {
    name: "CRLF is a line end and no part of the line",
    tree: { f: "one x\r\ntwo\r\nx\r\n" },
    pattern: "x",
    found: { f: ["1:4:one x", "3:0:x"] },
  },
  {
    name: "fault-71: $ matches before CRLF",
    tree: { f: "the end\r\nend of\r\nend" },
    pattern: "end$",
    found: { f: ["1:4:the end", "3:0:end"] },
  },
  {
    name: "a lone CR is part of its line",
    tree: { f: "a\rx\rb\nx\r\r\nx\r" },
    pattern: "x",
    found: { f: ["1:2:a\rx\rb", "2:0:x\r", "3:0:x\r"] },
  },
  { name: "a last line without a newline", tree: { f: "a\nx" }, pattern: "x", found: { f: ["2:0:x"] } },
  {
    name: "empty files and empty lines",
    tree: { empty: "", f: "\n\nx\n\n" },
    pattern: "^$",
    found: { f: ["1:0:", "2:0:", "4:0:"] },
  },
  {
    name: "an empty pattern matches every line",
    tree: { empty: "", f: "a\n\nb" },
    pattern: "",
    found: { f: ["1:0:a", "2:0:", "3:0:b"] },
  },
  {
    name: "an UTF-8 mark is no part of the line",
    tree: { f: "\ufeffx one\nx two\n" },
    pattern: "^x",
    found: { f: ["1:0:x one", "2:0:x two"] },
  },
  {
    name: "fault-36: UTF-16 with a mark is decoded",
    tree: { be: utf16("one\nnäx\r\n", true), le: utf16("x\r\nyx") },
    pattern: "x",
    found: { be: ["2:3:näx"], le: ["1:0:x", "2:1:yx"] },
  },
  {
    name: "fault-15: a NUL in the first 64 KiB makes a file binary",
    tree: { "a.ts": "hi TOKEN\0x\nTOKEN\n", b: "TOKEN\n", c: `TOKEN\n${fill(60_000)}\0\n`, none: "\0\n" },
    pattern: "TOKEN",
    found: { b: ["1:0:TOKEN"] },
    binary: 2,
  },
  {
    name: "UTF-16 without a mark is binary where its bytes match, else silent",
    tree: { f: Buffer.from("xx\nxx\n", "utf16le") },
    pattern: "x",
    found: {},
    binary: 1,
  },
  {
    name: "a late NUL: lines before it are reported, those behind it make the search incomplete",
    tree: { f: `x 1\n${filler}x 2\nab\0cd\nx 3\n` },
    pattern: "x",
    found: { f: ["1:0:x 1", `${lines(filler) + 1}:0:x 2`] },
    incomplete: "nul-byte",
  },
  {
    name: "a late NUL with nothing behind it is complete",
    tree: { f: `x 1\n${filler}x 2\nab\0cd\n` },
    pattern: "x",
    found: { f: ["1:0:x 1", `${lines(filler) + 1}:0:x 2`] },
  },
  {
    name: "a late NUL with matches only behind it",
    tree: { f: `${filler}ab\0x\n`, g: "x\n" },
    pattern: "x",
    found: { g: ["1:0:x"] },
    incomplete: "nul-byte",
  },
  {
    name: "a late NUL in a multi-line search",
    tree: { f: `a\nb\n${filler}a\nb\nab\0cd\na\nb\n` },
    pattern: "a\\nb$",
    query: { multiline: true },
    found: { f: ["1:0:a", "2:0:b", `${lines(filler) + 2}:0:a`, `${lines(filler) + 3}:0:b`] },
    incomplete: "nul-byte",
  },
  {
    name: "an early NUL in a multi-line search",
    tree: { f: "a\nb\n\0" },
    pattern: "a\\nb",
    query: { multiline: true },
    found: {},
    binary: 1,
  },
  {
    name: "fault-34: bytes that are not UTF-8 are passed through; `.` does not match them",
    tree: { f: Buffer.from("x \xff y\nx . y\nx\xe9\n", "latin1"), g: "x\n" },
    pattern: "x . y",
    found: { f: ["2:0:x . y"] },
  },
  {
    name: "fault-34: a line with other bytes is found with the rest",
    tree: { gbk: Buffer.from("\xc4\xe3 TOKEN\n", "latin1"), ok: "TOKEN\n" },
    pattern: "TOKEN",
    found: { gbk: ["1:3:\ufffd\ufffd TOKEN"], ok: ["1:0:TOKEN"] },
  },
  {
    name: "an encoding that is given decodes what has no mark",
    tree: { gbk: Buffer.from("\xc4\xe3 x\n", "latin1"), mark: utf16("你 x\n") },
    pattern: "你 x",
    query: { encoding: "gbk" },
    found: { gbk: ["1:0:你 x"], mark: ["1:0:你 x"] },
  },
  {
    name: "letter case folds by Unicode",
    tree: { f: "\u212a\n\u017f\nk\ns\nK\n" },
    pattern: "[ks]",
    query: { case: "insensitive" },
    found: { f: ["1:0:\u212a", "2:0:\u017f", "3:0:k", "4:0:s", "5:0:K"] },
  },
  {
    name: "smart case: lower case only is insensitive",
    tree: { f: "Foo\nfoo\n" },
    pattern: "foo",
    query: { case: "smart" },
    found: { f: ["1:0:Foo", "2:0:foo"] },
  },
  {
    name: "smart case: an upper-case letter is sensitive",
    tree: { f: "Foo\nfoo\n" },
    pattern: "Foo",
    query: { case: "smart" },
    found: { f: ["1:0:Foo"] },
  },
  {
    name: "smart case: an escape such as \\S is no upper-case letter",
    tree: { f: "FOO\n" },
    pattern: "fo\\S",
    query: { case: "smart" },
    found: { f: ["1:0:FOO"] },
  },
  {
    name: "\\b is Unicode: é is a letter",
    tree: { f: "foo\nfooé\nfoo.\n" },
    pattern: "foo\\b",
    found: { f: ["1:0:foo", "3:0:foo."] },
  },
  { name: "columns are bytes of UTF-8", tree: { f: "äö😀 x\n" }, pattern: "x", found: { f: ["1:9:äö😀 x"] } },
  {
    name: "literal: every character as it stands",
    tree: { f: "a.b*[c]{d}\\\na.b\n" },
    pattern: "a.b*[c]{d}\\",
    query: { literal: true },
    found: { f: ["1:0:a.b*[c]{d}\\"] },
  },
  {
    name: "fault-68: a literal brace",
    tree: { f: "interface{\ninterface {}\n" },
    pattern: "interface{",
    query: { literal: true },
    found: { f: ["1:0:interface{"] },
  },
  {
    name: "fault-07: a pattern that looks like a flag is a pattern",
    tree: { f: "p->name\n--pre=/tmp/x.sh\n" },
    pattern: "->name",
    found: { f: ["1:1:p->name"] },
  },
  {
    name: "fault-07: --pre= is a pattern",
    tree: { f: "p->name\n--pre=/tmp/x.sh\n" },
    pattern: "--pre=/tmp/x.sh",
    found: { f: ["2:0:--pre=/tmp/x.sh"] },
  },
  {
    name: "fault-07: files named like flags",
    tree: { "--help": "x\n", "-v": "x\n", "-": "x\n", "d/-e": "x\n" },
    pattern: "x",
    found: { "-": ["1:0:x"], "--help": ["1:0:x"], "-v": ["1:0:x"], "d/-e": ["1:0:x"] },
  },
  {
    name: "fault-08: nothing is read by a shell",
    tree: { "$(touch pwned)": '" $(touch pwned) "\n' },
    pattern: '" \\$\\(touch pwned\\) "',
    found: { "$(touch pwned)": ['1:0:" $(touch pwned) "'] },
  },
  {
    name: "names with newlines, colons and what looks like output",
    tree: {
      "a\nb": "x\n",
      "a\n./c": "y\n",
      c: "z x\n",
      'd: binary file matches (found "\\0" byte around offset 4)\n': "x\n",
      "e:1:2:x": "x\n",
    },
    pattern: "x",
    found: {
      "a\nb": ["1:0:x"],
      c: ["1:2:z x"],
      'd: binary file matches (found "\\0" byte around offset 4)\n': ["1:0:x"],
      "e:1:2:x": ["1:0:x"],
    },
  },
  {
    name: "names that are not UTF-8",
    tree: { "n\udcff": "x\n", "d\udc80/x": "x\n", "n\ufffd": "no\n", z: "x\n" },
    pattern: "x",
    found: { "d\udc80/x": ["1:0:x"], "n\udcff": ["1:0:x"], z: ["1:0:x"] },
  },
  {
    name: "hidden names are files like others",
    tree: { ".h/.f": "x\n", ".gitignore": "*\n", g: "x\n" },
    pattern: "x",
    found: { ".h/.f": ["1:0:x"], g: ["1:0:x"] },
  },
  {
    name: "fault-66: across lines; every covered line is a hit",
    tree: { f: "a\nb\nc\nxa\r\nb\n" },
    pattern: "a\\r?\\nb",
    query: { multiline: true },
    found: { f: ["1:0:a", "2:0:b", "4:1:xa", "5:0:b"] },
  },
  {
    name: "across lines: `.` does not match LF",
    tree: { f: "a\nb\nab\n" },
    pattern: "a.*b",
    query: { multiline: true },
    found: { f: ["3:0:ab"] },
  },
  {
    name: "across lines: a line end alone",
    tree: { f: "a\n\nb" },
    pattern: "\\n",
    query: { multiline: true },
    found: { f: ["1:1:a", "2:0:"] },
  },
  {
    name: "across lines: odd names and UTF-16",
    tree: { "a\nb": "p\nq\n", "n\udcff": "p\nq\n", u: utf16("p\nq\n") },
    pattern: "p\\nq",
    query: { multiline: true },
    found: { "a\nb": ["1:0:p", "2:0:q"], "n\udcff": ["1:0:p", "2:0:q"], u: ["1:0:p", "2:0:q"] },
  },
];
