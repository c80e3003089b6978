import assert from "node:assert/strict";
import { test } from "node:test";
import { makeTree, addToTree, type TreeSpec } from "../support/tree.js";
import { cpuMs, gitIgnored, gitInit, left, rgFiles, walkTree } from "./walk-tree.js";

async function files(spec: TreeSpec): Promise<readonly string[]> {
  return (await walkTree(makeTree(spec))).files.filter((f) => !f.includes("ignore"));
}

test(".gitignore counts in a work tree only, .ignore and .rgignore everywhere", async () => {
  const rules = { ".gitignore": "a\n", ".ignore": "b\n", ".rgignore": "c\n" };
  const content = { a: "", b: "", c: "", d: "" };
  assert.deepEqual(await files({ ...rules, ...content }), ["a", "d"]);
  assert.deepEqual(await files({ ...rules, ...content, ".git": { dir: true } }), ["d"]);
  assert.deepEqual(await files({ ...rules, ...content, ".git": "gitdir: elsewhere\n" }), ["d"]);
  assert.deepEqual(await files({ ...rules, ...content, ".jj/x": "" }), ["d"]);
});

test("a .git above the mount makes it a work tree; rules from above the mount do not count", async () => {
  const root = makeTree({
    ".git": { dir: true },
    ".git/info/exclude": "excluded\n",
    ".gitignore": "above\n",
    ".ignore": "above\n",
  });
  addToTree(root, { "m/.gitignore": "inner\n", "m/above": "", "m/inner": "", "m/excluded": "" });
  assert.deepEqual((await walkTree(`${root}/m`)).files, [".gitignore", "above", "excluded"]);
});

test("rank: .rgignore before .ignore before .gitignore before info/exclude, then the deeper folder", async () => {
  const git = { ".git/info/exclude": "f1\nf2\nf3\nf4\n" };
  const spec = {
    ...git,
    ".gitignore": "!f1\nf2\nf3\n",
    ".ignore": "!f2\nf3\n",
    ".rgignore": "!f3\n",
    f1: "",
    f2: "",
    f3: "",
    f4: "",
  };
  assert.deepEqual(await files(spec), ["f1", "f2", "f3"]);
  assert.deepEqual(
    await files({ ".rgignore": "x\n", "d/.ignore": "!x\n", "d/x": "" }),
    [],
    "the kind before the depth",
  );
  assert.deepEqual(await files({ ".ignore": "x\n", "d/.ignore": "!x\n", "d/x": "", x: "" }), ["d/x"]);
});

test("a file in an ignored folder is not taken back; a folder whose content alone is ignored can be", async () => {
  assert.deepEqual(await files({ ".ignore": "d/\n!d/x\n", "d/x": "" }), []);
  assert.deepEqual(await files({ ".ignore": "d/*\n!d/x\n", "d/x": "", "d/y": "" }), ["d/x"]);
});

test("fault-39: rules of a parent count in a sub-folder as git has it", async () => {
  const spec = { ".gitignore": "**/bar/*\n!keep\n", "s/bar/x": "", "s/bar/keep": "", "s/t/y": "", "bar/z": "" };
  const root = makeTree(spec);
  gitInit(root);
  assert.deepEqual(gitIgnored(root, Object.keys(spec)), ["s/bar/x", "bar/z"]);
  assert.deepEqual((await walkTree(root)).files, [".gitignore", "s/bar/keep", "s/t/y"]);
  assert.deepEqual((await walkTree(root, { paths: ["s"] })).files, ["s/bar/keep", "s/t/y"]);
});

test("fault-40: an include glob does not lift ignore rules", async () => {
  const root = makeTree({ ".ignore": "dist/\n", "dist/a.js": "", "b.js": "" });
  const { files: found, report } = await walkTree(root, { include: ["**/*.js"] });
  assert.deepEqual(found, ["b.js"]);
  assert.deepEqual(left(report), { ignored: 1, excluded: 1 });
  assert.deepEqual(report.samples.ignored, ["dist"]);
  assert.deepEqual((await walkTree(root, { include: ["**/*.js"], includeIgnored: true })).files, ["b.js", "dist/a.js"]);
});

test("a repository inside a work tree has its own git rules alone; .ignore goes on", async () => {
  const root = makeTree({
    ".gitignore": "a\n",
    ".ignore": "b\n",
    "sub/.gitignore": "c\n",
    "sub/a": "",
    "sub/b": "",
    "sub/c": "",
    "sub/d": "",
    a: "",
  });
  addToTree(root, { ".git": { dir: true }, "sub/.git": { dir: true } });
  const ours = (await walkTree(root)).files;
  assert.deepEqual(ours, [".gitignore", ".ignore", "sub/.gitignore", "sub/a", "sub/d"]);
  assert.deepEqual(ours, rgFiles(root, "-g", "!.git"));
});

test("info/exclude of a linked work tree and of a submodule is found where its .git file leads, inside the mount", async () => {
  const root = makeTree({
    "main/.git/info/exclude": "a\n",
    "main/.git/worktrees/w/commondir": "../..\n",
    "w/.git": "gitdir: ../main/.git/worktrees/w\n",
    "main/.git/modules/s/info/exclude": "b\n",
    "main/s/.git": "gitdir: ../.git/modules/s\n",
    "out/.git": "gitdir: ../../../../../etc\n",
  });
  addToTree(root, { "w/a": "", "w/b": "", "main/s/a": "", "main/s/b": "", "out/a": "" });
  assert.deepEqual((await walkTree(root)).files, ["main/s/a", "out/a", "w/b"]);
});

/** Rules that git and rg read differently, with the names that they ignore in git. The third column is rg's choice, to prove the difference. */
const DIFFERENCES: readonly [string, string, string[], string[]][] = [
  ["braces are plain characters", "{a,b}", ["{a,b}"], ["a", "b"]],
  ["a tab at the end belongs to the rule", "a\t", ["a\t"], ["a"]],
  ["an escaped ] in a class", "[\\]]", ["]"], ["\\]"]],
  ["a negated class matches no slash", "d[!x]e", [], ["d/e"]],
  ["POSIX classes", "[[:digit:]]", ["7"], []],
  ["** straight after plain text crosses folders", "/d**/f", ["d/f", "df", "dz/f"], ["d/f", "dz/f"]],
];

test("where git and rg differ, git is right in .gitignore; .ignore is rg's", async () => {
  const names = ["{a,b}", "a", "b", "a\t", "]", "\\]", "d/e", "7", "d/f", "df", "dz/f"];
  for (const [what, rule, byGit] of DIFFERENCES) {
    const root = makeTree({ ...Object.fromEntries(names.map((n) => [n, ""])), ".gitignore": `${rule}\n` });
    gitInit(root);
    assert.deepEqual(new Set(gitIgnored(root, names)), new Set(byGit), `git: ${what}`);
    const { files: ours } = await walkTree(root);
    assert.deepEqual(new Set(names.filter((n) => !ours.includes(n))), new Set(byGit), `ours: ${what}`);
    const rg = rgFiles(root, "-g", "!.git");
    assert.notDeepEqual(new Set(names.filter((n) => !rg.includes(n))), new Set(byGit), `rg agrees: ${what}`);
  }
  const root = makeTree({ "x.a": "", "x.b": "", "x.c": "", ".ignore": "*.{a,b}\t\n" });
  assert.deepEqual((await walkTree(root)).files, [".ignore", "x.c"]);
  assert.deepEqual(rgFiles(root), [".ignore", "x.c"]);
});

test("a .gitignore that is a link or a folder does not count, as in git", async () => {
  const root = makeTree({
    rules: "a\n",
    ".gitignore": { link: "rules" },
    a: "",
    "d/.gitignore": { dir: true },
    "d/b": "",
  });
  gitInit(root);
  const { files: ours, report } = await walkTree(root);
  assert.deepEqual(ours, ["a", "d/b", "rules"]);
  assert.deepEqual(left(report), { hidden: 1, links: 1 });
});

test("hostile ignore files: binary, huge, far too many rules, and a note where rules were left out", async () => {
  const binary = makeTree({ ".ignore": Buffer.from([0, 255, 10, 0x61, 10, 0, 10, 0xc3, 10]), a: "", b: "" });
  assert.deepEqual((await walkTree(binary)).files, [".ignore", "b"]);

  const many = makeTree({
    ".ignore": Array.from({ length: 30_000 }, (_, i) => `*x${i}q*y?z\n`).join(""),
    x1qyaz: "",
    x29999qyaz: "",
  });
  const started = cpuMs();
  const { files: ours, report } = await walkTree(many);
  assert.ok(cpuMs() - started < 3_000);
  assert.deepEqual(ours, [".ignore", "x29999qyaz"]);
  assert.match(report.notes.join(), /\.ignore has more than 20000 rules: the last 10000 were not applied/);

  const huge = makeTree({ ".ignore": `a\n${"#".repeat(3 * 1024 * 1024)}\nb\n`, a: "", b: "" });
  const walked = await walkTree(huge);
  assert.deepEqual(walked.files, [".ignore", "b"]);
  assert.match(walked.report.notes.join(), /very large/);

  const braces = makeTree({ ".ignore": `${"{a,b}".repeat(300)}\n${"{".repeat(10_000)}\n[\na\n`, a: "", b: "" });
  const odd = await walkTree(braces);
  assert.deepEqual(odd.files, [".ignore", "b"]);
  assert.match(odd.report.notes.join(), /3 lines that cannot be understood/);
});

test("a byte order mark and CRLF line ends are no part of rules", async () => {
  assert.deepEqual(await files({ ".ignore": "\ufeffa\r\nb\r\n", a: "", b: "", c: "" }), ["c"]);
});

test("names that are not UTF-8, in rules and on disk", async () => {
  const root = makeTree({ "caf\udce9": "", "x\udcff.o": "", "\udcfe/y": "", z: "" });
  addToTree(root, { ".gitignore": Buffer.from("caf\xe9\n*\xff.o\n/\xfe/*\n", "latin1") });
  gitInit(root);
  assert.deepEqual((await walkTree(root)).files, [".gitignore", "z"]);
});
