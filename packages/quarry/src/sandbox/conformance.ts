import assert from "node:assert/strict";
import type { GrepQuestion, Sandbox } from "./sandbox.js";

/** What stands at a path of a case's folder: a file's content, or a symbolic link. Folders on the way are made. */
export type CaseEntry = string | Uint8Array | { readonly link: string };

/** One thing that every provider has to do. */
export interface SandboxCase {
  readonly title: string;
  /** The folder before the case, by paths relative to it. The case may change it. */
  readonly files: Readonly<Record<string, CaseEntry>>;
  /**
   * Asks the sandbox and checks the answers.
   * @param root the virtual path of the folder, such as `/mnt/user-data/workspace`; it may be written.
   * @throws AssertionError
   */
  run(sandbox: Sandbox, root: string): Promise<void>;
}

const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");

function grep(root: string, pattern: string, more: Partial<GrepQuestion> = {}): GrepQuestion {
  return { pattern, path: root, glob: null, literal: false, caseSensitive: false, maxResults: 100, ...more };
}

async function found(sandbox: Sandbox, question: GrepQuestion): Promise<string[]> {
  const { matches } = await sandbox.grep(question);
  return matches.map(({ path, lineNumber, line }) => `${path}:${lineNumber}: ${line}`);
}

async function globbed(
  sandbox: Sandbox,
  root: string,
  pattern: string,
  includeDirs = false,
): Promise<readonly string[]> {
  return (await sandbox.glob({ pattern, path: root, includeDirs, maxResults: 100 })).paths;
}

/** The answer is an error with this code, and its words name no file of the host. */
async function refused(work: Promise<unknown>, code: string): Promise<void> {
  await assert.rejects(work, (error: { code?: unknown }) => {
    assert.equal(error.code, code);
    return true;
  });
}

/**
 * The conformance suite of `Sandbox`: local, container and remote providers run every case. For each a provider makes a folder with the
 * case's files, that may be written, and hands over the sandbox and the folder's virtual path.
 */
export const SANDBOX_CASES: readonly SandboxCase[] = [
  {
    title: "glob: a name at any depth without a slash, anchored with one, ** is zero or more folders; in path order",
    files: { "x.py": "", "src/x.py": "", "src/a/b/x.py": "", "lib/src/x.py": "", "src/y.ts": "" },
    async run(sandbox, root) {
      const at = (...paths: string[]): string[] => paths.map((path) => `${root}/${path}`);
      assert.deepEqual(await globbed(sandbox, root, "x.py"), at("lib/src/x.py", "src/a/b/x.py", "src/x.py", "x.py"));
      assert.deepEqual(await globbed(sandbox, root, "src/**/x.py"), at("src/a/b/x.py", "src/x.py"));
      assert.deepEqual(await globbed(sandbox, root, "src/*.{py,ts}"), at("src/x.py", "src/y.ts"));
      assert.deepEqual(await globbed(sandbox, root, "src"), []);
      assert.deepEqual(await globbed(sandbox, root, "src", true), at("lib/src", "src"));
    },
  },
  {
    title: "glob: exactly as many as were asked for are not cut; one more is",
    files: { "a.txt": "", "b.txt": "", "c.txt": "" },
    async run(sandbox, root) {
      const ask = { pattern: "*.txt", path: root, includeDirs: false };
      const three = await sandbox.glob({ ...ask, maxResults: 3 });
      assert.deepEqual([three.paths.length, three.truncated], [3, false]);
      const two = await sandbox.glob({ ...ask, maxResults: 2 });
      assert.deepEqual([two.paths, two.truncated], [[`${root}/a.txt`, `${root}/b.txt`], true]);
    },
  },
  {
    title: "grep: path, line number and line, by path, then line; letter case counts only where asked",
    files: { "b.txt": "Hit\nno\n  hit\n", "a/c.txt": "HIT\r\n" },
    async run(sandbox, root) {
      assert.deepEqual(await found(sandbox, grep(root, "hit")), [
        `${root}/a/c.txt:1: HIT`,
        `${root}/b.txt:1: Hit`,
        `${root}/b.txt:3:   hit`,
      ]);
      assert.deepEqual(await found(sandbox, grep(root, "hit", { caseSensitive: true })), [`${root}/b.txt:3:   hit`]);
      assert.deepEqual(await found(sandbox, grep(`${root}/b.txt`, "^hit$")), [`${root}/b.txt:1: Hit`]);
      assert.deepEqual(await found(sandbox, grep(root, "hit", { glob: "a/**" })), [`${root}/a/c.txt:1: HIT`]);
    },
  },
  {
    title: "grep: literal takes every character as it stands; an invalid pattern is an error",
    files: { "a.txt": "f(x)[0]\nfx0\n" },
    async run(sandbox, root) {
      assert.deepEqual(await found(sandbox, grep(root, "f(x)[0]", { literal: true })), [`${root}/a.txt:1: f(x)[0]`]);
      await refused(sandbox.grep(grep(root, "f(x")), "INVALID_PATTERN");
      await refused(sandbox.grep(grep(root, "f(?=x)")), "INVALID_PATTERN");
    },
  },
  {
    title: "grep: exactly as many lines as were asked for are not cut; one more is",
    files: { "a.txt": "hit\nhit\n", "b.txt": "hit\n" },
    async run(sandbox, root) {
      const three = await sandbox.grep(grep(root, "hit", { maxResults: 3 }));
      assert.deepEqual([three.matches.length, three.truncated], [3, false]);
      const two = await sandbox.grep(grep(root, "hit", { maxResults: 2 }));
      assert.deepEqual([two.matches.map((match) => match.lineNumber), two.truncated], [[1, 2], true]);
    },
  },
  {
    title: "grep: a NUL in the first 8 KiB, more than 1,000,000 bytes, more than 2,000 characters: skipped and counted",
    files: {
      "a.bin": bytes("hit\0\n"),
      "late.txt": bytes(`hit\n${"x\n".repeat(4_500)}\0\n`),
      "large.txt": `hit\n${"x\n".repeat(499_999)}`,
      "long.txt": `hit${"x".repeat(1_997)}\nhit${"x".repeat(1_998)}\n`,
    },
    async run(sandbox, root) {
      const { matches, skipped } = await sandbox.grep(grep(root, "hit"));
      assert.deepEqual(
        matches.map(({ path, lineNumber }) => [path, lineNumber]),
        [
          [`${root}/late.txt`, 1],
          [`${root}/long.txt`, 1],
        ],
      );
      assert.deepEqual([skipped.binary, skipped.tooLarge, skipped.longLines], [1, 1, 1]);
      assert.equal(matches[1]?.line, `hit${"x".repeat(194)}...`);
    },
  },
  {
    title: "grep: bytes that are not UTF-8 are replaced",
    files: { "latin.txt": bytes("caf\xe9 hit\n") },
    async run(sandbox, root) {
      assert.deepEqual(await found(sandbox, grep(root, "hit")), [`${root}/latin.txt:1: caf\ufffd hit`]);
    },
  },
  {
    title: "symbolic links are not searched and are counted; one that leads outside is nowhere and opens nothing",
    files: {
      "a.txt": "hit root\n",
      inside: { link: "a.txt" },
      outside: { link: "/etc/passwd" },
      away: { link: "/etc" },
    },
    async run(sandbox, root) {
      const answer = await sandbox.grep(grep(root, "root"));
      assert.deepEqual(
        answer.matches.map(({ path }) => path),
        [`${root}/a.txt`],
      );
      assert.equal(answer.skipped.links, 3);
      assert.deepEqual(await globbed(sandbox, root, "*", true), [`${root}/a.txt`, `${root}/inside`]);
      for (const path of [`${root}/outside`, `${root}/away/passwd`]) {
        await refused(sandbox.readFile({ path, startLine: null, endLine: null }), "OUTSIDE_WORKSPACE");
        await refused(sandbox.grep(grep(path, "root")), "OUTSIDE_WORKSPACE");
        await refused(sandbox.writeFile({ path, content: "x", append: true }), "OUTSIDE_WORKSPACE");
      }
      await refused(sandbox.ls({ path: `${root}/away` }), "OUTSIDE_WORKSPACE");
    },
  },
  {
    title:
      "ls, glob and grep leave out the same names; hidden names and .gitignore play no part; what is named is searched",
    files: {
      ".gitignore": "*\n",
      ".hidden/a.txt": "hit\n",
      "node_modules/a.txt": "hit\n",
      "src/__pycache__/a.txt": "hit\n",
      "src/a.log": "hit\n",
      "src/a.txt": "hit\n",
    },
    async run(sandbox, root) {
      const files = [`${root}/.hidden/a.txt`, `${root}/src/a.txt`];
      assert.deepEqual(await globbed(sandbox, root, "a.*"), files);
      assert.deepEqual(
        await found(sandbox, grep(root, "hit")),
        files.map((path) => `${path}:1: hit`),
      );
      const list = async (path: string): Promise<string[]> =>
        (await sandbox.ls({ path })).entries.map((entry) => entry.path);
      assert.deepEqual(await list(root), [`${root}/.gitignore`, `${root}/.hidden`, `${root}/src`]);
      assert.deepEqual(await list(`${root}/src`), [`${root}/src/a.txt`]);
      assert.deepEqual(await found(sandbox, grep(`${root}/node_modules`, "hit")), [
        `${root}/node_modules/a.txt:1: hit`,
      ]);
    },
  },
  {
    title: "ls: files and folders of one folder, in path order",
    files: { "b.txt": "", "a/c.txt": "" },
    async run(sandbox, root) {
      const { entries, truncated } = await sandbox.ls({ path: root });
      assert.deepEqual(entries, [
        { path: `${root}/a`, kind: "directory" },
        { path: `${root}/b.txt`, kind: "file" },
      ]);
      assert.equal(truncated, false);
    },
  },
  {
    title: "readFile: the whole file, a range, an empty file; a binary is refused",
    files: { "a.txt": "one\r\ntwo\nthree", empty: "", "b.bin": bytes("\0") },
    async run(sandbox, root) {
      const read = (name: string, startLine: number | null, endLine: number | null): ReturnType<Sandbox["readFile"]> =>
        sandbox.readFile({ path: `${root}/${name}`, startLine, endLine });
      const whole = await read("a.txt", null, null);
      assert.deepEqual([whole.text, whole.startLine, whole.endLine, whole.totalLines], ["one\ntwo\nthree", 1, 3, 3]);
      const part = await read("a.txt", 2, 9);
      assert.deepEqual([part.text, part.startLine, part.endLine, part.totalLines], ["two\nthree", 2, 3, 3]);
      const none = await read("empty", null, null);
      assert.deepEqual([none.text, none.endLine, none.totalLines], ["", 0, 0]);
      await refused(read("b.bin", null, null), "BINARY_FILE");
      await refused(read("nope", null, null), "NOT_FOUND");
    },
  },
  {
    title: "writeFile: makes a file and the folders above it, replaces all of it, adds to its end",
    files: { "a.txt": "old\n" },
    async run(sandbox, root) {
      const text = async (path: string): Promise<string> =>
        (await sandbox.readFile({ path, startLine: null, endLine: null })).text;
      const fresh = `${root}/new/deep/f.txt`;
      assert.equal((await sandbox.writeFile({ path: fresh, content: "one\n", append: false })).created, true);
      assert.equal((await sandbox.writeFile({ path: fresh, content: "two\n", append: true })).created, false);
      assert.equal(await text(fresh), "one\ntwo");
      assert.equal(
        (await sandbox.writeFile({ path: `${root}/a.txt`, content: "$& new\n", append: false })).created,
        false,
      );
      assert.equal(await text(`${root}/a.txt`), "$& new");
      assert.equal(
        (await sandbox.writeFile({ path: `${root}/b.txt`, content: "first\n", append: true })).created,
        true,
      );
    },
  },
  {
    title: "strReplace: verbatim, once or everywhere; what is absent or there twice is refused and changes nothing",
    files: { "a.txt": "x = 1\nx = 1\ny = 2\r\n" },
    async run(sandbox, root) {
      const path = `${root}/a.txt`;
      const replace = (oldText: string, newText: string, all: boolean): ReturnType<Sandbox["strReplace"]> =>
        sandbox.strReplace({ path, oldText, newText, all });
      await refused(replace("z = 3", "", false), "OLD_STR_NOT_FOUND");
      await refused(replace("x = 1", "x = 3", false), "OLD_STR_NOT_UNIQUE");
      assert.equal((await replace("y = 2", "$& $1 \\n", false)).replacements, 1);
      assert.equal((await replace("x = 1", "x = 3", true)).replacements, 2);
      assert.equal((await sandbox.readFile({ path, startLine: null, endLine: null })).text, "x = 3\nx = 3\n$& $1 \\n");
    },
  },
  {
    title: "a path that is not absolute, or outside, or with .. out of the folder, is refused by every function",
    files: { "a.txt": "root\n" },
    async run(sandbox, root) {
      const cases: [path: string, code: string][] = [
        ["a.txt", "INVALID_ARGUMENT"],
        ["", "INVALID_ARGUMENT"],
        ["/etc/passwd", "OUTSIDE_WORKSPACE"],
        [`${root}-evil/a.txt`, "OUTSIDE_WORKSPACE"],
        [`${root}/../../../../etc/passwd`, "OUTSIDE_WORKSPACE"],
      ];
      for (const [path, code] of cases) {
        await refused(sandbox.ls({ path }), code);
        await refused(sandbox.glob({ pattern: "*", path, includeDirs: true, maxResults: 10 }), code);
        await refused(sandbox.grep(grep(path, "root")), code);
        await refused(sandbox.readFile({ path, startLine: null, endLine: null }), code);
        await refused(sandbox.writeFile({ path, content: "x", append: false }), code);
        await refused(sandbox.strReplace({ path, oldText: "root", newText: "x", all: true }), code);
      }
      assert.deepEqual(await found(sandbox, grep(root, "root")), [`${root}/a.txt:1: root`]);
    },
  },
  {
    title: "what is missing, or of the wrong kind, is an error and no empty answer",
    files: { "a.txt": "", "d/b.txt": "" },
    async run(sandbox, root) {
      const glob = (path: string): Promise<unknown> =>
        sandbox.glob({ pattern: "*", path, includeDirs: false, maxResults: 10 });
      await refused(glob(`${root}/nope`), "NOT_FOUND");
      await refused(sandbox.grep(grep(`${root}/nope`, "x")), "NOT_FOUND");
      await refused(sandbox.ls({ path: `${root}/nope` }), "NOT_FOUND");
      await refused(glob(`${root}/a.txt`), "NOT_A_DIRECTORY");
      await refused(sandbox.ls({ path: `${root}/a.txt` }), "NOT_A_DIRECTORY");
      await refused(sandbox.readFile({ path: `${root}/d`, startLine: null, endLine: null }), "NOT_A_FILE");
      await refused(sandbox.strReplace({ path: `${root}/nope`, oldText: "a", newText: "b", all: false }), "NOT_FOUND");
    },
  },
  {
    title: "a cancelled search is an error and no empty answer",
    files: { "a.txt": "hit\n" },
    async run(sandbox, root) {
      const signal = AbortSignal.abort();
      await refused(sandbox.grep(grep(root, "hit"), { signal }), "ABORTED");
      await refused(
        sandbox.glob({ pattern: "*", path: root, includeDirs: false, maxResults: 10 }, { signal }),
        "ABORTED",
      );
    },
  },
];
