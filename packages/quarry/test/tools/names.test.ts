import assert from "node:assert/strict";
import { test } from "node:test";
import type { RelPath } from "#src/paths/path.js";
import { openTree } from "./opened.js";

/** Names that could be mistaken for something else; a lone U+DCxx is a byte that is not UTF-8. */
const NAMES: readonly RelPath[] = [
  "new\nline.txt",
  "-v",
  "--",
  "--help",
  "-e",
  "caf\udce9.txt",
  "[id].tsx",
  "[[...slug]].tsx",
  "(x)",
  "(auth)",
  "{a,b}.ts",
  "with space.txt",
  " leading",
  "trailing ",
  "12 foo",
  "12-foo",
  "12",
  "INCOMPLETE: x",
  "Error NOT_FOUND: x",
  "0 matches in 1 file.",
  "tab\there",
  "back\\slash",
  "\\x41",
  "quote'\"`.txt",
  "$(touch pwned)",
  "*",
  "?",
  "!bang",
  "#hash",
  "~",
  "~root",
  "...",
  "日本.txt",
  "e\u0301.txt",
  "\u202egpj.exe",
  "\u2028sep",
  "\r",
  "\u001b[31mred",
  "file:x",
  "C:x",
  "@artifacts",
  "a:1:b",
];

test("fault-07, fault-25: what is shown can be given back as it stands, to every tool, for every odd name", async () => {
  for (const folder of ["", "d [x]/(y)\n/"]) {
    const at = await openTree(Object.fromEntries(NAMES.map((name, i) => [`${folder}${name}`, `needle ${i}\n`])), {
      artifacts: false,
    });
    const found = await at.grep({ pattern: "needle", max_results: 1_000 });
    assert.equal(found.value.total, NAMES.length);
    const listed = await at.glob({ pattern: "**", max_results: 1_000 });
    const shown = (found.value.matches ?? []).map((m) => m.path);
    assert.deepEqual(listed.value.paths, shown);
    assert.equal(new Set(shown).size, NAMES.length);
    const content = new Map((found.value.matches ?? []).map((m) => [m.path, m.text]));
    for (const path of shown) {
      const expected = content.get(path) as string;
      assert.ok(!/[\n\r]/.test(path), JSON.stringify(path));
      const read = await at.read({ path });
      assert.equal(read.value.lines[0]?.text, expected, path);
      assert.equal(read.value.path, path);
      const again = await at.grep({ pattern: "needle", path });
      assert.deepEqual(
        [again.value.total, again.value.matches?.[0]?.path, again.value.matches?.[0]?.text],
        [1, path, expected],
      );
      const globbed = await at.glob({ pattern: path });
      assert.ok(globbed.value.paths.includes(path), `glob ${JSON.stringify(path)}: ${globbed.text}`);
    }
    // The text itself: each line that is a path leads to the file whose matches stand under it.
    const text = found.text.split("\n").slice(1);
    assert.equal(text.length, 2 * NAMES.length);
    for (let i = 0; i < text.length; i += 2) {
      const read = await at.read({ path: text[i] as string });
      assert.equal(text[i + 1], `1 ${read.value.lines[0]?.text}`, text[i]);
    }
    const entries = await at.ls({ path: folder === "" ? "." : "d [x]/(y)\\x0a" });
    assert.deepEqual(
      entries.value.entries.map((e) => e.path),
      shown,
    );
    const counted = await at.grep({ pattern: "needle", output: "count", max_results: 1_000 });
    for (const line of counted.text.split("\n").slice(1)) {
      const path = line.slice("1 ".length);
      assert.equal((await at.read({ path })).value.lines[0]?.text, content.get(path));
    }
    const files = await at.grep({ pattern: "needle", output: "files", max_results: 1_000 });
    for (const line of files.text.split("\n").slice(1)) await at.read({ path: line });
    for (const line of listed.text.split("\n").slice(1)) await at.read({ path: line });
  }
});

test("fault-25: folders with odd names are searched when named, and globs find what is in them", async () => {
  const at = await openTree(
    { "app/(auth)/[[...sign-in]]/p.tsx": "needle\n", "app/[id]/{x}/q.tsx": "needle\n", "app/i/x/r.tsx": "other\n" },
    { artifacts: false },
  );
  for (const path of ["app/(auth)/[[...sign-in]]", "app/[id]/{x}", "app/(auth)", "app/[id]"]) {
    assert.equal((await at.grep({ pattern: "needle", path })).value.total, 1, path);
    assert.equal((await at.glob({ pattern: "*.tsx", path })).value.total, 1, path);
    assert.equal((await at.ls({ path })).value.total, 1, path);
    // What the characters mean as a pattern is found beside what they spell.
    assert.ok(
      (await at.glob({ pattern: `${path}/**` })).value.paths.some((found) => found.startsWith(`${path}/`)),
      path,
    );
  }
  assert.deepEqual((await at.glob({ pattern: "app/[id]/{x}/q.tsx" })).value.paths, ["app/[id]/{x}/q.tsx"]);
});
