import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeTree } from "../support/tree.js";
import { grepWith, lines, open, openTree } from "./opened.js";

const QUIET = { artifacts: false } as const;

test("fault-01: an ignored folder that is named is searched; from the root its matches are told", async () => {
  const at = await openTree(
    { ".git/HEAD": "x", ".gitignore": "scripts/*\n", "scripts/a.py": "NEEDLE\n", "src/b.py": "x\n" },
    QUIET,
  );
  assert.deepEqual(lines((await at.grep({ pattern: "NEEDLE", path: "scripts" })).value), ["scripts/a.py:1:NEEDLE"]);
  const root = await at.grep({ pattern: "NEEDLE" });
  assert.equal(root.value.total, 0);
  assert.match(root.text, /1 file left out by ignore rules would match, in scripts\/: include_ignored: true\./);
  assert.equal((await at.grep({ pattern: "NEEDLE", include_ignored: true })).value.total, 1);
  assert.match(
    (await at.glob({ pattern: "scripts/*.py" })).text,
    /1 file left out by ignore rules would match, in scripts\/: include_ignored: true\./,
  );
});

test("fault-02: a hidden folder that is named is searched", async () => {
  const at = await openTree({ ".x/h/a.py": "TODO\n" }, QUIET);
  assert.equal((await at.grep({ pattern: "TODO", path: ".x/h" })).value.total, 1);
  assert.deepEqual((await at.glob({ pattern: ".x/h/*.py" })).value.paths, [".x/h/a.py"]);
  assert.equal((await at.grep({ pattern: "TODO" })).value.total, 1);
});

test("fault-07, fault-08: patterns, paths and globs that look like flags or commands are text", async () => {
  const root = makeTree({
    "-v": "p->name\n",
    "a.txt": 'run " $(touch pwned) " --pre=/tmp/x.sh\n',
    "x.sh": { text: "#!/bin/sh\ntouch pwned\n", mode: 0o755 },
  });
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
  const base = makeTree({
    "dir/a.txt": "KEY inside\n",
    "dir/secret/k.txt": "KEY denied\n",
    "dir-evil/x.txt": "KEY outside\n",
    "dir/out": { link: "../dir-evil" },
    "dir/outfile": { link: "../dir-evil/x.txt" },
  });
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
  assert.deepEqual(
    [...sentences]
      .map((one) => one.replace(/ Close names: .*?\. /, " "))
      .filter((one, i, all) => all.indexOf(one) === i).length,
    1,
    [...sentences].join("\n"),
  );
  for (const path of ["secret", "secret/k.txt", "secret/none"]) {
    for (const tool of ["grep", "read_file"] as const)
      assert.equal((await at.error(tool, tool === "grep" ? { pattern: "KEY", path } : { path })).code, "DENIED", path);
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
  assert.deepEqual(
    [value.shown, value.total, value.totalFiles, value.truncated, value.coverage.complete],
    [100, 80_000, 40, true, true],
  );
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
  for (const [type, paths] of [
    ["py", ["a.py"]],
    ["tsx", ["b.tsx"]],
    [".tsx", ["b.tsx"]],
    ["*.tsx", ["b.tsx"]],
    ["ts", ["b.tsx"]],
    ["", ["a.py", "b.tsx", "c.zig9"]],
  ] as const) {
    assert.deepEqual(
      (await at.grep({ pattern: "x", type, output: "files" })).value.files?.map((f) => f.path),
      [...paths],
      type,
    );
  }
  const unknown = await at.grep({ pattern: "x", type: "pythn" });
  assert.match(unknown.text, /"pythn" is no file type that ripgrep knows.*python/);
  assert.match(unknown.text, /3 files left out by glob, exclude or type would match/);
});

test("fault-18: a path that does not exist is said so, with near names", async () => {
  const at = await openTree({ "src/utils/a.ts": "x\n" }, QUIET);
  for (const [tool, args] of [
    ["grep", { pattern: "x", path: "src/utlis" }],
    ["ls", { path: "src/utlis" }],
    ["read_file", { path: "src/utlis/a.ts" }],
    ["glob", { pattern: "*", path: "src/utlis" }],
  ] as const) {
    const error = await at.error(tool, args);
    assert.equal(error.code, "NOT_FOUND");
    assert.match(error.text, /does not exist.*Close names: src\/utils/, tool);
  }
});

test("fault-20: no path, the folder, the file: all agree", async () => {
  const at = await openTree({ "d/f.txt": "needle\n" }, QUIET);
  const answers = await Promise.all(
    [
      {},
      { path: "." },
      { path: "/" },
      { path: "d" },
      { path: "d/" },
      { path: "./d/f.txt" },
      { path: "/d/f.txt" },
      { path: ["d/f.txt", "d"] },
      { path: [] as string[] },
    ]
      .slice(0, 8)
      .map((rest) => at.grep({ pattern: "needle", ...rest })),
  );
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
  const limited = await (
    await openTree(spec, { ...QUIET, settings: { maxFileBytes: 1_000_000 } })
  ).grep({ pattern: "NEEDLE" });
  assert.equal(limited.value.coverage.skipped.tooLarge, 1);
  assert.match(limited.text, /1 file over the size limit would match, in big\.txt/);
});

test("fault-29: there is no cap on files: the match in the last of 5,001 is found", async () => {
  const at = await openTree(
    Object.fromEntries(
      Array.from({ length: 5_001 }, (_, i) => [
        `d${i % 10}/f${String(i).padStart(5, "0")}`,
        i === 5_000 ? "NEEDLE\n" : "",
      ]),
    ),
    QUIET,
  );
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
  const root = makeTree({
    ".gitignore": "**/bar/*\ndist/\n",
    "a/bar/x.js": "x\n",
    "a/b/bar/y.js": "x\n",
    "a/ok.js": "x\n",
    "dist/z.js": "x\n",
    "sub/.gitignore": "!k.js\n*.log\n",
    "sub/k.js": "x\n",
    "sub/a.log": "x\n",
  });
  execFileSync("git", ["init", "-q", root]);
  const at = await open(root, QUIET);
  const paths = ["a/b/bar/y.js", "a/bar/x.js", "a/ok.js", "dist/z.js", "sub/a.log", "sub/k.js"];
  const ignored = spawnSync("git", ["-C", root, "check-ignore", ...paths], { encoding: "utf8" }).stdout.split("\n");
  const kept = paths.filter((path) => !ignored.includes(path));
  assert.deepEqual(kept, ["a/ok.js", "sub/k.js"]);
  assert.deepEqual(
    (await at.grep({ pattern: "x", output: "files" })).value.files
      ?.map((f) => f.path)
      .filter((p) => !p.includes(".gitignore")),
    kept,
  );
  assert.deepEqual((await at.glob({ pattern: "**/*.js" })).value.paths, kept);
  assert.deepEqual((await at.glob({ pattern: "**/*.js", path: "a" })).value.paths, ["a/ok.js"]);
  assert.deepEqual((await at.grep({ pattern: "x", glob: "dist/**" })).value.total, 0);
});

test("fault-46, fault-47: a pattern that looks like a glob or another dialect: the answer says what was understood", async () => {
  const at = await openTree({ "a.md": "foo\n", "b.txt": "alpha.beta\n" }, QUIET);
  for (const [pattern, says] of [
    ["*.md", /glob/],
    ["foo\\|bar", /alternatives are written with a bare bar/],
    ["alpha\\\\.beta", /one plain backslash/],
  ] as const) {
    const result = await at.grep({ pattern }).then(
      ({ text }) => text,
      (error: Error) => error.message,
    );
    assert.match(result, says, pattern);
  }
});

test("fault-49: backslashes separate in arguments, `/` is shown; a colon in a name is no separator", async () => {
  const at = await openTree({ "src/a.ts": "x\n", "C:/b:12:c.ts": "x\n" }, QUIET);
  assert.deepEqual(lines((await at.grep({ pattern: "x", path: "src\\a.ts" })).value), ["src/a.ts:1:x"]);
  assert.deepEqual(
    (await at.grep({ pattern: "x" })).value.matches?.map((m) => m.path),
    ["C:/b:12:c.ts", "src/a.ts"],
  );
});
