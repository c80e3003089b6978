#!/usr/bin/env node
// @ts-check
/**
 * The harness plugin beside the published one, in one process, over the same tree and the same ripgrep: whole tool calls through
 * the real registry, in interleaved rounds. Memory is of a process of its own for each, children included.
 *
 *     node bench/dsh-plugin.js [--corpus <folder>] [--rounds N]
 *
 * Prints a table of ratios: 1.00 is the published plugin. The last one is kept in `bench/results/dsh-plugin.md`.
 */
import { loadavg } from "node:os";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { loadHarness } from "./lib/harness.js";
import { machine } from "./lib/machine.js";
import { measure } from "./lib/pairs.js";
import { peakOf } from "./lib/memory.js";

const { values: options } = parseArgs({
  options: {
    corpus: { type: "string" },
    rounds: { type: "string", default: "9" },
    /** A plugin and a question to be asked once: for the measuring of memory. */
    once: { type: "string" },
  },
});
const corpus = options.corpus ?? process.env["QUARRY_LINUX_SOURCE"] ?? "/usr/src/linux-source-6.1";

/** @type {readonly import("./lib/harness.js").HarnessQuestion[]} */
const QUESTIONS = [
  { tool: "glob", args: { pattern: "Makefile" } },
  { tool: "glob", args: { pattern: "*.c" } },
  { tool: "glob", args: { pattern: "*" } },
  { tool: "grep", args: { pattern: "zzz_no_such_symbol" } },
  { tool: "grep", args: { pattern: "EXPORT_SYMBOL_GPL\\(tcp_sendmsg" } },
  { tool: "grep", args: { pattern: "kmalloc_array" } },
  { tool: "grep", args: { pattern: "TODO|FIXME" } },
  { tool: "grep", args: { pattern: "\\bmutex_lock\\b" } },
];

if (options.once !== undefined) {
  const [name, at] = options.once.split(":");
  const ask = await loadHarness(/** @type {import("./lib/harness.js").PluginName} */ (name), corpus);
  await ask(/** @type {typeof QUESTIONS[number]} */ (QUESTIONS[Number(at)]), new AbortController().signal);
  process.exit(0);
}

const published = await loadHarness("published", corpus);
const quarry = await loadHarness("quarry", corpus);
const { signal } = new AbortController();
const facts = machine();
console.log("# The harness plugin beside the published one\n");
console.log(
  `${facts.date}, ${facts.commit}, ${facts.ripgrep}, Node ${facts.node}, ${facts.cpu}, ${facts.cores} cores, ${basename(corpus)}.`,
);
console.log(
  `${options.rounds} interleaved rounds after one to warm up; load average at the start ${loadavg()[0]?.toFixed(1)}.\n`,
);
console.log(
  "| call | results | published, ms | time, ratio (quartiles) | memory, ratio |\n| --- | --- | --- | --- | --- |",
);
for (const [at, question] of QUESTIONS.entries()) {
  const subjects = [
    { name: "published", run: () => published(question, signal) },
    { name: "quarry", run: () => quarry(question, signal) },
  ];
  const [theirs, ours] = await measure(subjects, { rounds: Number(options.rounds), signal, onRound: () => {} });
  if (theirs === undefined || ours === undefined || theirs.count !== ours.count) {
    throw new Error(`${question.tool} ${JSON.stringify(question.args)}: ${theirs?.count} and ${ours?.count} results`);
  }
  const [before, after] = [await peak("published", at), await peak("quarry", at)];
  const { q1, median, q3 } = ours.ratio;
  const call = `${question.tool} \`${question.args["pattern"]?.replaceAll("|", "\\|")}\``;
  const memory = before === null || after === null ? "?" : (after / before).toFixed(2);
  console.log(
    `| ${call} | ${ours.count} | ${theirs.ms.median.toFixed(0)} | ${median.toFixed(2)} (${q1.toFixed(2)} to ${q3.toFixed(2)}) | ${memory} |`,
  );
}
process.exit(0);

/** @param {import("./lib/harness.js").PluginName} name @param {number} at */
function peak(name, at) {
  const args = [fileURLToPath(import.meta.url), "--corpus", corpus, "--once", `${name}:${at}`];
  return peakOf({ file: process.execPath, args, cwd: corpus }, signal);
}
