// @ts-check
/** What is measured: each case is one question, put to every subject. The first subject is the denominator. */
import { library, QUARRY, ripgrep } from "./places.js";
import { countLines, countTotal } from "./processes.js";

/**
 * @typedef {object} Subject
 * @property {string} name
 * @property {() => Promise<number>} run One whole call; answers how many results it had.
 * @property {{ file: string, args: string[], cwd: string }} [command] The same as a program, for its memory.
 *
 * @typedef {import("../../packages/quarry/dist/index.js").Tool<{ readonly total: number }>} CountingTool
 *
 * @typedef {object} Case
 * @property {string} title
 * @property {(corpus: string, signal: AbortSignal) => Promise<Subject[]>} subjects
 */

const RG = ["--no-config", "--color=never", "--hidden", "--glob=!.git"];

/** @param {string} pattern @returns {Case} */
function grepCase(pattern) {
  return {
    title: `grep ${pattern}`,
    async subjects(corpus, signal) {
      const rg = await ripgrep();
      const base = [...RG, "--crlf", "-n", "--column", "--null", "--no-heading"];
      return [
        program("rg", { file: rg, args: [...base, "-e", pattern, "--", "."], cwd: corpus }, countLines, signal),
        program(
          "rg --sort=path",
          { file: rg, args: [...base, "--sort=path", "-e", pattern, "--", "."], cwd: corpus },
          countLines,
          signal,
        ),
        { name: "quarry, library", run: await calling(corpus, signal, (tools) => tools.grep, { pattern }) },
        quarry(["grep", "--json", "--", pattern], corpus, signal),
      ];
    },
  };
}

/** @param {string} pattern @returns {Case} */
function globCase(pattern) {
  return {
    title: `glob ${pattern}`,
    async subjects(corpus, signal) {
      const rg = await ripgrep();
      const base = [...RG, "--files", `--glob=${pattern}`];
      return [
        program("rg --files", { file: rg, args: [...base, "."], cwd: corpus }, countLines, signal),
        program(
          "rg --files --sort=path",
          { file: rg, args: [...base, "--sort=path", "."], cwd: corpus },
          countLines,
          signal,
        ),
        { name: "quarry, library", run: await calling(corpus, signal, (tools) => tools.glob, { pattern }) },
        quarry(["glob", "--json", "--", pattern], corpus, signal),
      ];
    },
  };
}

/** @type {readonly Case[]} */
export const CASES = [
  grepCase("kmalloc_array"),
  grepCase("TODO|FIXME"),
  grepCase("static int"),
  grepCase("zzz_no_such_symbol"),
  globCase("**/*.h"),
];

/**
 * @param {string} name
 * @param {{ file: string, args: string[], cwd: string }} command
 * @param {(command: { file: string, args: string[], cwd: string }, signal: AbortSignal) => Promise<number>} count
 * @param {AbortSignal} signal
 * @returns {Subject}
 */
function program(name, command, count, signal) {
  return { name, command, run: () => count(command, signal) };
}

/**
 * @param {string[]} args
 * @param {string} corpus
 * @param {AbortSignal} signal
 */
function quarry(args, corpus, signal) {
  return program(
    "quarry, command",
    { file: process.execPath, args: [QUARRY, ...args], cwd: corpus },
    countTotal,
    signal,
  );
}

/**
 * A call of the library in this process, as a program that keeps its workspace would make it.
 * @param {string} corpus
 * @param {AbortSignal} signal
 * @param {(tools: import("../../packages/quarry/dist/index.js").Tools) => CountingTool} choose
 * @param {object} args
 */
async function calling(corpus, signal, choose, args) {
  const { createWorkspace, tools } = await library();
  const tool = choose(tools(await createWorkspace({ roots: [corpus] })));
  return async () => {
    const result = await tool.call(args, { signal });
    if (result.isError) throw new Error(result.text);
    if (!result.complete && !signal.aborted) throw new Error(`incomplete: ${result.text}`);
    return result.value.total;
  };
}
