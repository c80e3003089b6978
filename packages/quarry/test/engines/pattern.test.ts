import assert from "node:assert/strict";
import { test } from "node:test";
import { QuarryError } from "#src/errors/errors.js";
import { RipgrepEngine } from "#src/engines/ripgrep/engine.js";
import { dialectHints, MAX_PATTERN_BYTES, resolveQuery } from "#src/search/pattern.js";
import { ask, makePlace, run } from "./place.js";

function refusal(body: () => unknown): QuarryError {
  try {
    body();
  } catch (error) {
    assert.ok(error instanceof QuarryError, String(error));
    assert.equal(error.code, "INVALID_PATTERN");
    assert.equal(error.details.argument, "pattern");
    return error;
  }
  throw new Error("not refused");
}

test("a pattern with NUL, or longer than a process takes, is refused", () => {
  assert.match(refusal(() => resolveQuery(ask("a\0b"))).message, /NUL/);
  assert.match(refusal(() => resolveQuery(ask("a\0b", { literal: true }))).message, /NUL/);
  assert.match(refusal(() => resolveQuery(ask("é".repeat(MAX_PATTERN_BYTES)))).message, /bytes long/);
});

test("fault-67: look-around and its kin are refused with the reason and a way out", () => {
  const refused: readonly [string, RegExp][] = [
    ["foo(?!bar)", /look-around \(\(\?!\)/],
    ["(?=x)y", /look-around/],
    ["(?<=a)b", /look-around/],
    ["(?<!a)b", /look-around/],
    ["(a)\\1", /backreference \(\\1\)/],
    ["(?<n>a)\\k<n>", /backreference/],
    ["(?P<n>a)(?P=n)", /backreference/],
    ["(?>a+)b", /atomic/],
    ["(?(1)a|b)", /conditional/],
    ["(?R)", /recursive/],
    ["[^a]\\\\(?!b)", /look-around/],
  ];
  for (const [pattern, words] of refused) {
    const error = refusal(() => resolveQuery(ask(pattern)));
    assert.match(error.message, words, pattern);
    assert.match(error.remedy, /pcre2: true/, pattern);
    assert.doesNotThrow(() => resolveQuery(ask(pattern, { literal: true })), pattern);
    assert.doesNotThrow(() => resolveQuery(ask(pattern, { pcre2: true })), pattern);
  }
});

test("fault-67: what only looks like it is not refused", () => {
  for (const pattern of [
    "\\(?!x",
    "[(?!]",
    "(?i)x",
    "(?P<n>x)",
    "(?<n>x)",
    "(?:x)",
    "\\\\1",
    "[\\]\\1-]",
    "(?s-u:.)",
    "a++",
    "\\p{Greek}",
    "[[:alpha:](?=]",
    "[]1]x",
    "\\x{1F600}",
  ]) {
    assert.doesNotThrow(() => resolveQuery(ask(pattern)), pattern);
  }
});

test("the ends of the text are a line's ends where lines are searched, with a note", () => {
  for (const [pattern, read] of [
    ["\\Aa|b", "^a|b"],
    ["(\\A|,)a\\z", "(^|,)a$"],
    ["\\\\A\\A", "\\\\A^"],
  ] as const) {
    const { query, notes } = resolveQuery(ask(pattern));
    assert.deepEqual([query.pattern, query.multiline, notes.length], [read, false, 1]);
  }
  for (const rest of [{ multiline: true }, { literal: true }, { pcre2: true }]) {
    const { query, notes } = resolveQuery(ask("\\Aa\\z", rest));
    assert.deepEqual([query.pattern, notes], ["\\Aa\\z", []]);
  }
  assert.deepEqual(resolveQuery(ask("a\\\\A[z]")).notes, []);
});

test("fault-66: a pattern that names a line end is searched across lines, with a note", () => {
  for (const [pattern, literal] of [
    ["a\\nb", false],
    ["a\nb", false],
    ["a\nb", true],
    ["a\\r\\n", false],
    ["[\\n]", false],
    ["a\\x0Ab", false],
    ["a\\x{a}b", false],
    ["\\u{000A}", false],
  ] as const) {
    const { query, notes } = resolveQuery(ask(pattern, { literal }));
    assert.equal(query.multiline, true, pattern);
    assert.equal(notes.length, 1, pattern);
  }
  for (const [pattern, literal] of [
    ["a\\nb", true],
    ["a\\\\nb", false],
    ["[^\\n]*x", false],
    ["\\s", false],
    ["\\name", true],
    ["\\x{1F60A}", false],
    ["a\\\\\\\\n", false],
  ] as const) {
    const { query, notes } = resolveQuery(ask(pattern, { literal }));
    assert.equal(query.multiline, false, pattern);
    assert.deepEqual(notes, [], pattern);
  }
  assert.deepEqual(resolveQuery(ask("a\\nb", { multiline: true })).notes, []);
});

test("fault-66: what was resolved is accepted by the engine, and found", async () => {
  const place = await makePlace({ f: "one a\nb two\r\nend\n" });
  const engine = new RipgrepEngine();
  for (const pattern of ["a\\nb", "a\nb", "a[\\n]b", "a\\x0ab", "a\\x{a}b", "[^\\n]*two\\r\\nend"]) {
    const { found } = await run(engine, place, resolveQuery(ask(pattern)).query);
    assert.ok((found[0]?.lines.length ?? 0) >= 2, pattern);
  }
});

test("fault-46, fault-47: hints say what was understood and the fix", () => {
  const hint = (pattern: string, literal = false): string => dialectHints({ pattern, literal }).join(" ");
  assert.match(hint("foo\\|bar"), /plain bar.*foo\|bar/);
  assert.match(hint("\\(foo\\|bar\\)"), /plain parentheses/);
  assert.match(hint("*.md"), /not as a glob.*glob argument/);
  assert.match(hint("src/*.ts"), /not as a glob/);
  assert.match(hint("**/*.ts"), /not as a glob/);
  assert.match(hint("alpha\\\\.beta"), /single backslash/);
  assert.match(hint("c++"), /c\\\+\\\+/);
  assert.match(hint("/foo/i"), /slashes/);
  assert.match(hint("a.*b", true), /literal: true/);
  for (const plain of ["foo", "foo|bar", "a.b", "a\\.b", "[*]\\.md", "f\\(x\\)", "foo.*bar", "a/b"])
    assert.equal(hint(plain), "", plain);
  assert.equal(hint("foo", true), "");
});

test("fault-12, fault-68: the engine's reason and the fix", async () => {
  const place = await makePlace({ f: "interface{\n" });
  const engine = new RipgrepEngine();
  const expected: readonly [string, RegExp, RegExp][] = [
    ["interface{", /repetition quantifier.*at character 10/, /\\\{.*literal: true/],
    ["{", /repetition operator missing/, /\\\{/],
    ["x{2", /unclosed counted repetition/, /\\\{/],
    ["(", /unclosed group/, /\\\(/],
    ["a)", /unopened group/, /\\\)/],
    ["[a", /unclosed character class/, /\\\[/],
    ["*.md", /repetition operator missing/, /not a glob/],
    ["**/*.ts", /repetition operator missing/, /not a glob/],
    ["foo\\", /unclosed group/, /single backslash/],
    ["\\Z", /unrecognized escape/, /literal/],
    ["(a{1000}){1000}{1000}", /size limit/, /smaller repeat/],
  ];
  for (const [pattern, reason, remedy] of expected) {
    await assert.rejects(run(engine, place, ask(pattern)), (error: unknown) => {
      assert.ok(error instanceof QuarryError);
      assert.equal(error.code, "INVALID_PATTERN", pattern);
      assert.match(error.message, reason);
      assert.match(error.remedy, remedy);
      assert.doesNotMatch(error.message, /--pcre2|--multiline|\(\?:/);
      return true;
    });
  }
});
