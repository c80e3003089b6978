import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { rgPath } from "@vscode/ripgrep";
import { makeDeepFolders, makeTree } from "../support/tree.js";
import { grepWith, lines, open, openTree } from "./opened.js";

const QUIET = { artifacts: false } as const;

test("fault-01: an ignored folder that is named is searched; from the root its matches are told", async () => {
  const at = await openTree({ ".git/HEAD": "x", ".gitignore": "scripts/*\n", "scripts/a.py": "NEEDLE\n", "src/b.py": "x\n" }, QUIET);
  assert.deepEqual(lines((await at.grep({ pattern: "NEEDLE", path: "scripts" })).value), ["scripts/a.py:1:NEEDLE"]);
  const root = await at.grep({ pattern: "NEEDLE" });
  assert.equal(root.value.total, 0);
  assert.match(root.text, /1 file left out by ignore rules would match, in scripts\/: include_ignored: true\./);
  assert.equal((await at.grep({ pattern: "NEEDLE", include_ignored: true })).value.total, 1);
  assert.match((await at.glob({ pattern: "scripts/*.py" })).text, /1 file left out by ignore rules would match, in scripts\/: include_ignored: true\./);
});

test("fault-02: a hidden folder that is named is searched", async () => {
  const at = await openTree({ ".x/h/a.py": "TODO\n" }, QUIET);
  assert.equal((await at.grep({ pattern: "TODO", path: ".x/h" })).value.total, 1);
  assert.deepEqual((await at.glob({ pattern: ".x/h/*.py" })).value.paths, [".x/h/a.py"]);
  assert.equal((await at.grep({ pattern: "TODO" })).value.total, 1);
});

test("fault-07, fault-08: patterns, paths and globs that look like flags or commands are text", async () => {
  const root = makeTree({ "-v": "p->name\n", "a.txt": 'run " $(touch pwned) " --pre=/tmp/x.sh\n', "x.sh": { text: "#!/bin/sh\ntouch pwned\n", mode: 0o755 } });
  const at = await open(root, QUIET);
  assert.deepEqual(lines((await at.grep({ pattern: "->name", path: "-v" })).value), ["-v:1:p->name"]);
  assert.equal((await at.grep({ pattern: `--pre=${root}/x.sh` })).value.total, 0);
  assert.equal((await at.grep({ pattern: '" $(touch pwned) "', literal: true })).value.total, 1);
  assert.equal((await at.grep({ pattern: "-f/etc/passwd" })).value.total, 0);
  for (const hostile of ["$(touch pwned)", "`touch pwned`", "; touch pwned", "--pre=./x.sh", "-exec"]) {
    await at.grep({ pattern: ".", glob: hostile });
    await at.grep({ pattern: ".", exclude: hostile });
    await at.glob({ pattern: hostile });
    assert.equal((await at.error("grep", { pattern: ".", path: hostile })).code, "NOT_FOUND");
    assert.equal((await at.error("read_file", { path: hostile })).code, "NOT_FOUND");
  }
  assert.ok(!existsSync(join(root, "pwned")) && !existsSync("pwned"));
});

test("fault-09, fault-11: what lies outside or is denied is shown by no tool, and the leaving out is stated", async () => {
  const base = makeTree({ "dir/a.txt": "KEY inside\n", "dir/secret/k.txt": "KEY denied\n", "dir-evil/x.txt": "KEY outside\n", "dir/out": { link: "../dir-evil" }, "dir/outfile": { link: "../dir-evil/x.txt" } });
  const at = await open(join(base, "dir"), { ...QUIET, mounts: [{ host: join(base, "dir"), denied: ["secret"] }] });
  const found = await at.grep({ pattern: "KEY" });
  assert.deepEqual(lines(found.value), ["a.txt:1:KEY inside"]);
  assert.match(found.text, /1 denied/);
  assert.deepEqual([found.value.coverage.skipped.denied, found.value.coverage.skipped.links], [1, 2]);
  assert.deepEqual((await at.glob({ pattern: "**" })).value.paths, ["a.txt"]);
  const sentences = new Set<string>();
  for (const path of ["out", "outfile", "out/x.txt", "../dir-evil/x.txt", `${base}/dir-evil/x.txt`, "/etc/passwd"]) {
    for (const tool of ["grep", "read_file", "ls"] as const) {
      const error = await at.error(tool, tool === "grep" ? { pattern: "KEY", path } : { path });
      assert.equal(error.code, "OUTSIDE_WORKSPACE", `${tool} ${path}: ${error.text}`);
      assert.ok(!error.text.includes(base), error.text);
      sentences.add(error.text.replaceAll(JSON.stringify(path), "P").replaceAll("…", "P").replaceAll('"P"', "P"));
    }
  }
  assert.deepEqual([...sentences].map((one) => one.replace(/ Close names: .*?\. /, " ")).filter((one, i, all) => all.indexOf(one) === i).length, 1, [...sentences].join("\n"));
  for (const path of ["secret", "secret/k.txt", "secret/none"]) {
    for (const tool of ["grep", "read_file"] as const) assert.equal((await at.error(tool, tool === "grep" ? { pattern: "KEY", path } : { path })).code, "DENIED", path);
  }
  assert.ok(!(await at.ls({ depth: 3 })).text.includes("secret"));
});

test("fault-12: an invalid pattern and a missing engine are errors with the reason", async () => {
  const at = await openTree({ a: "x\n" }, QUIET);
  const error = await at.error("grep", { pattern: "(" });
  assert.equal(error.code, "INVALID_PATTERN");
  assert.match(error.text, /unclosed group/);
  const none = await (await grepWith(at.root, join(at.root, "no-such-program"))).call({ pattern: "x" });
  assert.ok(none.isError && none.value.error.code === "ENGINE_UNAVAILABLE");
  assert.match(none.text, /missing.*quarry doctor/);
  const closed = await (await grepWith(at.root, join(at.root, "a"))).call({ pattern: "x" });
  assert.ok(closed.isError && closed.value.error.code === "ENGINE_UNAVAILABLE", closed.text);
});

test("fault-14: a very common term gives a page, the exact count and the artifact", async () => {
  const at = await openTree(Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`f${i}`, "the\n".repeat(2_000)])));
  const { value } = await at.grep({ pattern: "the" });
  assert.deepEqual([value.shown, value.total, value.totalFiles, value.truncated, value.coverage.complete], [100, 80_000, 40, true, true]);
  assert.equal(value.artifact?.lines, 80_000 + 40);
});

test("fault-15, fault-70: a binary file is skipped, counted and told; it does not end the search", async () => {
  const at = await openTree({ "a.ts": "hi TOKEN\0x\n", "b.ts": "TOKEN\n", "z.bin": Buffer.from([0, 1, 2, 3]) }, QUIET);
  const found = await at.grep({ pattern: "TOKEN" });
  assert.deepEqual(lines(found.value), ["b.ts:1:TOKEN"]);
  assert.match(found.text, /1 binary file would match/);
  const none = await at.grep({ pattern: "TOKEN", path: "a.ts" });
  assert.match(none.text, /^0 matches in 1 file\.\nLeft out: 1 binary file would match\./);
  assert.match((await at.read({ path: "z.bin" })).text, /not text, so there are no lines to show/);
});

test("fault-17: types take ripgrep's names and extensions; an unknown one is told with suggestions", async () => {
  const at = await openTree({ "a.py": "x\n", "b.tsx": "x\n", "c.zig9": "x\n" }, QUIET);
  for (const [type, paths] of [["py", ["a.py"]], ["tsx", ["b.tsx"]], [".tsx", ["b.tsx"]], ["*.tsx", ["b.tsx"]], ["ts", ["b.tsx"]], ["", ["a.py", "b.tsx", "c.zig9"]]] as const) {
    assert.deepEqual((await at.grep({ pattern: "x", type, output: "files" })).value.files?.map((f) => f.path), [...paths], type);
  }
  const unknown = await at.grep({ pattern: "x", type: "pythn" });
  assert.match(unknown.text, /"pythn" is no file type that ripgrep knows.*python/);
  assert.match(unknown.text, /3 files left out by glob, exclude or type would match/);
});

test("fault-18: a path that does not exist is said so, with near names", async () => {
  const at = await openTree({ "src/utils/a.ts": "x\n" }, QUIET);
  for (const [tool, args] of [["grep", { pattern: "x", path: "src/utlis" }], ["ls", { path: "src/utlis" }], ["read_file", { path: "src/utlis/a.ts" }], ["glob", { pattern: "*", path: "src/utlis" }]] as const) {
    const error = await at.error(tool, args);
    assert.equal(error.code, "NOT_FOUND");
    assert.match(error.text, /does not exist.*Close names: src\/utils/, tool);
  }
});

test("fault-20: no path, the folder, the file: all agree", async () => {
  const at = await openTree({ "d/f.txt": "needle\n" }, QUIET);
  const answers = await Promise.all([{}, { path: "." }, { path: "/" }, { path: "d" }, { path: "d/" }, { path: "./d/f.txt" }, { path: "/d/f.txt" }, { path: ["d/f.txt", "d"] }, { path: [] as string[] }].slice(0, 8).map((rest) => at.grep({ pattern: "needle", ...rest })));
  for (const { value } of answers) assert.deepEqual(lines(value), ["d/f.txt:1:needle"]);
});

test("fault-22, fault-69: a literal first segment, and a comma in braces", async () => {
  const at = await openTree({ "src/a.ts": "x\n", "src/b.js": "x\n", "c.md": "x\n" }, QUIET);
  assert.deepEqual((await at.glob({ pattern: "src/*.ts" })).value.paths, ["src/a.ts"]);
  assert.deepEqual((await at.glob({ pattern: "**/*.ts" })).value.paths, ["src/a.ts"]);
  assert.deepEqual((await at.glob({ pattern: "*.{ts,js}" })).value.paths, ["src/a.ts", "src/b.js"]);
  assert.equal((await at.grep({ pattern: "x", glob: "*.{ts,js}" })).value.total, 2);
});

test("fault-23, fault-24: absolute patterns and `~` are understood or refused, never an empty answer", async () => {
  const at = await openTree({ "d/a.md": "x\n" }, QUIET);
  assert.deepEqual((await at.glob({ pattern: "/d/*.md" })).value.paths, ["d/a.md"]);
  const outside = await at.error("glob", { pattern: `${at.root}/d/*.md` });
  assert.equal(outside.code, "OUTSIDE_WORKSPACE");
  assert.ok(!outside.text.includes(at.root));
  assert.notEqual((await at.error("glob", { pattern: "~/d/*.md" })).code, "INTERNAL");
  assert.notEqual((await at.error("grep", { pattern: "x", path: "~/d" })).code, "INTERNAL");
});

test("fault-27: a linked folder is counted, and followed when named", async () => {
  const at = await openTree({ "real/a.txt": "needle\n", link: { link: "real" } }, QUIET);
  const whole = await at.grep({ pattern: "nothing" });
  assert.match(whole.text, /1 link not followed/);
  assert.deepEqual((await at.glob({ pattern: "link/**" })).value.paths, ["link/a.txt"]);
  assert.deepEqual(lines((await at.grep({ pattern: "needle", path: "link" })).value), ["link/a.txt:1:needle"]);
});

test("fault-28: a large file is searched; where a limit is set it is counted and told", async () => {
  const spec = { "big.txt": `${"x".repeat(99)}\n`.repeat(20_000) + "NEEDLE\n", "small.txt": "x\n" };
  assert.equal((await (await openTree(spec, QUIET)).grep({ pattern: "NEEDLE" })).value.total, 1);
  const limited = await (await openTree(spec, { ...QUIET, settings: { maxFileBytes: 1_000_000 } })).grep({ pattern: "NEEDLE" });
  assert.equal(limited.value.coverage.skipped.tooLarge, 1);
  assert.match(limited.text, /1 file over the size limit would match, in big\.txt/);
});

test("fault-29: there is no cap on files: the match in the last of 5,001 is found", async () => {
  const at = await openTree(Object.fromEntries(Array.from({ length: 5_001 }, (_, i) => [`d${i % 10}/f${String(i).padStart(5, "0")}`, i === 5_000 ? "NEEDLE\n" : ""])), QUIET);
  const { value, complete } = await at.grep({ pattern: "NEEDLE" });
  assert.deepEqual([value.total, value.coverage.filesSearched, complete], [1, 5_001, true]);
});

test("fault-37: a tracked file that .gitignore matches is stated, and included by one argument", async () => {
  const root = makeTree({ ".gitignore": "*\n", f: "NEEDLE\n" });
  execFileSync("git", ["init", "-q", root]);
  execFileSync("git", ["-C", root, "add", "-f", "f"]);
  const at = await open(root, QUIET);
  const { text } = await at.grep({ pattern: "NEEDLE" });
  assert.match(text, /1 file left out by ignore rules would match, in f: include_ignored: true/);
  assert.equal((await at.grep({ pattern: "NEEDLE", include_ignored: true })).value.total, 1);
});

test("fault-39, fault-40: nested ignore files are git's, and globs do not lift them", async () => {
  const root = makeTree({ ".gitignore": "**/bar/*\ndist/\n", "a/bar/x.js": "x\n", "a/b/bar/y.js": "x\n", "a/ok.js": "x\n", "dist/z.js": "x\n", "sub/.gitignore": "!k.js\n*.log\n", "sub/k.js": "x\n", "sub/a.log": "x\n" });
  execFileSync("git", ["init", "-q", root]);
  const at = await open(root, QUIET);
  const paths = ["a/b/bar/y.js", "a/bar/x.js", "a/ok.js", "dist/z.js", "sub/a.log", "sub/k.js"];
  const ignored = spawnSync("git", ["-C", root, "check-ignore", ...paths], { encoding: "utf8" }).stdout.split("\n");
  const kept = paths.filter((path) => !ignored.includes(path));
  assert.deepEqual(kept, ["a/ok.js", "sub/k.js"]);
  assert.deepEqual((await at.grep({ pattern: "x", output: "files" })).value.files?.map((f) => f.path).filter((p) => !p.includes(".gitignore")), kept);
  assert.deepEqual((await at.glob({ pattern: "**/*.js" })).value.paths, kept);
  assert.deepEqual((await at.glob({ pattern: "**/*.js", path: "a" })).value.paths, ["a/ok.js"]);
  assert.deepEqual((await at.grep({ pattern: "x", glob: "dist/**" })).value.total, 0);
});

test("fault-46, fault-47: a pattern that looks like a glob or another dialect: the answer says what was understood", async () => {
  const at = await openTree({ "a.md": "foo\n", "b.txt": "alpha.beta\n" }, QUIET);
  for (const [pattern, says] of [["*.md", /glob/], ["foo\\|bar", /alternatives are written with a bare bar/], ["alpha\\\\.beta", /one plain backslash/]] as const) {
    const result = await at.grep({ pattern }).then(({ text }) => text, (error: Error) => error.message);
    assert.match(result, says, pattern);
  }
});

test("fault-49: backslashes separate in arguments, `/` is shown; a colon in a name is no separator", async () => {
  const at = await openTree({ "src/a.ts": "x\n", "C:/b:12:c.ts": "x\n" }, QUIET);
  assert.deepEqual(lines((await at.grep({ pattern: "x", path: "src\\a.ts" })).value), ["src/a.ts:1:x"]);
  assert.deepEqual((await at.grep({ pattern: "x" })).value.matches?.map((m) => m.path), ["C:/b:12:c.ts", "src/a.ts"]);
});

test("fault-54, fault-55: bounded repeats on a 5 MB line and a multi-line pattern over a large file end in bounded memory", async () => {
  const at = await openTree({ "long.txt": `${"abX".repeat(1_700_000)}\n`, "many.txt": "start\nmiddle\nend\n".repeat(300_000) }, { ...QUIET, settings: { timeoutMs: 60_000 } });
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
  const at = await openTree({ ...spec, ".gitignore": "node_modules\n", ".git/HEAD": "x", "src/a.ts": "", "src/b.ts": "", "README.md": "" }, QUIET);
  const { value, text } = await at.glob({ pattern: "**/*", include_ignored: true });
  assert.deepEqual([value.shown, value.total], [100, 604]);
  assert.match(text, /^\(Most in: node_modules\/ 600, src\/ 2\)$/m);
  assert.match((await at.glob({ pattern: "**/*", path: "node_modules" })).text, /^\(Most in: node_modules\/p0\/ 86, node_modules\/p1\/ 86, node_modules\/p2\/ 86\)$/m);
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
  assert.match(execFileSync(rgPath, ["needle", root], { env: { RIPGREP_CONFIG_PATH: config }, encoding: "utf8" }), /hacked/);
});

test("fault-66: a newline in the pattern is searched across lines, with a note", async () => {
  const at = await openTree({ f: "a\nb\nc\r\nd\n" }, QUIET);
  const { value, text } = await at.grep({ pattern: "a\\nb" });
  assert.deepEqual(value.matches?.map((m) => m.line), [1, 2]);
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
  assert.deepEqual((await at.grep({ pattern: "x", path: "a", output: "count" })).value.files, [{ path: "a", count: 3 }]);
  const page = await at.grep({ pattern: "x", max_results: 3 });
  assert.deepEqual([page.value.shown, page.value.total, page.value.totalFiles, page.value.nextOffset], [3, 10, 2, 3]);
  assert.match(page.text, /^3 of 10 matches in 2 files\n/);
  const files = await at.grep({ pattern: "x", output: "files", max_results: 1 });
  assert.deepEqual([files.value.shown, files.value.total, files.value.totalFiles, files.value.truncated], [1, 10, 2, true]);
});

test("fault-79: a work tree inside the tree and a submodule's .git are not searched", async () => {
  const at = await openTree({ ".git/config": "needle\n", "sub/.git": "gitdir: needle\n", "sub/a": "needle\n", "wt/.git/x": "needle\n", "wt/b": "needle\n" }, QUIET);
  const { value } = await at.grep({ pattern: "needle" });
  assert.deepEqual(value.matches?.map((m) => m.path), ["sub/a", "wt/b"]);
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
  assert.deepEqual([await total({ pattern: "foo" }), await total({ pattern: "foo", case: "insensitive" }), await total({ pattern: "foo", case: "smart" }), await total({ pattern: "Foo", case: "smart" })], [1, 2, 2, 1]);
  assert.equal(await total({ pattern: "foo", case: "insensitive", glob: "*.txt" }), 1);
  assert.match((await at.glob({ pattern: "*.Txt" })).text, /2 paths match in another letter case/);
});

test("fault-83: a path stands once above its matches, relative", async () => {
  const at = await openTree({ "deep/er/a.ts": "x\n".repeat(40), "b.ts": "x\n".repeat(40), "c.ts": "x\n".repeat(20) }, QUIET);
  const { text } = await at.grep({ pattern: "x" });
  for (const path of ["deep/er/a.ts", "b.ts", "c.ts"]) assert.equal(text.split("\n").filter((line) => line.includes(path)).length, 1);
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
