// @ts-check
/** What is asked of the largest corpus, and of every quick run, beside what was measured. */
import { QUESTIONS, titleOf } from "./questions.js";

/** @typedef {import("./parts/part.js").PartResult} PartResult */
/** @typedef {{ what: string, asked: string, measured: string, more: string, met: boolean }} Asked */

const SUBJECT = "Quarry index, MCP";
const BUILD_RG_RUNS = 12;
const INDEX_SHARE = 0.12;
const CHANGE_MS = 5;
const SERVER_BYTES = 400e6;

/**
 * @param {readonly PartResult[]} results
 * @param {number} bytes Size of the whole corpus.
 * @returns {Asked[]} Nothing where the whole corpus was not measured.
 */
export function compareWithAsked(results, bytes) {
  /** @param {string} part @param {string} title @param {string} name */
  const find = (part, title, name) =>
    results
      .find((r) => r.size === "whole" && r.part === part && r.title === title)
      ?.rows.find((one) => one.name === name);
  /** @type {Asked[]} */
  const asked = [];
  for (const question of QUESTIONS) {
    const own = find("warm", titleOf(question), SUBJECT);
    if (own === undefined || question.asked === undefined) continue;
    const times = 1 / own.ratio.median;
    const json = find("warm", titleOf(question), "rg --json");
    const { rg, fff } = question.asked;
    asked.push({
      what: `\`${titleOf(question).replaceAll("|", "\\|")}\`, times faster than rg`,
      asked: `${rg}`,
      measured: round(times),
      more: json === undefined ? "" : `than \`rg --json\`: ${round(json.ms.median / own.ms.median)}`,
      met: times >= rg,
    });
    const peer = find("warm", titleOf(question), "fff");
    if (fff === undefined || peer === undefined) continue;
    const than = peer.ms.median / own.ms.median;
    const what = `\`${titleOf(question).replaceAll("|", "\\|")}\`, times faster than fff`;
    asked.push({ what, asked: `${fff}`, measured: round(than), more: "", met: than >= fff });
  }
  /** @param {string} what @param {number | undefined} value @param {number} most @param {(value: number) => string} show */
  const atMost = (what, value, most, show) => {
    if (value === undefined) return;
    asked.push({ what, asked: `at most ${show(most)}`, measured: show(value), more: "", met: value <= most });
  };
  const build = find("build", "an index, from nothing", "quarry index build");
  atMost("index built, in rg runs", build?.ratio.median, BUILD_RG_RUNS, round);
  const share = build?.diskBytes === undefined ? undefined : build.diskBytes / bytes;
  atMost("index, share of the corpus", share, INDEX_SHARE, (value) => `${(value * 100).toFixed(1)}%`);
  const changed = find("change", "after one write", SUBJECT);
  atMost("a changed file found, the whole call", changed?.ms.median, CHANGE_MS, (value) => `${round(value)} ms`);
  const mb = (/** @type {number} */ value) => `${(value / 1e6).toFixed(0)} MB`;
  for (const name of [SUBJECT, "Quarry auto, MCP, while it makes its index"])
    atMost(`memory: ${name}`, find("memory", "all questions in turn", name)?.peakBytes, SERVER_BYTES, mb);
  return asked;
}

/**
 * How many times faster than rg a quick run must be on the middle corpus, at least: a third or less of what a busy machine shows, so that noise does not fail
 * it; but an index that is not used, or a call that starts what it need not start, does.
 * @type {readonly { part: string, title: string, name: string, least: number }[]}
 */
const FLOORS = [
  { part: "warm", title: "grep zzz_no_such_symbol", name: "Quarry index, MCP", least: 3 },
  { part: "warm", title: "grep zzz_no_such_symbol", name: "Quarry kernel, MCP", least: 0.2 },
  { part: "warm", title: "grep kmalloc_array", name: "Quarry index, MCP", least: 0.7 },
  { part: "warm", title: "grep kmalloc_array", name: "Quarry kernel, library", least: 0.25 },
  { part: "warm", title: "grep TODO|FIXME", name: "Quarry index, MCP", least: 0.25 },
  { part: "warm", title: "glob **/*.h", name: "Quarry index, MCP", least: 0.3 },
  { part: "change", title: "after one write", name: "Quarry index, MCP", least: 0.6 },
];

/**
 * @param {readonly PartResult[]} results Of a quick run.
 * @returns {string[]} What is too slow beside ripgrep; counted by the better quartile, since a busy machine only ever slows.
 */
export function tooSlow(results) {
  return FLOORS.flatMap(({ part, title, name, least }) => {
    const result = results.find((r) => r.size === "middle" && r.part === part && r.title === title);
    const row = result?.rows.find((one) => one.name === name);
    if (row === undefined || 1 / row.ratio.q1 >= least) return [];
    return [`${title}: ${name} is ${round(1 / row.ratio.q1)} times as fast as rg; at least ${least} is asked`];
  });
}

/** @param {number} value */
export function round(value) {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
