// @ts-check
/** The results as JSON for programs, as tables and pictures for people. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compareWithAsked, round } from "./asked.js";
import { picturesOf } from "./pictures.js";
import { REPOSITORY } from "./places.js";

/** @typedef {import("./parts/part.js").PartResult} PartResult */
/** @typedef {import("./parts/part.js").Row} Row */
/** @typedef {import("./opened.js").Missing} Missing */
/**
 * @typedef {object} Report
 * @property {ReturnType<typeof import("./machine.js").machine>} machine
 * @property {number} rounds
 * @property {Pick<import("./corpus.js").Place, "size" | "files" | "bytes" | "what">[]} corpora
 * @property {Missing[]} missing
 * @property {PartResult[]} results
 */

/** @type {Record<import("./parts/part.js").PartName, string>} */
const PARTS = {
  warm: "Warm calls",
  start: "Start: a new process to its first answer",
  build: "Building an index",
  change: "After writes: the call that must show them",
  memory: "Memory",
};

/** @param {import("./pairs.js").Spread} s @param {(value: number) => string} show */
const shown = ({ median, q1, q3 }, show) => `${show(median)} (${show(q1)} to ${show(q3)})`;
/** @param {number} bytes */
const mib = (bytes) => `${(bytes / 2 ** 20).toFixed(0)}`;

/** Characters of a peer's reason that are shown. */
const REASON = 60;

/** @typedef {{ head: string, cell: (row: Row, first: Row | undefined) => string }} Column */

/** A column is left out where it has nothing to say. @type {readonly Column[]} */
const COLUMNS = [
  { head: "Who", cell: ({ name }) => name },
  {
    head: "Results",
    cell: ({ count, partial, refused }, first) =>
      refused !== undefined
        ? `no answer: ${refused.slice(0, REASON).replaceAll("|", "\\|")}`
        : count < 0
          ? ""
          : `${count.toLocaleString("en-US")}${partial && count !== first?.count ? " *" : ""}`,
  },
  { head: "ms: median (q1 to q3)", cell: ({ ms }) => (Number.isNaN(ms.median) ? "" : shown(ms, round)) },
  {
    head: "Times as fast as the first",
    cell: ({ ratio: { median, q1, q3 } }) =>
      Number.isNaN(median) ? "" : shown({ median: 1 / median, q1: 1 / q3, q3: 1 / q1 }, round),
  },
  {
    head: "The first call after the others, ms",
    cell: ({ more }) => (more["afterOthers"] ? shown(more["afterOthers"], round) : ""),
  },
  { head: "Its first call alone, ms", cell: ({ more }) => (more["firstCall"] ? shown(more["firstCall"], round) : "") },
  { head: "Rounds", cell: ({ times }) => (times.length === 0 ? "" : String(times.length)) },
  { head: "On disk, MiB", cell: ({ diskBytes }) => (diskBytes === undefined ? "" : mib(diskBytes)) },
  { head: "Peak MiB, with children", cell: ({ peakBytes }) => (peakBytes === undefined ? "" : mib(peakBytes)) },
];

/**
 * @param {PartResult} result
 * @returns {string} Markdown.
 */
export function table({ title, rows }) {
  const cells = COLUMNS.map(({ head, cell }) => ({ head, cells: rows.map((row) => cell(row, rows[0])) }));
  const used = cells.filter(({ cells: some }) => some.some((text) => text !== ""));
  const lines = [
    used.map(({ head }) => head),
    used.map((_, at) => (at === 0 ? "---" : "---:")),
    ...rows.map((_, at) => used.map((column) => column.cells[at] ?? "")),
  ];
  return `\`${title}\`\n\n${lines.map((line) => `| ${line.join(" | ")} |`).join("\n")}\n`;
}

/** @param {Report} report */
export function askedTable({ results, corpora }) {
  const whole = corpora.find(({ size }) => size === "whole");
  const asked = whole === undefined ? [] : compareWithAsked(results, whole.bytes);
  if (asked.length === 0) return "";
  const rows = asked.map(
    (one) => `| ${one.what} | ${one.asked} | ${one.measured} | ${one.met ? "yes" : "**no**"} | ${one.more} |`,
  );
  return `| On the whole Linux source | Asked | Measured | Met | |\n| --- | ---: | ---: | --- | --- |\n${rows.join("\n")}\n`;
}

/**
 * @param {Report} report
 * @returns {string} The folder, relative to the repository.
 */
export function saveReport(report) {
  const { machine, corpora, missing, results } = report;
  const folder = join("bench/results", machine.date);
  const save = (/** @type {string} */ name, /** @type {string} */ text) =>
    writeFileSync(join(REPOSITORY, folder, name), text);
  mkdirSync(join(REPOSITORY, folder), { recursive: true });
  save("results.json", `${JSON.stringify(report, null, 1)}\n`);
  const pictures = picturesOf(results);
  for (const { name, svg } of pictures) save(name, svg);
  const { peers } = machine;
  const facts = [
    `- Machine: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.system}; load average at the start ${machine.load}.`,
    `- Quarry ${machine.quarry} (${machine.commit}${machine.changed ? ", changed" : ""}), ${machine.ripgrep}, Node ${machine.node}.`,
    `- Peers: ${Object.entries(peers)
      .map(([name, version]) => `${name} ${version}`)
      .join(", ")}.`,
    ...missing.map(({ name, why }) => `- Not measured: ${name}: ${why}.`),
    ...corpora.map(
      (c) => `- ${c.size}: ${c.what}, ${c.files.toLocaleString("en-US")} files, ${(c.bytes / 1e6).toFixed(1)} MB.`,
    ),
    `- ${report.rounds} interleaved rounds after one to warm up, fewer for what takes long; page cache warm; rg read through a pipe.`,
    "- MCP: whole tool calls of a client over stdio, second look and artifact included. How it is measured: [bench/README.md](../../README.md).",
    "- An asterisk: another count than rg, by rules of its own or as a page alone.",
  ];
  const sections = corpora.flatMap(({ size }) => [
    `## ${size}\n`,
    ...Object.entries(PARTS).flatMap(([part, heading]) => {
      const some = results.filter((r) => r.size === size && r.part === part);
      const shownHere = pictures.filter((picture) => picture.size === size && picture.part === part);
      if (some.length === 0) return [];
      return [
        `### ${size}: ${heading}\n`,
        ...shownHere.map(({ name }) => `![${size}: ${heading}](${name})\n`),
        ...some.map(table),
      ];
    }),
  ]);
  const asked = askedTable(report);
  const parts = [`# Quarry beside its peers, ${machine.date}\n`, `${facts.join("\n")}\n`, asked, ...sections];
  save("README.md", parts.filter((part) => part !== "").join("\n"));
  return folder;
}
