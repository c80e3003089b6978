// @ts-check
/** The documents of the harness plugin that carry its Config fields and error codes: a page, and its README. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./tree.js";

const README = "packages/dsh-tool-fs-search/README.md";

/** @typedef {typeof import("../../packages/quarry/dist/profiles/dsh/index.js")} Dsh */

/** @returns {Promise<Dsh>} */
function dsh() {
  return import(new URL("../../packages/quarry/dist/profiles/dsh/index.js", import.meta.url).href);
}

/** @returns {Promise<string>} The tables, each below its heading. */
export async function dshTables() {
  const { DSH_ENGINES, DSH_SETTINGS, SEARCH_CODES } = await dsh();
  const engines = Object.entries(DSH_ENGINES).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`);
  const settings = Object.entries(DSH_SETTINGS).map(
    ([name, s]) => `| \`${name}\` | ${s.default.toLocaleString("en-US")} | ${s.unit} | ${s.meaning} |`,
  );
  const codes = Object.entries(SEARCH_CODES).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
  return [
    "## Config",
    "",
    "Every field has a default, and is a positive integer but for `engine`. A wrong or unknown one fails the load.",
    "",
    "| Field | Default | Unit | What it is |",
    "| --- | --- | --- | --- |",
    ...settings,
    `| \`engine\` | ${Object.keys(DSH_ENGINES)[0]} | | Who finds; of the plugin alone. |`,
    "",
    "| `engine` | Who finds |",
    "| --- | --- |",
    ...engines,
    "",
    "## Errors",
    "",
    "A search that has no answer is a `SearchError`, a `HarnessError` of this package, with one of these codes. Wrong arguments are the",
    "registry's own `INVALID_ARGS`. Nothing found is a success.",
    "",
    "| Code | Meaning |",
    "| --- | --- |",
    ...codes,
  ].join("\n");
}

/** @returns {Promise<string>} */
export async function dshPage() {
  return `# Configuration of the harness plugin\n\nFor \`dsh-tool-fs-search\`, and for the \`dsh\` profile.\n\n${await dshTables()}\n`;
}

/** @returns {Promise<string>} The README as it is, with the tables between its marks made anew. */
export async function dshReadme() {
  const text = readFileSync(join(ROOT, README), "utf8");
  const parts = /^([\s\S]*<!-- tables:begin [^\n]*-->\n)[\s\S]*(\n<!-- tables:end -->[\s\S]*)$/.exec(text);
  if (parts === null) throw new Error(`${README} has lost the marks around its tables`);
  return `${parts[1]}\n${await dshTables()}\n${parts[2]}`;
}

/** @returns {Promise<string>} How answers differ from those of the published plugin: the rows that a test runs in both. */
export async function dshDifferences() {
  /** @type {{ what: string, tool: string, args: unknown, setting: string, ours: string, published: string, why: string }[]} */
  const rows = JSON.parse(readFileSync(join(ROOT, "packages/dsh-tool-fs-search/differences.json"), "utf8"));
  const lines = rows.map(({ ours, published, ...row }) => differenceRow(row, ours, published));
  /** @type {{ what: string, tool: string, args: unknown, setting: string, bash: string, auto: string, why: string }[]} */
  const inProcess = JSON.parse(readFileSync(join(ROOT, "packages/dsh-tool-fs-search/differences-auto.json"), "utf8"));
  return [
    "# Beside the published plugin",
    "",
    "`@deepseek-ai/dsh-tool-fs-search` 0.1.0-rc.8 (with `sampleOverCapGlobResults: false`) and this package, in one process over the same",
    "tree and the same ripgrep 15. Complete results are the same. What differs:",
    "",
    "- **Order of grep.** Here by path, then line, the same in every run. There as ripgrep's threads finish: a page differs from run to run.",
    "- **Order of glob.** Files of equal age here by path; there as the file system lists them.",
    "- **Where the search runs.** Here through the harness' bash service, with the ripgrep that it finds; there as a process of the harness,",
    "  with a packaged ripgrep.",
    "",
    "Texts, as a model reads them (a test runs each row in both, in the settings that make the difference show):",
    "",
    "| What | Call | Here | There | Why |",
    "| --- | --- | --- | --- | --- |",
    ...lines,
    "",
    "# With `engine: auto`",
    "",
    "The same questions as with `engine: bash` and ripgrep 15 have the same answers, but for these (a test runs each row with both; another",
    "puts generated questions about generated trees to both). An overflow speaks of what it counted. Where the working directory is not",
    "there, either says so in its own words.",
    "",
    "| What | Call | `engine: bash` | `engine: auto` | Why |",
    "| --- | --- | --- | --- | --- |",
    ...inProcess.map(({ bash, auto, ...row }) => differenceRow(row, bash, auto)),
    "",
  ].join("\n");
}

/**
 * @param {{ what: string, tool: string, args: unknown, why: string }} row
 * @param {string} one
 * @param {string} other
 */
function differenceRow({ what, tool, args, why }, one, other) {
  const call = `${tool}(${JSON.stringify(args)})`;
  const cells = [what, `\`${call}\``, `\`${JSON.stringify(one)}\``, `\`${JSON.stringify(other)}\``, why];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
