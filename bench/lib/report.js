// @ts-check
/** The results as JSON for programs and as tables for people. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "./places.js";

/**
 * @typedef {{ title: string, subjects: (import("./pairs.js").Timed & { peakBytes: number | null })[] }} CaseResult
 * @typedef {ReturnType<typeof import("./machine.js").machine> & { rounds: number, results: CaseResult[] }} Report
 */

/**
 * @param {readonly CaseResult[]} results
 * @returns {string} Markdown.
 */
export function table(results) {
  const rows = results.flatMap(({ title, subjects }) =>
    subjects.map(({ name, count, ms, ratio, peakBytes }, at) => [
      at === 0 ? `\`${title.replaceAll("|", "\\|")}\`` : "",
      name,
      count.toLocaleString("en-US"),
      `${ms.median.toFixed(0)} (${ms.q1.toFixed(0)} to ${ms.q3.toFixed(0)})`,
      `${ratio.median.toFixed(2)} (${ratio.q1.toFixed(2)} to ${ratio.q3.toFixed(2)})`,
      peakBytes === null ? "" : `${(peakBytes / 2 ** 20).toFixed(0)}`,
    ]),
  );
  const head = ["Question", "Who", "Results", "ms: median (quartiles)", "Times the first", "Peak MiB, with children"];
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

/**
 * @param {Report} report
 * @returns {string} The folder, relative to the repository.
 */
export function saveReport(report) {
  const folder = join("bench/results", report.date);
  mkdirSync(join(REPOSITORY, folder), { recursive: true });
  writeFileSync(join(REPOSITORY, folder, "results.json"), `${JSON.stringify(report, null, 2)}\n`);
  const facts = [
    `${report.rounds} interleaved rounds after one to warm up; page cache warm; rg read through a pipe.`,
    `Quarry ${report.quarry} (${report.commit}${report.changed ? ", changed" : ""}), ${report.ripgrep}, Node ${report.node}, ${report.system}.`,
    `${report.cpu}, ${report.cores} cores, ${report.memoryGiB} GiB. Corpus: ${report.corpus}.`,
  ];
  writeFileSync(
    join(REPOSITORY, folder, "README.md"),
    `# Quarry beside ripgrep, ${report.date}\n\n${facts.join("\n")}\n\n${table(report.results)}\n`,
  );
  return folder;
}
