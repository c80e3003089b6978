#!/usr/bin/env node
// @ts-check
/**
 * Quarry by its engines, ripgrep and other peers, over corpora of three sizes, in interleaved rounds, with result counts beside times.
 *
 *     node bench/run.js [--size small,middle,whole] [--part build,start,memory,warm,change] [--only <text>]
 *                       [--corpus <folder>] [--rounds N] [--save] [--quick]
 *
 * What is measured and how: bench/README.md. Results of a whole run go to `bench/results/<date>/`, those of a part of it with `--save`.
 * `--quick` is for the check: few rounds and questions, nothing saved, and it fails where Quarry is slower beside ripgrep than it may be.
 */
import { setMaxListeners } from "node:events";
import { existsSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { tooSlow } from "./lib/asked.js";
import { makePlace, Scratch } from "./lib/corpus.js";
import { machine } from "./lib/machine.js";
import { Opened } from "./lib/opened.js";
import { buildIndexes, measureBuild } from "./lib/parts/build.js";
import { measureChange } from "./lib/parts/change.js";
import { measureMemory } from "./lib/parts/memory.js";
import { measureStart } from "./lib/parts/start.js";
import { measureWarm } from "./lib/parts/warm.js";
import { QUESTIONS, QUICK, titleOf } from "./lib/questions.js";
import { askedTable, saveReport, table } from "./lib/report.js";

const SIZES = /** @type {const} */ (["small", "middle", "whole"]);
const PARTS = /** @type {const} */ (["build", "start", "memory", "warm", "change"]);

const { values: options } = parseArgs({
  options: {
    corpus: { type: "string" },
    size: { type: "string" },
    part: { type: "string" },
    rounds: { type: "string" },
    only: { type: "string", default: "" },
    save: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
  },
});
const { quick, only } = options;
const linux = process.env["QUARRY_LINUX_SOURCE"] ?? "/usr/src/linux-source-6.1";
const source = options.corpus ?? linux;
const rounds = Number(options.rounds ?? (quick ? 3 : 11));
if (options.corpus !== undefined && !existsSync(source)) fail("--corpus names nothing that is there");
if (!Number.isInteger(rounds) || rounds < 1) fail("--rounds takes a whole number from 1");
const hasLinux = existsSync(linux);
const chosen = chosenOf("--size", options.size, SIZES, quick ? ["small", "middle"] : SIZES);
const sizes = options.corpus === undefined ? chosen.filter((size) => size !== "whole" || hasLinux) : ["given"];
const parts = chosenOf("--part", options.part, PARTS, quick ? ["build", "start", "warm", "change"] : PARTS);
const questions = (quick ? QUICK : QUESTIONS).filter((question) => titleOf(question).includes(only));
if (options.corpus === undefined && !hasLinux)
  console.error(
    "only made files: the Linux source is not there (apt-get install linux-source-6.1, unpacked in /usr/src)",
  );

const stop = new AbortController();
process.once("SIGINT", () => stop.abort(new Error("stopped")));
process.once("SIGTERM", () => stop.abort(new Error("stopped")));
const { signal } = stop;
// Everything that runs listens to it.
setMaxListeners(0, signal);

const scratch = new Scratch();
// Also for the library in this process: nothing comes from the user's own cache or goes there.
process.env["QUARRY_CACHE_DIR"] = scratch.folder("cache");

/** @type {import("./lib/report.js").Report} */
const report = { machine: machine(), rounds, corpora: [], missing: [], results: [] };
/** @type {import("./lib/parts/part.js").Run} */
const run = {
  rounds,
  quick,
  once: false,
  questions,
  signal,
  progress,
  done: (result) => {
    report.results.push(result);
    progress("");
    console.log(`\n${result.size}, ${result.part}: ${table(result)}`);
  },
};

try {
  for (const size of sizes) {
    progress(`${size}: making the corpus`);
    await measureSize(
      await makePlace(scratch, /** @type {import("./lib/corpus.js").SizeName} */ (size), source, signal),
    );
  }
} catch (error) {
  progress("");
  // Ctrl-C reaches the programs that are measured too: their end may be heard of before the signal is.
  await wait(100);
  if (!signal.aborted) throw error;
} finally {
  scratch.remove();
}
if (signal.aborted) {
  console.error("stopped; nothing was saved");
  process.exit(130);
}

const faults = report.results.flatMap(({ size, title, rows }) => {
  const counts = new Set(rows.filter(({ partial }) => !partial).map(({ count }) => count));
  return counts.size > 1 ? [`${size}, ${title}: the counts differ: ${[...counts].join(", ")}`] : [];
});
if (quick) faults.push(...tooSlow(report.results));
console.log(askedTable(report));
for (const fault of faults) console.error(fault);
const isPart = [options.corpus, options.size, options.part].some((one) => one !== undefined) || only !== "";
if (options.save || (!quick && !isPart)) console.log(`saved ${saveReport(report)}`);
process.exit(faults.length > 0 ? 1 : 0);

/** @param {import("./lib/corpus.js").Place} place */
async function measureSize(place) {
  const { size, files, bytes, what } = place;
  // A short run asks everybody once over the small corpus, and over a larger one those for whom there is a floor.
  const lean = quick && size !== "small";
  run.once = quick && !lean;
  run.rounds = run.once ? 1 : rounds;
  const chosen = parts.filter((part) => !lean || part === "warm" || part === "change");
  report.corpora.push({ size, files, bytes, what });
  process.env["QUARRY_CACHE_DIR"] = place.cache;
  const opened = new Opened(place, signal, lean);
  try {
    // They are opened late, so that the earlier parts see a quiet machine; whether they can be is known by then.
    const has = await opened.probe();
    if (chosen.includes("build")) await measureBuild(place, run, has.fff);
    else await buildIndexes(place, run);
    if (chosen.includes("start")) await measureStart(place, run, has);
    if (chosen.includes("memory")) await measureMemory(place, run, has);
    if (chosen.includes("warm") || chosen.includes("change")) {
      progress(`${size}: opening everybody`);
      await opened.open(has);
      if (chosen.includes("warm")) await measureWarm(place, run, opened);
      if (chosen.includes("change")) await measureChange(place, run, opened);
    }
  } finally {
    if (!lean) report.missing = opened.missing;
    await opened.close();
  }
}

/**
 * @template {string} T
 * @param {string} option @param {string | undefined} given @param {readonly T[]} all @param {readonly T[]} usual
 * @returns {readonly T[]}
 */
function chosenOf(option, given, all, usual) {
  if (given === undefined) return usual;
  const names = given.split(",");
  const unknown = names.filter((name) => !all.some((one) => one === name));
  if (unknown.length > 0) fail(`${option} takes ${all.join(", ")}, with commas between`);
  return all.filter((one) => names.includes(one));
}

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
