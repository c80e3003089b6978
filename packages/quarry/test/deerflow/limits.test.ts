/** What grep skips, from every engine: the rules are the contract's and not the engine's. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { GrepFound } from "#src/sandbox/sandbox.js";
import { engines, place, ROOT } from "./place.js";
import type { TreeSpec } from "../support/tree.js";

/** The same question to every engine; all have to say the same. */
async function everywhere(tree: TreeSpec, args: Readonly<Record<string, unknown>>, said: string): Promise<void> {
  for (const { engine, text } of await engines(tree))
    assert.equal(await text("grep", { path: ROOT, ...args }), said, engine);
}

test("[B-033] fault-15: a NUL in the first 8 KiB skips the file, one behind them does not", async () => {
  const nulAt = (at: number): Buffer =>
    Buffer.concat([Buffer.from("needle\n".padEnd(at - 1, "x") + "\n\0 needle 2\n")]);
  const tree = { early: nulAt(8_191), late: nulAt(8_192), later: nulAt(70_000), "z.bin": Buffer.from("\0needle") };
  const rows = (name: string): string[] => [`${ROOT}/${name}:1: needle`, `${ROOT}/${name}:3: \0 needle 2`];
  const text = (name: string): Buffer => {
    const [start, end] = nulAt(name === "late" ? 8_192 : 70_000)
      .toString("latin1")
      .split("\n\0");
    // Shorter lines, so that the line of x is no long one.
    return Buffer.from(`${(start ?? "").replaceAll("xxxxxxxxxx", "xxxxxxxxx\n")}\n\0${end}`, "latin1");
  };
  const skipped = "Skipped: 2 binary files that match.";
  const lines = (name: string): string[] => {
    const all = text(name).toString("latin1").split("\n");
    return rows(name).map((row, i) =>
      i === 0 ? row : row.replace(":3:", `:${all.findIndex((l) => l.includes("needle 2")) + 1}:`),
    );
  };
  await everywhere(
    { ...tree, late: text("late"), later: text("later") },
    { pattern: "needle" },
    [`Found 4 matches under ${ROOT}`, ...lines("late"), ...lines("later"), skipped].join("\n"),
  );
  await everywhere(
    { ...tree, late: text("late"), later: text("later") },
    { pattern: "n[e]+dle( 2)?$" },
    [`Found 4 matches under ${ROOT}`, ...lines("late"), ...lines("later"), skipped].join("\n"),
  );
});

test("[B-034] fault-28: a file of 1,000,000 bytes is searched, a larger one skipped and counted where it matches", async () => {
  const sized = (bytes: number): string => "needle\n".padEnd(bytes - 1, "x\n") + "\n";
  await everywhere(
    { exact: sized(1_000_000), more: sized(1_000_001), other: sized(1_000_001).replace("needle", "nothing") },
    { pattern: "needle" },
    `Found 1 matches under ${ROOT}\n${ROOT}/exact:1: needle\nSkipped: 1 matching file over 1,000,000 bytes.`,
  );
});

test("[B-037][B-038] fault-65: a line of 2,000 characters is shown, cut to 200; a longer one skipped and counted", async () => {
  const wide = "é".repeat(1_993);
  const shown = `needle ${"é".repeat(190)}...`;
  assert.equal(shown.length, 200);
  await everywhere(
    {
      "a.txt": `needle ${wide}\r\nneedle ${wide}é\nneedle ${"😀".repeat(1_993)}\nneedle ${"x".repeat(193)}\nneedle ${"x".repeat(194)}\n`,
      "b.min.js": `${"a".repeat(3_000_000 / 4)}needle${"b".repeat(1_000)}\n`,
    },
    { pattern: "needle" },
    [
      `Found 4 matches under ${ROOT}`,
      `${ROOT}/a.txt:1: ${shown}`,
      `${ROOT}/a.txt:3: needle ${"😀".repeat(190)}...`,
      `${ROOT}/a.txt:4: needle ${"x".repeat(193)}`,
      `${ROOT}/a.txt:5: needle ${"x".repeat(190)}...`,
      "Skipped: 2 matching lines over 2,000 characters.",
    ].join("\n"),
  );
});

test("[B-036] fault-34: bytes that are not UTF-8 are replaced, and count as one character each where none belongs to another", async () => {
  await everywhere(
    {
      "latin.txt": Buffer.from("caf\xe9 needle\n", "latin1"),
      "many.txt": Buffer.from(`needle ${"\xff".repeat(1_994)}\n`, "latin1"),
    },
    { pattern: "needle" },
    `Found 1 matches under ${ROOT}\n${ROOT}/latin.txt:1: caf\ufffd needle\nSkipped: 1 matching line over 2,000 characters.`,
  );
});

test("[B-035] fault-09: symbolic links are skipped and counted, to files and folders, inside and outside", async () => {
  await everywhere(
    {
      "a.txt": "needle\n",
      "d/b.txt": "needle\n",
      inside: { link: "a.txt" },
      folder: { link: "d" },
      elsewhere: { link: "/etc/passwd" },
      hanging: { link: "nowhere" },
    },
    { pattern: "needle" },
    `Found 2 matches under ${ROOT}\n${ROOT}/a.txt:1: needle\n${ROOT}/d/b.txt:1: needle\nSkipped: 4 symbolic links.`,
  );
  const { text } = await place({ "a.txt": "needle\n", inside: { link: "a.txt" }, out: { link: "/etc/passwd" } });
  assert.equal(
    await text("grep", { pattern: "needle", path: `${ROOT}/inside` }),
    `Found 1 matches under ${ROOT}/inside\n${ROOT}/inside:1: needle`,
  );
  assert.match(
    await text("grep", { pattern: "root", path: `${ROOT}/out` }),
    /^Error: ".*\/out" is not inside the workspace/,
  );
});

test("[B-039] all that was skipped stands in one line behind the matches, and before the words of a cut", async () => {
  const tree = {
    "a.bin": Buffer.from("\0needle"),
    "a.long": `needle ${"x".repeat(2_000)}\n`,
    "a.txt": "needle\n",
    "b.txt": "needle\n",
    "c.txt": "needle\n",
    "z.bin": Buffer.from("\0needle"),
  };
  await everywhere(
    tree,
    { pattern: "needle" },
    [
      `Found 3 matches under ${ROOT}`,
      ...["a", "b", "c"].map((name) => `${ROOT}/${name}.txt:1: needle`),
      "Skipped: 2 binary files that match, 1 matching line over 2,000 characters.",
    ].join("\n"),
  );
  await everywhere(
    tree,
    { pattern: "needle", max_results: 2 },
    [
      `Found 2 matches under ${ROOT} (showing first 2)`,
      ...["a", "b"].map((name) => `${ROOT}/${name}.txt:1: needle`),
      "Skipped: 1 binary file that matches, 1 matching line over 2,000 characters.",
      "Results truncated. Narrow the path or add a glob filter.",
    ].join("\n"),
  );
});

test("[B-043] the same question gets the same answer from every engine", async () => {
  const tree = {
    "a/x.ts": "export const One = 1;\nlet one = 'one';\r\n",
    "b.txt": "ONE\n\none two\n",
    "c/d/e.md": "# one\n\n- 1\n",
    "utf16.txt": Buffer.from("\ufeffone\n", "utf16le"),
  };
  const places = await engines(tree);
  for (const pattern of ["one", "^one", "one$", "\\bone\\b", "o.e", "(one|two)", "", "[0-9]+", "one\\r?\\nlet"]) {
    for (const case_sensitive of [false, true]) {
      const said = new Set<string>();
      for (const { text } of places) said.add(await text("grep", { path: ROOT, pattern, case_sensitive }));
      assert.equal(said.size, 1, `${pattern}: ${[...said].join("\n---\n")}`);
    }
  }
});

test("[B-069] fault-32: a cut page is the same in ten runs and from every engine, whatever lies behind it", async () => {
  const tree: Record<string, string | Buffer> = {};
  for (let i = 0; i < 900; i++) tree[`d${i % 30}/f${i}.txt`] = i % 7 === 0 ? Buffer.from("\0hit") : "hit\nhit\n";
  const said = new Set<string>();
  for (const { text } of await engines(tree)) {
    for (let run = 0; run < 3; run++) said.add(await text("grep", { pattern: "hit", path: ROOT, max_results: 35 }));
  }
  assert.equal(said.size, 1, [...said].join("\n---\n"));
});

test("fault-70: many binaries beside one text do not fail the search", async () => {
  const noise = Buffer.alloc(300_000, "needle\0\xff\xfe");
  const tree = { "a.zip": noise, "b.so": noise, "c.txt": "needle\n" };
  for (const { engine, sandbox } of await engines(tree)) {
    const found: GrepFound = await sandbox.grep({
      pattern: "needle",
      path: ROOT,
      glob: null,
      literal: false,
      caseSensitive: false,
      maxResults: 10,
    });
    assert.deepEqual(found.matches, [{ path: `${ROOT}/c.txt`, lineNumber: 1, line: "needle" }], engine);
    assert.equal(found.skipped.binary, 2);
  }
});

test("fault-14: a file that is skipped is not read for every line that it holds", async () => {
  const lines = "a needle\n".repeat(1_000_000);
  const text = Buffer.from(lines);
  const binary = Buffer.from(lines);
  binary[100] = 0;
  const tree = { "a.txt": text, "b.bin": binary, "c.txt": "needle\n" };
  for (const { engine, sandbox } of await engines(tree)) {
    const before = process.memoryUsage().rss;
    const found = await sandbox.grep({
      pattern: "needle",
      path: ROOT,
      glob: null,
      literal: false,
      caseSensitive: false,
      maxResults: 10,
    });
    assert.deepEqual(
      found.matches.map(({ path }) => path),
      [`${ROOT}/c.txt`],
      engine,
    );
    assert.equal(found.skipped.tooLarge, 2);
    // 2 million lines would take 350 MB.
    assert.ok(process.memoryUsage().rss - before < 250_000_000, engine);
  }
});
