import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { generatedRuns } from "../support/cases.js";
import { connect, descendants, eventually, quarryServer, type TestClient } from "../support/mcp.js";
import { makeTree } from "../support/tree.js";

const SECRET = "TOP-SECRET-CONTENT";

/** A served folder amid secrets, with links that lead out of it and back. */
function makeSite(): { readonly site: string; readonly root: string } {
  const site = makeTree({
    "outside/secret.txt": SECRET,
    "ws-evil/secret.txt": SECRET,
    "secret.txt": SECRET,
    "ws/a/b/ok.txt": "fine",
    "ws/ok.txt": "fine",
    "ws/-v": "dash",
    "ws/out": { link: "../outside" },
    "ws/outfile": { link: "../outside/secret.txt" },
    "ws/up": { link: ".." },
    "ws/loop": { link: "loop" },
    "ws/hang": { link: "../outside/none" },
    "ws/pipe": { fifo: true },
    "ws/caf\udce9\n": "odd",
  });
  symlinkSync(join(site, "outside"), join(site, "ws/abs"));
  symlinkSync("/", join(site, "ws/slash"));
  return { site, root: join(site, "ws") };
}

const { site, root } = makeSite();

const piece = fc.constantFrom(
  "..",
  ".",
  "",
  "a",
  "b",
  "ok.txt",
  "secret.txt",
  "out",
  "outfile",
  "up",
  "abs",
  "slash",
  "loop",
  "hang",
  "pipe",
  "-v",
  "outside",
  "ws",
  "ws-evil",
  "~",
  "$HOME",
  "%2e%2e",
  "..%2f",
  "\\..",
  "..\\..",
  "\u2025",
  "\uff0e\uff0e",
  "caf\\xe9\\x0a",
  "a\0",
  "\ud800",
  "*",
  "**",
  "[a]",
  "{a,b}",
  "etc",
  "passwd",
  "proc",
  "self",
  "@artifacts",
);
const path = fc.oneof(
  { weight: 6, arbitrary: fc.array(piece, { minLength: 1, maxLength: 8 }).map((parts) => parts.join("/")) },
  { weight: 2, arbitrary: fc.array(piece, { maxLength: 4 }).map((parts) => `${site}/${parts.join("/")}`) },
  { weight: 1, arbitrary: fc.array(piece, { maxLength: 4 }).map((parts) => `file://${site}/${parts.join("/")}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      site,
      `${root}/../secret.txt`,
      `${root}-evil/secret.txt`,
      "/proc/self/environ",
      "/proc/self/cwd/../secret.txt",
      "/dev/zero",
      "//etc/passwd",
      "C:\\secret.txt",
      "x".repeat(5_000),
      "../".repeat(200),
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 30 }) },
);
// Patterns that would match the secret if it were searched, and none that shows it by repeating the question.
const pattern = fc.constantFrom(
  "TOP-SECRET",
  "SECRET.CONTENT",
  "TOP.*",
  ".",
  "",
  "--pre=/bin/cat",
  "-f/etc/passwd",
  "(",
  "[",
  "fine\\n",
  "x{9999}",
  "\0",
);
const text = fc.constantFrom("fine", "", "$& $` $'", "fine\r\n", "x".repeat(10_000), "\0", "\ud800");

/** Arguments of one call of each tool about one hostile path. */
const attack = fc.record({ path, pattern, text, other: path });
type Attack = typeof attack extends fc.Arbitrary<infer A> ? A : never;

function callsOf({ path, pattern, text, other }: Attack): readonly (readonly [string, Record<string, unknown>])[] {
  return [
    ["read_file", { path }],
    ["ls", { path, depth: 3 }],
    ["glob", { pattern: other, path, include_dirs: true }],
    ["glob", { pattern: path }],
    ["grep", { pattern, path: [path, other], glob: other, include_ignored: true }],
    ["grep", { pattern, path, context: 2 }],
    ["str_replace", { path, old_str: "fine", new_str: text }],
    ["multi_edit", { path, edits: [{ old_str: "TOP-SECRET", new_str: text, replace_all: true }] }],
    ["write_file", { path, content: text, create_dirs: true }],
  ];
}

/** Each tool does its work, in a new folder: what is attacked is a server that works. Before the attack, and behind it. */
async function works(client: TestClient, folder: string): Promise<void> {
  const path = `${folder}/one.txt`;
  const plain: readonly (readonly [name: string, args: Record<string, unknown>, says: RegExp])[] = [
    ["write_file", { path, content: "first\nneedle\n", create_dirs: true }, /one\.txt/],
    ["read_file", { path }, /needle/],
    ["ls", { path: folder }, /one\.txt/],
    ["glob", { pattern: "*.txt", path: folder }, /one\.txt/],
    ["grep", { pattern: "needle", path: folder }, /needle/],
    ["str_replace", { path, old_str: "needle", new_str: "pin" }, /pin/],
    ["multi_edit", { path, edits: [{ old_str: "pin", new_str: "nail" }] }, /nail/],
  ];
  for (const [name, args, says] of plain) {
    const { text, isError } = await client.call(name, args);
    assert.ok(!isError && says.test(text), `${name}: ${text}`);
  }
}

/** Everything outside the served folder, by name, kind and content. */
function outside(): string {
  const hash = createHash("sha256");
  const look = (folder: string): void => {
    for (const name of readdirSync(folder).sort()) {
      const at = join(folder, name);
      if (at === root) continue;
      const stat = lstatSync(at);
      hash.update(`${at}\0${stat.mode}\0`);
      if (stat.isDirectory()) look(at);
      else hash.update(stat.isSymbolicLink() ? readlinkSync(at) : readFileSync(at));
    }
  };
  look(site);
  return hash.digest("hex");
}

test("an attack on every tool over MCP: nothing outside is read or written, no host path in any output", async (t) => {
  const { numRuns, seed } = generatedRuns(t, 120);
  const before = outside();
  const client: TestClient = await connect("v2", quarryServer(["--root", root, "--allow-write"]));
  try {
    await works(client, "before");
    await fc.assert(
      fc.asyncProperty(attack, async (one) => {
        const answers = await Promise.all(
          callsOf(one).map(async ([name, args]) => ({ name, text: (await client.call(name, args)).text })),
        );
        for (const { name, text } of answers) {
          assert.ok(!text.includes(SECRET), `${name} shows what lies outside`);
          assert.doesNotMatch(text, /root:.*:0:0:/);
          if (![one.path, one.other].some((given) => given.includes(site)))
            assert.ok(!text.includes(site), `${name} shows a host path: ${text}`);
          assert.ok(
            !text.includes(`${root}/`) && !text.includes(`${root}"`),
            `${name} shows the root's host path: ${text}`,
          );
        }
      }),
      { numRuns, seed },
    );
    assert.equal(outside(), before);
    await works(client, "behind");
    assert.ok(!client.stderr().includes(site));
    await eventually(() => descendants(client.pid).length === 0, 2_000, "no process is left");
  } finally {
    await client.close();
  }
});
