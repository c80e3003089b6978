#!/usr/bin/env node
// @ts-check
/**
 * Whole calls of Quarry beside ripgrep on the same tree, in interleaved rounds, with result counts beside times.
 *
 *     node bench/run.js [--corpus <folder>] [--rounds N] [--only <text>] [--quick]
 *
 * The denominator is rg writing into a pipe that is read. `--quick` shows that the bench works: a small tree, few rounds,
 * nothing saved. Otherwise the results go to `bench/results/<date>/`. The corpus must lie outside any git work tree.
 */
import { existsSync, rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { CASES } from "./lib/cases.js";
import { machine } from "./lib/machine.js";
import { peakOf } from "./lib/memory.js";
import { measure } from "./lib/pairs.js";
import { saveReport, table } from "./lib/report.js";
import { makeSample } from "./lib/sample.js";

const { values: options } = parseArgs({
  options: {
    corpus: { type: "string" },
    rounds: { type: "string" },
    only: { type: "string", default: "" },
    quick: { type: "boolean", default: false },
  },
});
const corpus =
  options.corpus ??
  (options.quick ? makeSample() : (process.env["QUARRY_LINUX_SOURCE"] ?? "/usr/src/linux-source-6.1"));
const rounds = Number(options.rounds ?? (options.quick ? 3 : 11));
if (!existsSync(corpus))
  fail("the corpus is not there: apt-get install linux-source-6.1 and unpack it to /usr/src, or give --corpus");
if (!Number.isInteger(rounds) || rounds < 1) fail("--rounds takes a whole number from 1");

const stop = new AbortController();
process.once("SIGINT", () => stop.abort(new Error("stopped")));
process.once("SIGTERM", () => stop.abort(new Error("stopped")));

/** @type {import("./lib/report.js").CaseResult[]} */
const results = [];
try {
  for (const one of CASES.filter((c) => c.title.includes(options.only ?? ""))) {
    const subjects = await one.subjects(corpus, stop.signal);
    const timed = await measure(subjects, {
      rounds,
      signal: stop.signal,
      onRound: (round) => progress(`${one.title}: round ${round} of ${rounds}`),
    });
    /** @type {Record<string, number | null>} */
    const peaks = {};
    for (const subject of subjects) {
      progress(`${one.title}: memory of ${subject.name}`);
      if (subject.command !== undefined) peaks[subject.name] = await peakOf(subject.command, stop.signal);
    }
    progress("");
    results.push({ title: one.title, subjects: timed.map((t) => ({ ...t, peakBytes: peaks[t.name] ?? null })) });
    console.log(table(results.slice(-1)));
  }
} catch (error) {
  progress("");
  if (!stop.signal.aborted) throw error;
  console.error("stopped; nothing was saved");
  process.exitCode = 130;
} finally {
  if (options.quick && options.corpus === undefined) rmSync(corpus, { recursive: true, force: true });
}
if (stop.signal.aborted) process.exit();

const different = results.filter((r) => new Set(r.subjects.filter((s) => !s.partial).map((s) => s.count)).size > 1);
for (const r of different) console.error(`${r.title}: the counts differ`);
if (!options.quick) console.log(`saved ${saveReport({ ...machine(corpus), rounds, results })}`);
if (different.length > 0) process.exitCode = 1;

/** @param {string} text */
function progress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

/**
 * @param {string} why
 * @returns {never}
 */
function fail(why) {
  console.error(why);
  process.exit(2);
}
