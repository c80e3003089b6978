import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { rgPath } from "@vscode/ripgrep";
import { makeDeepFolders, makeTree } from "../support/tree.js";
import { lines, open, openTree } from "./opened.js";

const QUIET = { artifacts: false } as const;

test("fault-54, fault-55: bounded repeats on a 5 MB line and a multi-line pattern over a large file end in bounded memory", async () => {
  const at = await openTree(
    { "long.txt": `${"abX".repeat(1_700_000)}\n`, "many.txt": "start\nmiddle\nend\n".repeat(300_000) },
    { ...QUIET, settings: { timeoutMs: 60_000 } },
  );
  const one = await at.grep({ pattern: ".{0,400}X.{0,400}", path: "long.txt" });
  assert.equal(one.value.total, 1);
  const many = await at.grep({ pattern: "start\\nmiddle", path: "many.txt", multiline: true });
  assert.equal(many.value.total, 600_000);
  assert.ok(process.memoryUsage.rss() < 700e6, `${process.memoryUsage.rss()}`);
});

test("fault-56: a link to its parent and 3,000 levels end, counted", async () => {
  const root = makeTree({ "d/up": { link: ".." }, "d/a.txt": "needle\n" });
  makeDeepFolders(root, "x", 3_000, "deep.txt");
  const at = await open(root, QUIET);
  const { value } = await at.grep({ pattern: "needle|deep" });
  assert.equal(value.coverage.skipped.links, 1);
  assert.equal(value.total + value.coverage.skipped.unreadable, 2, JSON.stringify(value.coverage));
});

test("fault-60: a pipe is refused at once, and a search passes it by", async () => {
  const at = await openTree({ p: { fifo: true }, a: "x\n" }, { ...QUIET, settings: { timeoutMs: 5_000 } });
  for (const tool of ["read_file", "grep"] as const) {
    const error = await at.error(tool, tool === "grep" ? { pattern: "x", path: "p" } : { path: "p" });
    assert.match(error.text, /"p" is not a regular file/);
  }
  const { value } = await at.grep({ pattern: "x" });
  assert.deepEqual([value.total, value.coverage.skipped.special, value.coverage.complete], [1, 1, true]);
});

test("fault-61: a listing without ignore rules is one page, and what fills it is said", async () => {
  const spec = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`node_modules/p${i % 7}/f${i}.js`, ""]));
  const at = await openTree(
    { ...spec, ".gitignore": "node_modules\n", ".git/HEAD": "x", "src/a.ts": "", "src/b.ts": "", "README.md": "" },
    QUIET,
  );
  const { value, text } = await at.glob({ pattern: "**/*", include_ignored: true });
  assert.deepEqual([value.shown, value.total], [100, 604]);
  assert.match(text, /^\(Most in: node_modules\/ 600, src\/ 2\)$/m);
  assert.match(
    (await at.glob({ pattern: "**/*", path: "node_modules" })).text,
    /^\(Most in: node_modules\/p0\/ 86, node_modules\/p1\/ 86, node_modules\/p2\/ 86\)$/m,
  );
});

test("fault-64: the user's RIPGREP_CONFIG_PATH has no effect", async () => {
  const root = makeTree({ "a.txt": "needle\nNEEDLE\n" });
  const config = join(makeTree({ rc: "--ignore-case\n--replace=hacked\n--max-count=1\n" }), "rc");
  process.env["RIPGREP_CONFIG_PATH"] = config;
  try {
    assert.deepEqual(lines((await (await open(root, QUIET)).grep({ pattern: "needle" })).value), ["a.txt:1:needle"]);
  } finally {
    delete process.env["RIPGREP_CONFIG_PATH"];
  }
  assert.match(
    execFileSync(rgPath, ["needle", root], { env: { RIPGREP_CONFIG_PATH: config }, encoding: "utf8" }),
    /hacked/,
  );
});

test("fault-66: a newline in the pattern is searched across lines, with a note", async () => {
  const at = await openTree({ f: "a\nb\nc\r\nd\n" }, QUIET);
  const { value, text } = await at.grep({ pattern: "a\\nb" });
  assert.deepEqual(
    value.matches?.map((m) => m.line),
    [1, 2],
  );
  assert.match(text, /searched across lines/);
  assert.equal((await at.grep({ pattern: "a\nb", literal: true })).value.total, 2);
});

test("fault-67, fault-68: look-around is refused with a way out; a plain brace with the fix", async () => {
  const at = await openTree({ f: "interface{}\n" }, QUIET);
  const around = await at.error("grep", { pattern: "foo(?!bar)" });
  assert.equal(around.code, "INVALID_PATTERN");
  assert.match(around.text, /look-around.*pcre2: true/s);
  const brace = await at.error("grep", { pattern: "interface{" });
  assert.match(brace.text, /\\\{/);
  assert.equal((await at.grep({ pattern: "interface\\{" })).value.total, 1);
});

test("fault-77: totals are true for one file, for a page, and for files and counts", async () => {
  const at = await openTree({ a: "x\nx x\nx\n", b: "x\n".repeat(7) }, QUIET);
  assert.deepEqual((await at.grep({ pattern: "x", path: "a", output: "count" })).value.files, [
    { path: "a", count: 3 },
  ]);
  const page = await at.grep({ pattern: "x", max_results: 3 });
  assert.deepEqual([page.value.shown, page.value.total, page.value.totalFiles, page.value.nextOffset], [3, 10, 2, 3]);
  assert.match(page.text, /^3 of 10 matches in 2 files\n/);
  const files = await at.grep({ pattern: "x", output: "files", max_results: 1 });
  assert.deepEqual(
    [files.value.shown, files.value.total, files.value.totalFiles, files.value.truncated],
    [1, 10, 2, true],
  );
});

test("fault-79: a work tree inside the tree and a submodule's .git are not searched", async () => {
  const at = await openTree(
    {
      ".git/config": "needle\n",
      "sub/.git": "gitdir: needle\n",
      "sub/a": "needle\n",
      "wt/.git/x": "needle\n",
      "wt/b": "needle\n",
    },
    QUIET,
  );
  const { value } = await at.grep({ pattern: "needle" });
  assert.deepEqual(
    value.matches?.map((m) => m.path),
    ["sub/a", "wt/b"],
  );
  assert.equal(value.coverage.skipped.hidden, 3);
});

test("fault-80: a file of 20,000 lines is paged: the first page and the next call to make", async () => {
  const at = await openTree({ f: Array.from({ length: 20_000 }, (_, i) => `line ${i + 1}\n`).join("") }, QUIET);
  const seen: string[] = [];
  let next: number | undefined = 1;
  while (next !== undefined) {
    const { value, text }: Awaited<ReturnType<typeof at.read>> = await at.read({ path: "f", start_line: next });
    if (value.nextStartLine !== undefined) assert.ok(text.includes(`(More: start_line=${value.nextStartLine}.)`));
    for (const line of value.lines) seen.push(line.text);
    next = value.nextStartLine;
  }
  assert.deepEqual([seen.length, seen[0], seen.at(-1)], [20_000, "line 1", "line 20000"]);
});

test("fault-82: letter case counts in patterns by `case`, and in globs always", async () => {
  const at = await openTree({ "A.TXT": "Foo\n", "b.txt": "foo\n" }, QUIET);
  const total = async (args: Record<string, unknown>): Promise<number> => (await at.grep(args)).value.total;
  assert.deepEqual(
    [
      await total({ pattern: "foo" }),
      await total({ pattern: "foo", case: "insensitive" }),
      await total({ pattern: "foo", case: "smart" }),
      await total({ pattern: "Foo", case: "smart" }),
    ],
    [1, 2, 2, 1],
  );
  assert.equal(await total({ pattern: "foo", case: "insensitive", glob: "*.txt" }), 1);
  assert.match((await at.glob({ pattern: "*.Txt" })).text, /2 paths match in another letter case/);
});

test("fault-83: a path stands once above its matches, relative", async () => {
  const at = await openTree(
    { "deep/er/a.ts": "x\n".repeat(40), "b.ts": "x\n".repeat(40), "c.ts": "x\n".repeat(20) },
    QUIET,
  );
  const { text } = await at.grep({ pattern: "x" });
  for (const path of ["deep/er/a.ts", "b.ts", "c.ts"])
    assert.equal(text.split("\n").filter((line) => line.includes(path)).length, 1);
  assert.ok(!text.includes(at.root));
});

test("fault-85: nothing found is a normal answer", async () => {
  const at = await openTree({ a: "x\n" }, QUIET);
  const { text, value, complete, empty } = await at.grep({ pattern: "nothing" });
  assert.equal(text, "0 matches in 1 file.");
  assert.deepEqual([value.total, complete, empty], [0, true, true]);
});

test("fault-45: reading and searching change nothing: mode, times and bytes stay", async () => {
  const root = makeTree({ f: { text: "\ufeffx\r\n", mode: 0o755 } });
  const facts = (): string => execFileSync("stat", ["-c", "%a %Y %s %i", join(root, "f")], { encoding: "utf8" });
  const before = [facts(), readFileSync(join(root, "f"), "hex")];
  const at = await open(root, QUIET);
  await at.read({ path: "f" });
  await at.grep({ pattern: "x" });
  assert.deepEqual([facts(), readFileSync(join(root, "f"), "hex")], before);
});

test("fault-35: a search right after a change finds what is there now", async () => {
  const at = await openTree({ f: "old\n" }, QUIET);
  assert.equal((await at.grep({ pattern: "new" })).value.total, 0);
  writeFileSync(join(at.root, "f"), "new\n");
  writeFileSync(join(at.root, "g"), "new\n");
  assert.equal((await at.grep({ pattern: "new" })).value.total, 2);
  assert.equal((await at.grep({ pattern: "old" })).value.total, 0);
});
