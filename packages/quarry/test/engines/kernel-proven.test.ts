import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { rgPath } from "@vscode/ripgrep";
import fc from "fast-check";
import { KernelEngine } from "#src/engines/kernel/engine.js";
import { planQuery } from "#src/engines/kernel/plan.js";
import {
  ASSERTIONS,
  CHARACTER_ESCAPES,
  CLASS_ESCAPES,
  ESCAPED_PUNCTUATION,
  OPERATORS,
} from "#src/engines/kernel/proven.js";
import type { SearchEngine } from "#src/search/engine.js";
import type { CaseMode, LineQuery } from "#src/search/query.js";
import { generatedRuns } from "../support/cases.js";
import { ask, makePlace, run, type Place } from "./place.js";

/** What the kernel decides, it decides alone. */
const NOBODY: SearchEngine = {
  name: "ripgrep",
  status: () => Promise.resolve({ available: false, detail: "none" }),
  search: () => Promise.reject(new Error("another engine was asked")),
};

const engine = new KernelEngine({ fallback: NOBODY });

/** Every character of ASCII that a line can hold, at every place around a literal that patterns ask for. */
const PRINTED = Array.from({ length: 127 }, (_, i) => String.fromCharCode(i + 1)).filter((c) => !"\n\r".includes(c));
const LINES = PRINTED.flatMap((c) => [
  `need${c}le`,
  `${c}need${c}`,
  `x${c}needle`,
  `NEED${c}LE`,
  `need${c}${c}${c}le`,
  `a need ${c}`,
  `Kneeds${c}`,
]);
const TEXT = `${["", "need", "needneed", "need  le", "needAneedBneed", ...LINES].join("\n")}\r\n`;

let place: Place | null = null;

/** Lines and columns as `rg` prints them for the text. */
function rgSays({ pattern, case: mode }: LineQuery, root: string): string[] {
  const letters = { sensitive: "-s", insensitive: "-i", smart: "-S" }[mode];
  const rg = spawnSync(
    rgPath,
    ["--no-config", "--crlf", "--no-mmap", letters, "-n", "--column", "--no-filename", "-e", pattern, "--", "t"],
    { cwd: root, encoding: "latin1", maxBuffer: 1e8 },
  );
  assert.ok(rg.status === 0 || rg.status === 1, `${pattern}: ${rg.stderr}`);
  return rg.stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => /^\d+:\d+:/.exec(line)?.[0] ?? line);
}

async function sameAsRg(query: LineQuery): Promise<number> {
  return sameAsRgIn((place ??= await makePlace({ t: TEXT })), query);
}

async function sameAsRgIn(place: Place, query: LineQuery): Promise<number> {
  const { found } = await run(engine, place, query);
  const said = (found[0]?.lines ?? [])
    .map((line) => /^(\d+):(\d+):/.exec(line) as RegExpExecArray)
    .map(([, line, column]) => `${line}:${Number(column) + 1}:`);
  assert.deepEqual(said, rgSays(query, place.root), JSON.stringify(query));
  return said.length;
}

const rows: { readonly [name: string]: readonly string[] } = {
  "`.`": ["need.le", "need.", ".need", "need.{3}le"],
  ...Object.fromEntries(
    Object.keys(CLASS_ESCAPES).map((c) => [
      `\\${c}`,
      [`need\\${c}le`, `need[\\${c}]le`, `need[^\\${c}]le`, `need[x\\${c}]`, `\\${c}+need`],
    ]),
  ),
  ...Object.fromEntries(
    Object.keys(CHARACTER_ESCAPES).map((c) => [`\\${c}`, [`need\\${c}le`, `need[\\${c}!]`, `need[^\\${c}]`]]),
  ),
  ...Object.fromEntries(
    Object.keys(ASSERTIONS).map((a) => [a, [`${a}need`, `need${a}`, `need${a}.`, `.${a}need`, `(?:${a}|K)need`]]),
  ),
  "a backslash before punctuation": [...ESCAPED_PUNCTUATION].map((c) => `need\\${c}`),
  "a backslash before punctuation in a class": [...ESCAPED_PUNCTUATION].map((c) => `need[\\${c}a]le`),
  "characters that stand for themselves": PRINTED.filter((c) => c >= " " && c < "\x7f" && !OPERATORS.includes(c)).map(
    (c) => `need${c}`,
  ),
  "characters in classes": PRINTED.filter((c) => c >= " " && c < "\x7f" && !"[]^\\&~-".includes(c)).map(
    (c) => `need[${c}]`,
  ),
  tabs: ["need\tle", "need[\t]"],
  classes: [
    "need[a-f]",
    "need[^a-f]",
    "need[]a]",
    "need[^]a]",
    "need[-a]",
    "need[a-]",
    "need[a-c-]",
    "need[ -}]",
    "need[!-/:-@]",
    "need[^\\n]le",
    "need[^\\r\\n]le",
    "need[+*?.()|{}$]le",
    "need[\\]\\[]le",
    "need[A-Za-z0-9_]+le",
    "[kK]need",
    "need[^ -}]le",
  ],
  repeats: [
    "need.*le",
    "need.+le",
    "need.?le",
    "need.{2}",
    "need.{2,}le",
    "need.{1,3}le",
    "need.*?le",
    "need.+?l",
    "need.??le",
    "need{2}",
    "need+l",
    "(?:need)+le",
    "(need|xyz){2}",
    "needx{0}",
    "need.{0,2}$",
  ],
  "groups and alternatives": [
    "(need)le",
    "(?:need).l",
    "need(?:a|b|c)",
    "(a|b)need",
    "need|xyz",
    "(?:need|NEED).le",
    "need()le",
    "a need|need a",
    "^(?:a|x.)need",
    "(need|need.)le",
    "need(?:le|.le)$",
  ],
  "letters of either case": [
    "(?i)need.le",
    "(?i)NEED[a-f]",
    "(?i)need[^A-F]",
    "(?i)knee",
    "(?i)need\\wle",
    "(?i)need|knee",
    "(?i)need[k-s]",
    "(?i)need[^s]",
  ],
};

for (const [name, patterns] of Object.entries(rows)) {
  test(`proven: ${name}`, async () => {
    assert.ok(patterns.length > 0);
    for (const pattern of patterns) {
      const query = ask(pattern);
      assert.notEqual(planQuery(query), null, `${pattern} is decided by the kernel`);
      await sameAsRg(query);
    }
  });
}

test("smart case and either case are ripgrep's", async () => {
  for (const pattern of [
    "need.le",
    "Need.le",
    "need[A-F]",
    "need[a-f]",
    "need\\W",
    "NEED\\w",
    "need",
    "knee",
    "need(?:\\S|A)",
  ]) {
    for (const mode of ["smart", "insensitive"] as const) await sameAsRg(ask(pattern, { case: mode }));
  }
});

test("what is not proven is left to another engine", () => {
  const left = [
    "",
    "\\w+",
    "a*",
    "need\\pL",
    "need\\x41",
    "need(?i:le)",
    "need(?=le)",
    "need\\<",
    "need[[:alpha:]]",
    "need[a&&b]",
    "need[a--b]",
    "need[a~~b]",
    "need\\A",
    "need\\z",
    "need(",
    "need)",
    "need[",
    "need[b-a]",
    "need{",
    "need{2",
    "need{3,2}",
    "need**",
    "*need",
    "need^*",
    "need\\",
    "need\\é",
    "(?<n>need)",
    "(?x)need",
    "need\n",
    "need\\n",
    "need[\\n]",
    "need\\x{212A}",
    "(a|b|)",
    "need(?:a+)+",
    "need(?:a|ab)*c",
    "need(?:a?)+",
    `${".*".repeat(5)}need`,
    "need\x01",
    "need{1001}",
  ];
  for (const pattern of left) assert.equal(planQuery(ask(pattern)), null, pattern);
  for (const query of [
    ask("é", { case: "insensitive" }),
    ask("É", { case: "smart", literal: true }),
    ask("a", { multiline: true }),
    ask("a", { pcre2: true }),
    ask("a", { encoding: "gbk" }),
    ask("a\nb", { literal: true }),
    ask("need\ud800"),
  ]) {
    assert.equal(planQuery(query), null, JSON.stringify(query));
  }
});

const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("need", "le", "K", "ne", " ", "a", "\\.", "-", "_") },
  {
    weight: 3,
    arbitrary: fc.constantFrom(".", "\\w", "\\d", "\\s", "\\W", "\\S", "[a-f]", "[^a-z]", "[k-s]", "[!-/]"),
  },
  { weight: 1, arbitrary: fc.constantFrom("\\b", "\\B", "^", "$") },
);
const sequence = fc
  .array(fc.tuple(piece, fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{1,2}", "+?")), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) =>
    parts
      .map(([p, q]) =>
        /^(?:\\[bB]|[\^$])$/.test(p) ? p : p.length > 1 && !/^[\\[]/.test(p) && q !== "" ? `(?:${p})${q}` : p + q,
      )
      .join(""),
  );
const pattern = fc.oneof(
  fc.tuple(sequence, sequence).map(([a, b]) => `${a}need${b}`),
  fc.tuple(sequence, sequence).map(([a, b]) => `(?:need${a}|le${b})`),
  fc.tuple(sequence, sequence, sequence).map(([a, b, c]) => `${a}(${b}|need)need${c}`),
);

test("generated patterns of the proven part have rg's answer, lines and columns", async (t) => {
  let decided = 0;
  let hits = 0;
  const cases = generatedRuns(t, 150);
  await fc.assert(
    fc.asyncProperty(pattern, fc.constantFrom<CaseMode>("sensitive", "insensitive", "smart"), async (p, mode) => {
      const query = ask(p, { case: mode });
      if (planQuery(query) === null) return;
      decided += 1;
      if ((await sameAsRg(query)) > 0) hits += 1;
    }),
    cases,
  );
  t.diagnostic(`${decided} decided by the kernel, ${hits} with matches`);
  if (cases.numRuns >= 100) assert.ok(decided * 2 > cases.numRuns && hits * 5 > decided);
});

test("lines with other bytes than ASCII are decided where no such byte can be part of a match", async () => {
  const others = ["é", "ſ", "\u212a", "漢", "\u00a0", "\ud83d\ude00"].map((text) => Buffer.from(text));
  const around = [...others, ...[[0xff], [0xc3], [0xe2, 0x84], [0x80]].map((bytes) => Buffer.from(bytes))];
  const lines = around.flatMap((odd) =>
    ["~need", "need~", "ne~ed", "~Aneed~", "A~need", "xneedA~", "~needneed", "A~Aneed"].map((line) =>
      Buffer.concat(line.split(/(~)/).map((part) => (part === "~" ? odd : Buffer.from(part)))),
    ),
  );
  const text = Buffer.concat(lines.flatMap((line) => [line, Buffer.from("\n")]));
  const odd = await makePlace({ t: text });
  for (const pattern of [
    "[A-Z]need",
    "[A-Z]+need",
    "need[A-Z]?$",
    "^need",
    "^[a-z]*need",
    "(?:x|A)need",
    "need{1,2}[A-Z]",
  ])
    assert.ok((await sameAsRgIn(odd, ask(pattern))) > 0, pattern);
  for (const pattern of [".need", "need\\b", "\\w+need", "[^x]need"])
    await assert.rejects(run(engine, odd, ask(pattern)), /another engine/, pattern);
});

test("letters that fold oddly are left to another engine only where a line with one of them may match", async () => {
  const plain = "seek\nSEEK this\nſ and \u212a alone\nthe \u212a of a seeſaw\r\nno\nlast ſ";
  assert.equal(await sameAsRgIn(await makePlace({ t: plain }), ask("seek", { case: "insensitive" })), 2);
  assert.equal(await sameAsRgIn(await makePlace({ t: plain }), ask("s[c-f]ek", { case: "insensitive" })), 2);
  for (const line of ["ſeek", "see\u212a", "xSEEkſ", "\u00e9 ſEE\u212a"])
    for (const text of [`${plain}\n${line}`, `${line}\n${plain}`, `seek\n${line}\r\nx`])
      await assert.rejects(
        run(engine, await makePlace({ t: text }), ask("seek", { case: "insensitive" })),
        /another engine/,
        JSON.stringify(text),
      );
});
