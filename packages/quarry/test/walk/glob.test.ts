import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { QuarryError } from "#src/errors/errors.js";
import { globMatcher } from "#src/walk/glob.js";
import { generatedRuns } from "../support/cases.js";
import { makeTree, removeTree } from "../support/tree.js";
import { glob, paths } from "./generated-trees.js";
import { cpuMs, listTree, rgFiles, walkTree } from "./walk-tree.js";

/** Globs that we do not refuse: `.` and `..` are no names. */
const globs = fc.array(
  glob(false).filter((text) => !/(?:^|\/)\.\.?(?:\/|$)/.test(text)),
  { minLength: 1, maxLength: 3 },
);

/** glob, path, matches. A path with a trailing slash is a folder. */
const CASES: readonly [string, string, boolean][] = [
  ["*.ts", "a.ts", true],
  ["*.ts", "deep/er/a.ts", true],
  ["*.ts", "a.tsx", false],
  ["*.TS", "a.ts", false],
  ["src/*.ts", "src/a.ts", true],
  ["src/*.ts", "x/src/a.ts", false],
  ["src/*.ts", "src/b/a.ts", false],
  ["/a.ts", "a.ts", true],
  ["/a.ts", "b/a.ts", false],
  ["./src/*.ts", "src/a.ts", true],
  ["src//*.ts", "src/a.ts", true],
  ["**/*.ts", "a.ts", true],
  ["**/*.ts", "b/c/a.ts", true],
  ["src/**", "src/a/b.ts", true],
  ["src/**", "src/", false],
  ["src/**/b.ts", "src/b.ts", true],
  ["src/**/b.ts", "src/x/y/b.ts", true],
  ["src/**b.ts", "src/xb.ts", true],
  ["src/**b.ts", "src/x/b.ts", false],
  ["**", "a/b", true],
  ["*/", "a", false],
  ["*/", "a/", true],
  ["a?c", "abc", true],
  ["a?c", "a😀c", true],
  ["a?c", "a\udce9c", true],
  ["a?c", "a/c", false],
  ["?", "é", true],
  ["[é]", "é", true],
  ["[a-c]x", "bx", true],
  ["[!a-c]x", "bx", false],
  ["[^a-c]x", "dx", true],
  ["a[!b]c", "a/c", false],
  ["[]a]", "]", true],
  ["[a-]", "-", true],
  ["[[:digit:]]x", "7x", true],
  ["\\*", "*", true],
  ["\\*", "a", false],
  ["\\!a", "!a", true],
  ["#a", "#a", true],
  ["a ", "a ", true],
  ["a ", "a", false],
  ["{a,b}.js", "b.js", true],
  ["{a,{b,c}d}.js", "cd.js", true],
  ["{src,lib}/**/*.{ts,js}", "lib/x/y.js", true],
  ["a{,.md}", "a", true],
  ["a\\{b\\}", "a{b}", true],
  ["{a\\,b}", "a,b", true],
  ["caf\\xe9*", "caf\udce9.txt", true],
];

test("globs match what the table says", () => {
  for (const [text, path, matches] of CASES) {
    const isDir = path.endsWith("/");
    assert.equal(globMatcher(text)(isDir ? path.slice(0, -1) : path, isDir), matches, `${text} on ${path}`);
  }
});

test("fault-22: a literal first segment matches", async () => {
  const root = makeTree({ "src/a.ts": "", "b.ts": "" });
  assert.deepEqual((await walkTree(root, { include: ["src/*.ts"] })).files, ["src/a.ts"]);
  assert.deepEqual((await walkTree(root, { include: ["**/*.ts"] })).files, ["b.ts", "src/a.ts"]);
});

test("fault-25: names that look like a pattern are found by their spelling", async () => {
  const names = [
    "app/(auth)/[[...sign-in]]/p.tsx",
    "app/[id]/p.tsx",
    "{x}/p.tsx",
    "odd[/p.tsx",
    "odd}/p.tsx",
    "a*b/p.tsx",
    "z\\q/p.tsx",
  ];
  const root = makeTree(Object.fromEntries(names.map((name) => [name, ""])));
  for (const name of names) {
    const { files } = await walkTree(root, { include: [name] });
    assert.ok(files.includes(name), name);
  }
  assert.deepEqual((await walkTree(root, { include: ["app/[id]/*.tsx"] })).files, ["app/[id]/p.tsx"]);
  assert.deepEqual((await walkTree(root, { include: ["app/(auth)/[[...sign-in]]/*.tsx"] })).files, [names[0]]);
  assert.deepEqual((await walkTree(root, { include: ["{x}/*.tsx"] })).files, ["{x}/p.tsx"]);
});

test("fault-25: a glob that is only meaningful as a name is an error where nothing has that name", async () => {
  const root = makeTree({ "a.ts": "" });
  for (const glob of ["[[...sign-in]]/p.tsx", "odd{", "[z-a].ts", "odd["]) {
    for (const asked of [{ include: [glob] }, { exclude: [glob] }]) {
      await assert.rejects(walkTree(root, asked), (e) => e instanceof QuarryError && e.code === "INVALID_GLOB", glob);
    }
    await assert.rejects(listTree(root, { dirs: false }, { include: [glob] }), QuarryError);
  }
});

test("fault-69: a comma in braces separates alternatives", async () => {
  const root = makeTree({ "a.ts": "", "b/c.js": "", "d.css": "" });
  assert.deepEqual((await walkTree(root, { include: ["*.{ts,js}"] })).files, ["a.ts", "b/c.js"]);
});

test("fault-02: a literal dot segment in a glob finds hidden files", async () => {
  const root = makeTree({ ".x/h/a.py": "", "b.py": "" });
  assert.deepEqual((await walkTree(root, { include: [".x/h/*.py"] })).files, [".x/h/a.py"]);
  assert.deepEqual((await walkTree(root, { include: ["*.py"], paths: [".x/h"] })).files, [".x/h/a.py"]);
});

test("a glob that cannot be understood is refused with what is wrong", async () => {
  const root = makeTree({ a: "" });
  const wrong: readonly [string, RegExp][] = [
    ["*.{ts,js", /a \{ has no \}/],
    ["*.ts}", /a \} has no \{/],
    ["*[ab", /the \[ at "\[ab" has no \]/],
    ["a\\", /ends in a \\/],
    ["!*.ts", /leading ! is not an include glob/],
    ["../*.ts", /\.\. as a folder/],
    ["/", /names no file/],
    ["a\0b", /NUL/],
    ["{a,b}".repeat(12), /more than 1000 globs/],
    ["{".repeat(40) + "*", /nest deeper/],
    ["a".repeat(9_000), /longer than/],
  ];
  for (const [glob, reason] of wrong) {
    await assert.rejects(
      walkTree(root, { include: [glob] }),
      (e) => e instanceof QuarryError && e.code === "INVALID_GLOB" && reason.test(e.message) && e.message.length < 600,
      glob,
    );
  }
  await assert.rejects(walkTree(root, { exclude: ["!x"] }), /an exclude glob leaves out what it matches/);
});

test("hostile globs cost little", () => {
  const started = cpuMs();
  for (const text of [
    "*a*a*a*a*ab",
    "*?*?*?*?*?*b",
    `${"**/".repeat(200)}b`,
    "**/*a/".repeat(50) + "b",
    "{a,b}".repeat(9),
    "[a-z]".repeat(500),
  ]) {
    const matches = globMatcher(text);
    for (const path of ["a".repeat(255), "a/".repeat(300) + "a", "a".repeat(4_000)]) matches(path);
  }
  assert.ok(cpuMs() - started < 2_000);
});

test("empty globs count as not given", async () => {
  const root = makeTree({ a: "" });
  assert.deepEqual((await walkTree(root, { include: [""], exclude: [""] })).files, ["a"]);
});

test("a glob for folders only leaves a note where files are asked for", async () => {
  const root = makeTree({ "src/a": "" });
  const { files, report } = await walkTree(root, { include: ["src/"] });
  assert.deepEqual(files, []);
  assert.match(report.notes.join(), /"src\/" matches folders, not files: "src\/\*\*"/);
});

test("include globs give the files of `rg --files -g`, in generated trees", async (t) => {
  await fc.assert(
    fc.asyncProperty(paths(false), globs, async (files, asked) => {
      const root = makeTree(Object.fromEntries(files.map((f) => [f, ""])));
      const said = rgFiles(root, ...asked.flatMap((g) => ["-g", g]));
      assert.deepEqual((await walkTree(root, { include: asked })).files, said);
      removeTree(root);
    }),
    generatedRuns(t, 120),
  );
});

test("exclude globs leave the files of `rg --files -g '!'`, in generated trees", async (t) => {
  await fc.assert(
    fc.asyncProperty(paths(false), globs, async (files, asked) => {
      const root = makeTree(Object.fromEntries(files.map((f) => [f, ""])));
      const said = rgFiles(root, ...asked.flatMap((g) => ["-g", `!${g}`]));
      const { files: ours, report } = await walkTree(root, { exclude: asked });
      assert.deepEqual(ours, said);
      assert.equal(report.skipped.excluded > 0, said.length < files.length);
      removeTree(root);
    }),
    generatedRuns(t, 120),
  );
});

test("where we differ from rg's globs, on purpose", async () => {
  const files = ["a", "a.md", "é.x", "#h", "b ", "src/[id].ts", "src/i.ts", "d", "7", "e/f"];
  const root = makeTree(Object.fromEntries(files.map((f) => [f, ""])));
  const both = async (text: string): Promise<[string[], string[]]> => [
    [...(await walkTree(root, { include: [text] })).files],
    rgFiles(root, "-g", text),
  ];
  assert.deepEqual(await both("a{,.md}"), [["a", "a.md"], ["a.md"]], "an empty alternative counts");
  assert.deepEqual(await both("?.x"), [["é.x"], []], "? is a character, not a byte");
  assert.deepEqual(await both("./src/i.ts"), [["src/i.ts"], []], "./ in front means nothing");
  assert.deepEqual(await both("[id].ts"), [["src/[id].ts", "src/i.ts"], ["src/i.ts"]], "a name's own spelling counts");
  assert.deepEqual(await both("[[:digit:]]"), [["7"], []], "POSIX classes are known");
  assert.deepEqual(await both("e[!x]f"), [[], ["e/f"]], "a negated class matches no slash");
  assert.deepEqual(await both("b "), [["b "], []], "nothing is trimmed");
  assert.deepEqual((await both("#h"))[0], ["#h"], "there are no comments");
});
