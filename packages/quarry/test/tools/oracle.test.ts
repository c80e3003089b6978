import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { dirname } from "node:path";
import { createRequire } from "node:module";
import { test } from "node:test";
import { rgPath } from "@vscode/ripgrep";
import fc from "fast-check";
import { FULL, generatedRuns } from "../support/cases.js";
import { linuxSource, NO_LINUX_SOURCE } from "../support/corpus.js";
import { makeTree } from "../support/tree.js";
import { open, type Opened } from "./opened.js";

/** A copy: where it lies, rules of the repository leave out its `dist`. */
const TYPESCRIPT = makeTree({});
cpSync(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), TYPESCRIPT, { recursive: true });

/** What rg says, as `path:line:text`; lines are cut as ours are compared, at 200 characters. */
function oracle(flags: readonly string[], pattern: string): string[] {
  let out: string;
  try {
    out = execFileSync(
      rgPath,
      [
        "--no-config",
        "--hidden",
        "-g",
        "!.git",
        "--sort=path",
        "-n",
        "--null",
        "--no-heading",
        "--crlf",
        ...flags,
        "-e",
        pattern,
        ".",
      ],
      {
        cwd: TYPESCRIPT,
        encoding: "utf8",
        maxBuffer: 1e9,
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
  } catch (error) {
    if ((error as { status?: number }).status === 1) return [];
    throw error;
  }
  const shown = out.split("\n").slice(0, -1);
  return shown.map((line) => {
    const [path = "", rest = ""] = line.split("\0");
    const colon = rest.indexOf(":");
    return `${path.replace(/^\.\//, "")}:${rest.slice(0, colon)}:${rest
      .slice(colon + 1)
      .replace(/\r$/, "")
      .slice(0, 200)}`;
  });
}

const PAGE = 10_000;
/** Of a longer answer as many pages are read, and the last one. */
const FIRST_PAGES = 1;

/** Fails where a page is not the same part of what is expected. */
async function comparePages(
  at: Opened,
  args: Readonly<Record<string, unknown>>,
  expected: readonly string[],
): Promise<void> {
  let pages = 0;
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const { value, complete }: Awaited<ReturnType<Opened["grep"]>> = await at.grep({
      ...args,
      max_results: PAGE,
      offset,
    });
    assert.ok(complete);
    assert.equal(value.total, expected.length);
    const found = (value.matches ?? []).map((m) => `${m.path}:${m.line}:${m.text.slice(0, 200)}`);
    assert.deepEqual(found, expected.slice(offset, offset + found.length));
    assert.equal(value.nextOffset, offset + found.length < expected.length ? offset + found.length : undefined);
    pages += 1;
    offset =
      pages === FIRST_PAGES && value.nextOffset !== undefined
        ? Math.max(value.nextOffset, expected.length - 500)
        : value.nextOffset;
  }
}

const word = fc.constantFrom(
  "node",
  "Symbol",
  "export",
  "interface",
  "readonly",
  "kind",
  "flags",
  "undefined",
  "Promise",
  "the",
  "License",
  "Array",
  "ts",
  "Type",
);
const pattern = fc.oneof(
  { weight: 3, arbitrary: word },
  { weight: 1, arbitrary: fc.tuple(word, word).map(([a, b]) => `${a}|${b}`) },
  { weight: 1, arbitrary: fc.tuple(word, word).map(([a, b]) => `\\b${a}\\w*.{0,20}${b}`) },
  { weight: 1, arbitrary: word.map((w) => `^\\s+${w}\\b`) },
  { weight: 1, arbitrary: word.map((w) => `${w}[,;)]?$`) },
  {
    weight: 1,
    arbitrary: fc.tuple(word, fc.integer({ min: 1, max: 6 })).map(([w, n]) => `${w.slice(0, 2)}[a-z]{${n}}\\(`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("[^\\x00-\\x7f]", "\\d{4,}", "^$", "\\t", "=>\\s*\\{", "(?i)todo", "\\p{Lu}{6,}", "$^x"),
  },
);
const query = fc.record({
  pattern,
  case: fc.constantFrom("sensitive", "insensitive", "smart"),
  glob: fc.constantFrom("", "", "", "*.d.ts", "*.{js,json}", "dist/**/*.ts", "**/api/*"),
  exclude: fc.constantFrom("", "", "*.js", "vendor", "*.{md,txt}"),
});
const CASES = { sensitive: "-s", insensitive: "-i", smart: "-S" } as const;

test("200 generated patterns over a package of 416 files: rg's lines in rg's order", async (t) => {
  const at = await open(TYPESCRIPT, {
    artifacts: false,
    settings: { pageBytes: 1_000_000, lineWidth: 20_000, secondLookFiles: 0 },
  });
  let matches = 0;
  const example = { pattern: "export", case: "sensitive", glob: "", exclude: "" };
  await fc.assert(
    fc.asyncProperty(query, async (q) => {
      const expected = oracle(
        [
          CASES[q.case as keyof typeof CASES],
          ...(q.glob === "" ? [] : ["-g", q.glob]),
          ...(q.exclude === "" ? [] : ["-g", `!${q.exclude}`]),
        ],
        q.pattern,
      );
      await comparePages(at, q, expected);
      matches += expected.length;
    }),
    { ...generatedRuns(t, 200), examples: [[example]] },
  );
  assert.ok(matches > 0);
});

const RUNS = FULL ? 10 : 4;
test(`fault-32: a page is cut after the order: ${RUNS} runs give the same page`, async () => {
  for (const args of [
    { pattern: "e", max_results: 20 },
    { pattern: "export", output: "count", max_results: 5 },
    { pattern: "function", context: 2, offset: 7 },
  ]) {
    const pages = new Set<string>();
    for (let run = 0; run < RUNS; run++) {
      const at = await open(TYPESCRIPT, {
        artifacts: { owner: "runs" },
        settings: { engineProcesses: 1 + (run % 4), chunkFiles: [120, 4_000][run % 2] as number },
      });
      const { text, value } = await at.grep(args);
      pages.add(`${text}${JSON.stringify({ ...value, meta: null })}`);
    }
    assert.equal(pages.size, 1);
  }
});

const corpus = linuxSource();
test("Linux source: exact totals", { skip: corpus === null && NO_LINUX_SOURCE }, async () => {
  const at = await open(corpus as string, { artifacts: false, settings: { timeoutMs: 170_000 } });
  for (const [text, total] of [
    ["kmalloc_array", 1_058],
    ["TODO|FIXME", 9_515],
    ["static int", 212_985],
  ] as const) {
    const { value, complete } = await at.grep({ pattern: text });
    assert.ok(complete, text);
    assert.equal(value.total, total, text);
    assert.equal(value.shown, 100);
  }
});
