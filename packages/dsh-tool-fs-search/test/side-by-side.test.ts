import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import {
  agentIn,
  BASE,
  BASH,
  folder,
  loadRows,
  search,
  spill,
  textOf,
  type Harness,
  type Row,
} from "./support/harness.js";
import { published, sharedTree } from "./support/published.js";
import { inPath, RIPGREPS } from "./support/rg.js";

interface Difference {
  readonly what: string;
  readonly tool: "glob" | "grep";
  readonly args: Readonly<Record<string, unknown>>;
  readonly setting: keyof typeof SETTINGS;
  readonly ours: string;
  readonly published: string;
  readonly why: string;
}

const SETTINGS = {
  default: {},
  capped: { globMaxResults: 3, grepMaxMatches: 3 },
  narrow: { grepMaxLineBytes: 10 },
} as const;
const DIFFERENCES = JSON.parse(
  readFileSync(new URL("../differences.json", import.meta.url), "utf8"),
) as readonly Difference[];

/** Both plugins over the same ripgrep, each in a composition of its own, in this process. */
async function both(
  t: Parameters<typeof loadRows>[0],
  config: Readonly<Record<string, number>>,
  more: readonly Row[] = [],
): Promise<{ ours: Harness; theirs: Harness }> {
  inPath(t, RIPGREPS[0]?.folder ?? "");
  const ours = await loadRows(t, [...BASE, BASH, ...more, search(config)]);
  const theirs = await loadRows(t, [...BASE, BASH, ...more, published(config)]);
  return { ours, theirs };
}

for (const [setting, config] of Object.entries(SETTINGS)) {
  test(`beside the published plugin (${setting}): every difference of texts is one of those that are listed and explained`, async (t) => {
    const { ours, theirs } = await both(t, config);
    const agent = agentIn(sharedTree());
    const rows = DIFFERENCES.filter((row) => row.setting === setting);
    assert.ok(rows.length > 0);
    for (const { what, tool, args, ours: mine, published: other } of rows) {
      assert.equal(await ours.text(tool, args, { agent }), mine, what);
      assert.equal(await theirs.text(tool, args, { agent }), other, what);
    }
  });
}

/** Plain text files only: what the two treat differently is in the list of differences. */
function plainTree(): string {
  const cwd = folder();
  for (let i = 0; i < 400; i++) {
    const path = join(
      cwd,
      `d${i % 9}/${i % 2 === 0 ? ".hidden" : "shown"}/e${i % 5}/file-${i}.${i % 3 === 0 ? "ts" : "md"}`,
    );
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(
      path,
      Array.from({ length: 1 + (i % 8) }, (_, n) => `line ${n} of ${i} ${n % 2 === 0 ? "needle" : "hay"}\r\n`).join(""),
    );
  }
  writeFileSync(join(cwd, ".ignore"), "e3\n");
  return cwd;
}

const LINUX = process.env["QUARRY_LINUX_SOURCE"] ?? "/usr/src/linux-source-6.1";
const QUESTIONS = [
  ["glob", { pattern: "*" }],
  ["glob", { pattern: "*.ts" }],
  ["glob", { pattern: "d1/**/*.{md,ts}" }],
  ["glob", { pattern: "Makefile" }],
  ["glob", { pattern: "absent" }],
  ["grep", { pattern: "needle" }],
  ["grep", { pattern: "line [0-3] of \\d+7\\b" }],
  ["grep", { pattern: "e", include: "*.{ts,md,h}" }],
  ["grep", { pattern: "kmalloc_array" }],
  ["grep", { pattern: "absent_from_everywhere" }],
] as const;

for (const [what, tree] of [
  ["a small tree", plainTree],
  ["a part of Linux", () => (existsSync(join(LINUX, "net/core")) ? join(LINUX, "net/core") : plainTree())],
] as const) {
  test(`beside the published plugin: the same complete results over ${what}`, async (t) => {
    const { ours, theirs } = await both(t, {});
    const agent = agentIn(tree());
    for (const [name, args] of QUESTIONS) {
      const [mine, other] = [await ours.call(name, args, { agent }), await theirs.call(name, args, { agent })];
      assert.deepEqual([mine.isError, other.isError], [false, false], textOf(mine.isError ? mine : other));
      assert.deepEqual(sorted(mine.value), sorted(other.value), JSON.stringify(args));
    }
  });
}

test("beside the published plugin: the stored artifacts hold the same lines", async (t) => {
  const { ours, theirs } = await both(t, SETTINGS.capped, [spill(folder())]);
  const agent = agentIn(plainTree());
  for (const [name, args] of QUESTIONS) {
    const [mine, other] = [await stored(ours, name, args, agent), await stored(theirs, name, args, agent)];
    assert.deepEqual(mine, other, JSON.stringify(args));
  }
});

/** Everything that was found, in one order for both. */
function sorted(value: unknown): string[] {
  const { paths, matches } = value as { paths?: string[]; matches?: unknown[] };
  return (paths ?? (matches ?? []).map((match) => JSON.stringify(match))).toSorted();
}

async function stored(
  harness: Harness,
  name: string,
  args: unknown,
  agent: ReturnType<typeof agentIn>,
): Promise<readonly string[] | null> {
  const path = /stored at: (\S+)\. Use read/.exec(textOf(await harness.call(name, args, { agent })))?.[1];
  return path === undefined ? null : readFileSync(path, "utf8").split("\n").toSorted();
}
