import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { comparePaths, isUnder } from "#src/paths/path.js";
import { generatedRuns } from "../support/cases.js";
import { linuxSource, NO_LINUX_SOURCE } from "../support/corpus.js";
import { makeDeepFolders, makeTree, removeTree } from "../support/tree.js";
import { paths, treeWithRules } from "./generated-trees.js";
import { cpuMs, left, listTree, rgFiles, walkTree } from "./walk-tree.js";

test("every reason for leaving out is counted exactly, with samples", async () => {
  const root = makeTree({
    ".ignore": "ignored\n*.log\n",
    "ignored/a": "",
    "ignored/b": "",
    "c.log": "",
    ".git/HEAD": "",
    ".hg/x": "",
    ".svn/x": "",
    ".bzr/x": "",
    ".jj/x": "",
    ".sl/x": "",
    "vendor/.git": "gitdir: x\n",
    "vendor/v.ts": "",
    "out/a.ts": "",
    "out/b.ts": "",
    "readme.md": "",
    "link.ts": { link: "keep.ts" },
    dangling: { link: "nowhere" },
    pipe: { fifo: true },
    "secret/key.ts": "",
    "keep.ts": "",
    "big.ts": "x".repeat(1_001),
    "fits.ts": "x".repeat(1_000),
    ".env.ts": "",
  });
  const { files, report } = await walkTree(root, {
    include: ["*.ts"],
    exclude: ["out"],
    denied: ["secret"],
    maxFileBytes: 1_000,
  });
  assert.deepEqual(files, [".env.ts", "fits.ts", "keep.ts", "vendor/v.ts"]);
  assert.deepEqual(left(report), { ignored: 2, hidden: 7, excluded: 3, tooLarge: 1, links: 2, special: 1, denied: 1 });
  assert.deepEqual(report.samples, {
    ignored: ["c.log", "ignored"],
    excluded: [".ignore", "out", "readme.md"],
    links: ["dangling", "link.ts"],
    unreadable: [],
    special: ["pipe"],
  });
  assert.equal(report.files, 4);
  assert.equal(report.stopped, false);
});

test("fault-01: a named path is searched although rules from above leave nothing of it; there is a note", async () => {
  const root = makeTree({ ".ignore": "scripts/*\nout/\n", "scripts/a.py": "", "out/x/b.py": "", "src/c.py": "" });
  const named = await walkTree(root, { paths: ["scripts"] });
  assert.deepEqual(named.files, ["scripts/a.py"]);
  assert.match(
    named.report.notes.join(),
    /"scripts" was named: ignore rules from above it, which leave nothing of it, were not applied/,
  );
  assert.deepEqual(left(named.report), {});
  assert.deepEqual((await walkTree(root, { paths: ["out/x"] })).files, ["out/x/b.py"]);
  assert.deepEqual((await walkTree(root, { paths: ["out/x/b.py"] })).files, ["out/x/b.py"]);
  assert.deepEqual((await walkTree(root)).files, [".ignore", "src/c.py"]);
  assert.deepEqual((await walkTree(root, { paths: ["src"] })).report.notes, []);
});

test("rules from above a named folder go on counting where they leave something; its own rules always count", async () => {
  const root = makeTree({
    ".ignore": "*.log\nbuild/\n",
    "d/a.log": "",
    "d/b": "",
    "build/.ignore": "x\n",
    "build/x": "",
    "build/y": "",
  });
  assert.deepEqual((await walkTree(root, { paths: ["d"] })).files, ["d/b"]);
  assert.deepEqual((await walkTree(root, { paths: ["build"] })).files, ["build/.ignore", "build/y"]);
});

test("a named file is searched whatever ignore rules, globs and types say", async () => {
  const root = makeTree({ ".ignore": "a.log\n", "a.log": "", ".git/HEAD": "" });
  const { files, report } = await walkTree(root, { paths: ["a.log", ".git/HEAD"], include: ["*.ts"], types: ["py"] });
  assert.deepEqual(files, ["a.log", ".git/HEAD"]);
  assert.deepEqual(left(report), {});
  assert.deepEqual(left((await walkTree(makeTree({ a: "xx" }), { paths: ["a"], maxFileBytes: 1 })).report), {
    tooLarge: 1,
  });
});

test("targets that overlap give each file once; the inner one decides about what is in it", async () => {
  const root = makeTree({ ".ignore": "out/\n", "out/o.ts": "", "src/a.ts": "", "src/in/b.ts": "", "c.ts": "" });
  const of = async (paths: string[], include: string[] = []): Promise<string[]> => [
    ...(await walkTree(root, { paths, include })).files,
  ];
  assert.deepEqual(await of([".", "."]), [".ignore", "c.ts", "src/a.ts", "src/in/b.ts"]);
  assert.deepEqual((await of([".", "src", "src/in/b.ts", "out"])).sort(), [
    ".ignore",
    "c.ts",
    "out/o.ts",
    "src/a.ts",
    "src/in/b.ts",
  ]);
  assert.deepEqual((await of(["src/in", "src"])).sort(), ["src/a.ts", "src/in/b.ts"]);
  assert.deepEqual((await of([".", "src"], ["src/*.ts", "in/*.ts"])).sort(), ["src/a.ts", "src/in/b.ts"]);
});

test("fault-27: a link is counted and not followed in a walk, and followed when it is named", async () => {
  const root = makeTree({ "real/a.ts": "", link: { link: "real" } });
  const { files, report } = await walkTree(root, { include: ["link/**"] });
  assert.deepEqual(files, []);
  assert.deepEqual(left(report), { excluded: 1, links: 1 });
  assert.deepEqual(report.samples.links, ["link"]);
  assert.deepEqual((await walkTree(root, { paths: ["link"], include: ["**"] })).files, ["real/a.ts"]);
});

test("fault-56: link cycles end, counted", async () => {
  const root = makeTree({
    "a/b/up": { link: ".." },
    "a/b/self": { link: "self" },
    "a/x": "",
    "a/b/top": { link: "../.." },
  });
  const { files, report } = await walkTree(root);
  assert.deepEqual(files, ["a/x"]);
  assert.deepEqual(left(report), { links: 3 });
});

test("fault-56: 3,000 levels, with branches and ignore files, and few descriptors", async () => {
  const root = makeTree({ "zz/last": "" });
  const deepest = makeDeepFolders(root, "dddd", 3_000, "end");
  assert.ok(deepest.length > 4_096);
  const before = readdirSync("/proc/self/fd").length;
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, readdirSync("/proc/self/fd").length)), 1);
  const { files, batches } = await walkTree(root, { chunkFiles: 1 });
  clearInterval(timer);
  assert.deepEqual(files, [`${deepest}/end`, "zz/last"]);
  assert.equal(batches.length, 2);
  assert.ok(most - before < 300, `${most} descriptors`);
  assert.equal(readdirSync("/proc/self/fd").length, before);
});

test("a deep tree with something to do on every level on the way back", async () => {
  const level = "a/".repeat(400);
  const spec: Record<string, string> = {};
  for (let i = 0; i < level.length; i += 2) spec[`${level.slice(0, i)}b/c`] = "";
  const root = makeTree({ ...spec, ".ignore": "/a/b\n" });
  const { files, report } = await walkTree(root, { maxFileBytes: 10 });
  assert.equal(files.length, 400);
  assert.deepEqual(left(report), { ignored: 1 });
});

test("fault-79: a nested .git of any kind is not searched", async () => {
  const root = makeTree({
    ".git/a": "",
    "wt/.git": "gitdir: ../.git/worktrees/wt\n",
    "wt/x": "",
    "sub/.git/b": "",
    "l/.git": { link: "../sub/.git" },
    "l/y": "",
  });
  const { files, report } = await walkTree(root, { includeIgnored: true });
  assert.deepEqual(files, ["l/y", "wt/x"]);
  assert.deepEqual(left(report), { hidden: 4 });
});

test("fault-60: pipes and devices are counted and never opened", async () => {
  const root = makeTree({ p: { fifo: true }, z: process.getuid?.() === 0 ? { device: true } : { fifo: true }, a: "" });
  const { files, report } = await walkTree(root);
  assert.deepEqual(files, ["a"]);
  assert.deepEqual(left(report), { special: 2 });
});

test("fault-13: an unreadable folder and an unreadable ignore file cost nothing else, and are counted", async () => {
  const root = makeTree({
    "closed/x": "",
    closed: { dir: true, mode: 0o000 },
    "d/.ignore": { text: "b\n", mode: 0o000 },
    "d/a": "",
    "d/b": "",
    e: { link: "nowhere" },
  });
  const script = `
    const { walkTree, left } = await import(process.argv[1]);
    const { files, report } = await walkTree(process.argv[2]);
    console.log(JSON.stringify({ files, left: left(report), unreadable: report.samples.unreadable, notes: report.notes }));
  `;
  const node = [
    process.execPath,
    "--input-type=module",
    "-e",
    script,
    new URL("walk-tree.js", import.meta.url).href,
    root,
  ];
  const [program = "", ...args] = process.getuid?.() === 0 ? ["runuser", "-u", "nobody", "--", ...node] : node;
  const { stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  assert.equal(stderr, "");
  assert.deepEqual(JSON.parse(stdout), {
    files: ["d/.ignore", "d/a", "d/b"],
    left: { unreadable: 2, links: 1 },
    unreadable: ["closed", "d/.ignore"],
    notes: ["the ignore file d/.ignore cannot be read: its rules were not applied"],
  });
});

test("names of every kind are kept, in the order of their bytes", async () => {
  const names = ["\n", "-rf", "caf\udce9", "caf\u00e9", "😀", "\uffee", "a", "a.b", "A", "$(x)", "x\udcff/\udc80"];
  const root = makeTree({ ...Object.fromEntries(names.map((n) => [n, ""])), "dir.a": "", "dir/x": "" });
  const { files } = await walkTree(root);
  assert.deepEqual(files, [...names, "dir.a", "dir/x"].sort(comparePaths));
  assert.deepEqual(files, rgFiles(root));
});

test("a signal ends the walk at once; an iteration that is left closes everything", async () => {
  const ended = new AbortController();
  ended.abort();
  const root = makeTree(Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`d${i % 50}/f${i}`, ""])));
  const walked = await walkTree(root, { signal: ended.signal });
  assert.deepEqual([walked.files.length, walked.report.stopped], [0, true]);
  const before = readdirSync("/proc/self/fd").length;
  const later = new AbortController();
  setTimeout(() => later.abort(), 3);
  const cut = await walkTree(root, { signal: later.signal, chunkFiles: 10 });
  assert.equal(cut.files.length, cut.report.files);
  assert.equal(readdirSync("/proc/self/fd").length, before);
});

test("entries: folders before what is in them, links and special files where asked for, depth", async () => {
  const root = makeTree({ "a/b/c": "", "a/d": "", e: "", l: { link: "e" }, ".git/x": "" });
  const of = async (
    ...[options, asked]: [Parameters<typeof listTree>[1], Parameters<typeof listTree>[2]?]
  ): Promise<string[]> => (await listTree(root, options, asked)).entries.map((e) => `${e.path} ${e.kind}`);
  const all = ["a directory", "a/b directory", "a/b/c file", "a/d file", "e file"];
  assert.deepEqual(await of({ dirs: true }), all);
  assert.deepEqual(
    await of({ dirs: false }),
    all.filter((e) => e.endsWith("file")),
  );
  assert.deepEqual(await of({ dirs: true, others: true, maxDepth: 1 }), ["a directory", "e file", "l link"]);
  assert.deepEqual(
    await of({ dirs: true, maxDepth: 2 }),
    all.filter((e) => !e.startsWith("a/b/c")),
  );
  assert.deepEqual(await of({ dirs: true }, { include: ["b"] }), ["a/b directory"]);
  assert.deepEqual(await of({ dirs: true }, { include: ["b/"] }), ["a/b directory"]);
  assert.deepEqual(await of({ dirs: true }, { paths: ["a"], include: ["b/*"] }), ["a/b/c file"]);
  assert.deepEqual(await of({ dirs: true }, { exclude: ["b"] }), ["a directory", "a/d file", "e file"]);
  assert.equal((await listTree(root, { dirs: true })).report.files, 3);
});

test("whole folders of a batch hold exactly what rg would search in them, in generated trees", async (t) => {
  const asked = fc.record({
    chunkFiles: fc.integer({ min: 1, max: 12 }),
    exclude: fc.constantFrom([], ["a"], ["*.js"]),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        treeWithRules([".ignore", ".git/x"], false),
        paths(true).map((all) => Object.fromEntries(all.map((p) => [p, ""]))),
      ),
      asked,
      async (tree, how) => {
        const root = makeTree({ ...tree, "~link": { link: "x" } });
        const { files, batches } = await walkTree(root, how);
        assert.deepEqual(
          files,
          (await walkTree(root, { exclude: how.exclude })).files,
          "batches do not change the files",
        );
        assert.deepEqual(files, [...files].sort(comparePaths));
        const everything = rgFiles(root, "-uuu");
        for (const batch of batches) {
          assert.ok(batch.files.length > 0 && batch.files.length <= how.chunkFiles);
          let end = 0;
          for (const tree of batch.trees) {
            assert.ok(tree.from >= end && tree.to > tree.from, "disjoint and ascending");
            end = tree.to;
            assert.deepEqual(
              batch.files.slice(tree.from, tree.to),
              everything.filter((p) => isUnder(p, tree.path)),
            );
          }
          // Outermost, and none forgotten: no other folder of the batch is whole.
          for (const [i, file] of batch.files.entries()) {
            if (batch.trees.some((one) => one.from <= i && i < one.to)) continue;
            const folder = file.slice(0, Math.max(0, file.lastIndexOf("/")));
            const inside = everything.filter((p) => isUnder(p, folder));
            assert.ok(
              inside.some((p) => !batch.files.includes(p)),
              `${folder} is whole`,
            );
          }
        }
        removeTree(root);
      },
    ),
    generatedRuns(t, 150),
  );
});

test("a folder that fits into a batch of its own is not split", async () => {
  const flat = (folder: string, count: number): [string, string][] =>
    Array.from({ length: count }, (_, i) => [`${folder}/${String(i).padStart(3, "0")}`, ""]);
  const root = makeTree(
    Object.fromEntries([...flat("a", 60), ...flat("b", 90), ...flat("c/d", 30), ...flat("c/e", 60)]),
  );
  const { batches } = await walkTree(root, { chunkFiles: 100 });
  assert.deepEqual(
    batches.map((b) => b.trees.map((tree) => `${tree.path} ${tree.to - tree.from}`)),
    [["a 60"], ["b 90"], ["c 90"]],
  );
});

test(
  "the Linux source: every file, in rg's order, the first batch early",
  { skip: linuxSource() === null && NO_LINUX_SOURCE },
  async (t) => {
    const root = linuxSource() as string;
    await walkTree(root);
    const started = cpuMs();
    const { files, batches, report } = await walkTree(root);
    const took = cpuMs() - started;
    t.diagnostic(`${files.length} files in ${Math.round(took)} ms of processor time, ${batches.length} batches`);
    assert.deepEqual(files, rgFiles(root, "-g", "!.git"));
    assert.equal(files.length, 78_579);
    assert.equal(report.skipped.links, 56);
    assert.equal(batches[0]?.files.length !== undefined && (batches[0]?.files.length ?? 0) <= 500, true);
    assert.ok(took < 3_000);
  },
);
