// @ts-check
/** The others: programs and libraries that answer the same questions. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { loadHarness } from "./harness.js";
import { FFF, ripgrep } from "./places.js";

/** @typedef {import("./questions.js").Question} Question */
/** @typedef {import("./processes.js").Command} Command */

/** As Quarry starts it, but for the form of its output. */
const RG = ["--no-config", "--color=never", "--hidden", "--glob=!.git"];
const COLUMNS = ["--crlf", "-n", "--column", "--null", "--no-heading"];

/** The output forms of ripgrep; the first is the denominator. `--json` has lines that are no matches. */
export const RG_FORMS = ["rg -n", "rg --json", "rg --sort=path"];

/**
 * @param {string} form One of `RG_FORMS`.
 * @param {Question} question
 * @param {string} cwd
 * @returns {Promise<Command>}
 */
export async function rgCommand(form, { tool, pattern, anyCase }, cwd) {
  const sorted = form === "rg --sort=path" ? ["--sort=path"] : [];
  const file = await ripgrep();
  if (tool === "glob") return { file, args: [...RG, "--files", `--glob=${pattern}`, ...sorted, "."], cwd };
  const output = form === "rg --json" ? ["--crlf", "--json"] : COLUMNS;
  const fold = anyCase === true ? ["-i"] : [];
  return { file, args: [...RG, ...output, ...sorted, ...fold, "-e", pattern, "--", "."], cwd };
}

/** Everything on one page. */
const ALL = 10_000_000;
const PAGE = 100;
const FFF_READY_MS = 300_000;

/**
 * What is used of `@ff-labs/fff-node`; it is installed apart, so its own types may not be there.
 *
 * @template T
 * @typedef {{ ok: true, value: T } | { ok: false, error: string }} Result
 */
/**
 * @typedef {object} Finder
 * @property {(ms: number) => Promise<Result<boolean>>} waitForScan
 * @property {(ms: number) => Promise<Result<boolean>>} waitForIndexReady
 * @property {(pattern: string, options: object) => Result<{ items: unknown[] }>} glob
 * @property {(pattern: string, options: object) => Result<{ items: unknown[] }>} grep
 * @property {() => void} destroy
 *
 * @typedef {{ isAvailable: () => boolean, create: (options: { basePath: string, aiMode: boolean }) => Result<Finder> }} FinderClass
 */

/** @returns {Promise<FinderClass>} @throws Error where it, or its binary for this system, is not installed. */
export async function loadFff() {
  const main = join(FFF, "dist/src/index.js");
  if (!existsSync(main)) throw new Error("not installed (npm install --prefix bench/peers)");
  const { FileFinder } = await import(pathToFileURL(main).href);
  if (!FileFinder.isAvailable()) throw new Error("no binary for this system");
  return FileFinder;
}

/**
 * `@ff-labs/fff-node` over a folder, in this process.
 * @param {string} root
 * @param {boolean} indexed Wait for its index too, not for its list of files alone.
 */
export async function openFff(root, indexed) {
  const FileFinder = await loadFff();
  const finder = taken(FileFinder.create({ basePath: root, aiMode: true }));
  taken(await finder.waitForScan(FFF_READY_MS));
  if (indexed) taken(await finder.waitForIndexReady(FFF_READY_MS));
  return {
    /** @param {Question} question @param {boolean} page The first 100 alone. @returns {number} Results that it handed over. */
    ask({ tool, pattern, plain, anyCase }, page) {
      const pageSize = page ? PAGE : ALL;
      if (tool === "glob") return taken(finder.glob(pattern, { pageSize })).items.length;
      const found = taken(
        finder.grep(pattern, {
          mode: plain === true ? "plain" : "regex",
          // Its way to any case: a pattern in small letters.
          smartCase: anyCase === true,
          maxMatchesPerFile: 0,
          pageSize,
        }),
      );
      return found.items.length;
    },
    close: () => finder.destroy(),
  };
}

/** @template T @param {Result<T>} result @returns {T} */
function taken(result) {
  if (!result.ok) throw new Error(`fff: ${result.error}`);
  return result.value;
}

/**
 * The published harness plugin over a folder, in this process.
 * @param {string} root @param {AbortSignal} signal
 */
export async function openPublished(root, signal) {
  const ask = await loadHarness("published", root);
  return (/** @type {Question} */ { tool, pattern, anyCase }) =>
    ask({ tool, args: { pattern: anyCase === true ? `(?i)${pattern}` : pattern } }, signal);
}

/** csearch's two programs; null where they are not installed. @returns {{ csearch: string, cindex: string } | null} */
export function findCsearch() {
  const find = (/** @type {string} */ name) =>
    (process.env["PATH"] ?? "")
      .split(delimiter)
      .map((folder) => join(folder, name))
      .find((path) => existsSync(path));
  const csearch = find("csearch");
  const cindex = find("cindex");
  return csearch === undefined || cindex === undefined ? null : { csearch, cindex };
}

/** @param {import("./corpus.js").Place} place */
export function csearchIndex({ cache }) {
  return join(cache, "csearch");
}

/**
 * @param {string} csearch @param {Question} question @param {import("./corpus.js").Place} place
 * @returns {Command}
 */
export function csearchCommand(csearch, { pattern, anyCase }, place) {
  const args = ["-n", ...(anyCase === true ? ["-i"] : []), pattern];
  return { file: csearch, args, cwd: place.root, env: { CSEARCHINDEX: csearchIndex(place) } };
}

/** @param {string} cindex @param {import("./corpus.js").Place} place @returns {Command} */
export function cindexCommand(cindex, place) {
  return { file: cindex, args: ["-reset", place.root], cwd: place.root, env: { CSEARCHINDEX: csearchIndex(place) } };
}
