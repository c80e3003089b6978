import assert from "node:assert/strict";
import fs from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { KernelEngine } from "#src/engines/kernel/engine.js";
import { RipgrepEngine } from "#src/engines/ripgrep/engine.js";
import { WasmEngine } from "#src/engines/wasm/engine.js";
import type { RelPath } from "#src/paths/path.js";
import type { LineQuery } from "#src/search/query.js";
import { walk } from "#src/walk/walker.js";
import { generatedRuns } from "../support/cases.js";
import { linuxSource, NO_LINUX_SOURCE } from "../support/corpus.js";
import { PACKAGE } from "../support/tour.js";
import { IndexedEngine } from "./indexed.js";
import { ask, openPlace, run, type Place } from "./place.js";

const wasm = new WasmEngine();
const index = new IndexedEngine(wasm);
const OTHERS = { kernel: new KernelEngine({ fallback: wasm }), index, wasm };
const ripgrep = new RipgrepEngine();

const linux = linuxSource();

/** Real text: in these folders people ask such questions. */
const TREES: Readonly<Record<string, string | null>> = {
  "this project": join(PACKAGE, "src"),
  "a foreign package": join(PACKAGE, "../../node_modules/@types/node"),
  "a part of Linux": linux === null ? null : join(linux, "net/ipv4"),
};

/** Numbers from a seed, as `random-writer.ts` has them. */
function randomOf(seed: number): (n: number) => number {
  let state = seed >>> 0;
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * n);
  };
}

async function placeOf(root: string): Promise<Place> {
  const empty = await openPlace(fs.realpathSync(root), []);
  const all = { include: [], exclude: [], types: [], includeIgnored: true, maxFileBytes: 0 };
  const files: RelPath[] = [];
  const walked = walk({ targets: [empty.target], ...all }, new AbortController().signal);
  for await (const batch of walked.batches(1_000)) files.push(...batch.files);
  return { ...empty, files };
}

const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/** A question whose answer is likely to be in the tree, or just beside it. */
function question(place: Place, random: (n: number) => number): LineQuery {
  const some = (): string => {
    for (;;) {
      const text = fs.readFileSync(join(place.root, place.files[random(place.files.length)] as string), "utf8");
      const lines = text.split(/\r?\n/).filter((line) => line.trim().length > 3 && !line.includes("\ufffd"));
      const line = lines[random(lines.length)];
      if (line === undefined) continue;
      const from = random(Math.max(1, line.length - 3));
      const found = line.slice(from, from + 3 + random(14));
      if (found.trim() !== "") return found;
    }
  };
  const text = some();
  const insensitive = random(4) === 0 ? ({ case: "insensitive" } as const) : {};
  const forms: readonly (() => LineQuery)[] = [
    () => ask(text, { literal: true, ...insensitive }),
    () => ask(escape(text), insensitive),
    () => ask(`${escape(text)}|${escape(some())}`, insensitive),
    () => ask(`\\b${escape(/\w+/.exec(text)?.[0] ?? "int")}\\b`, insensitive),
    () => ask(escape(text).replace(/ +/g, "\\s+").replace(/\d+/g, "\\d+"), insensitive),
    () => ask(`${escape(text.slice(0, 3))}.*${escape(text.slice(-3))}`, insensitive),
    () => ask(`^\\s*${escape(text.trim())}`),
    () => ask(`${escape(text)}$`),
    () => ask(`[A-Z]+_${escape(text.trim().slice(0, 4))}`, insensitive),
    () => ask(`${text.trim()}zq`, { literal: true }),
  ];
  return (forms[random(forms.length)] as () => LineQuery)();
}

for (const [what, root] of Object.entries(TREES)) {
  test(
    `generated questions about ${what} have ripgrep's answer from every engine`,
    {
      skip: root === null && NO_LINUX_SOURCE,
    },
    async (t) => {
      const { numRuns, seed } = generatedRuns(t, 100);
      const place = await placeOf(root as string);
      const random = randomOf(seed);
      let withLines = 0;
      for (let i = 0; i < numRuns; i++) {
        const query = question(place, random);
        const expected = await run(ripgrep, place, query);
        if (expected.found.length > 0) withLines += 1;
        for (const [name, engine] of Object.entries(OTHERS)) {
          const { found, report } = await run(engine, place, query);
          const about = `${name}, seed ${seed}, question ${i}: ${JSON.stringify(query)}`;
          assert.deepEqual(found, expected.found, about);
          assert.equal(report.incomplete, expected.report.incomplete, about);
        }
      }
      if (numRuns >= 50) assert.ok(withLines * 4 > numRuns, `${withLines} of ${numRuns} questions found something`);
      t.diagnostic(`${numRuns} questions, ${withLines} with matches, about ${place.files.length} files: 0 differences`);
    },
  );
}

after(() => assert.ok(index.answered > 0));
