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
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { machine } from "./lib/machine.js";
import { measure } from "./lib/pairs.js";
import { peakOf } from "./lib/memory.js";
import { ripgrep } from "./lib/places.js";

const { values: options } = parseArgs({
  options: {
    corpus: { type: "string" },
    rounds: { type: "string", default: "9" },
    /** A plugin and a question to be asked once: for the measuring of memory. */
    once: { type: "string" },
  },
});
const corpus = options.corpus ?? process.env["QUARRY_LINUX_SOURCE"] ?? "/usr/src/linux-source-6.1";
process.env["PATH"] = `${dirname(await ripgrep())}:${process.env["PATH"] ?? ""}`;

/** @typedef {"published" | "quarry"} PluginName */

/** @type {readonly { tool: "glob" | "grep", args: Record<string, string> }[]} */
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

/**
 * @param {PluginName} name
 * @returns {Promise<(question: typeof QUESTIONS[number]) => Promise<number>>} Asks, and says how much was found.
 */
async function load(name) {
  const { Context } = await import("@deepseek-ai/cordis");
  /** @param {string} specifier */
  const plugin = async (specifier) => {
    const exports = await import(specifier);
    return exports.default ?? exports;
  };
  const ctx = new Context();
  await ctx.plugin(await plugin("@deepseek-ai/dsh-system-prompt"));
  await ctx.plugin(await plugin("@deepseek-ai/dsh-tools"));
  await ctx.plugin(await plugin("@deepseek-ai/dsh-subprocess-local"));
  await ctx.plugin(await plugin("@deepseek-ai/dsh-bash-local"), { cwd: corpus });
  if (name === "quarry") await ctx.plugin(await plugin("dsh-tool-fs-search"));
  else await ctx.plugin(await plugin("@deepseek-ai/dsh-tool-fs-search"), { sampleOverCapGlobResults: false });
  const agent = { session: { header: { cwd: corpus } } };
  return async ({ tool, args }) => {
    const { signal } = new AbortController();
    const call = { callId: "bench", name: tool, arguments: args, signal, agent };
    const result = await /** @type {any} */ (ctx).tools.execute(call);
    if (result.isError) throw new Error(result.content[0].text);
    return (result.value.paths ?? result.value.matches).length;
  };
}

if (options.once !== undefined) {
  const [name, at] = options.once.split(":");
  const ask = await load(/** @type {PluginName} */ (name));
  await ask(/** @type {typeof QUESTIONS[number]} */ (QUESTIONS[Number(at)]));
  process.exit(0);
}

const published = await load("published");
const quarry = await load("quarry");
const { signal } = new AbortController();
const facts = machine(corpus);
console.log("# The harness plugin beside the published one\n");
console.log(
  `${facts.date}, ${facts.commit}, ${facts.ripgrep}, Node ${facts.node}, ${facts.cpu}, ${facts.cores} cores, ${facts.corpus}.`,
);
console.log(
  `${options.rounds} interleaved rounds after one to warm up; load average at the start ${loadavg()[0]?.toFixed(1)}.\n`,
);
console.log(
  "| call | results | published, ms | time, ratio (quartiles) | memory, ratio |\n| --- | --- | --- | --- | --- |",
);
for (const [at, question] of QUESTIONS.entries()) {
  const subjects = [
    { name: "published", run: () => published(question) },
    { name: "quarry", run: () => quarry(question) },
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

/** @param {PluginName} name @param {number} at */
function peak(name, at) {
  const args = [fileURLToPath(import.meta.url), "--corpus", corpus, "--once", `${name}:${at}`];
  return peakOf({ file: process.execPath, args, cwd: corpus }, signal);
}
