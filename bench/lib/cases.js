// @ts-check
/** What is measured: each case is one question, put to every subject. The first subject is the denominator. */
import { deerflowLibrary, library, QUARRY, ripgrep } from "./places.js";
import { firstFiles, SMALL_FILES } from "./sample.js";
import { countLines, countTotal } from "./processes.js";

/**
 * @typedef {object} Subject
 * @property {string} name
 * @property {() => Promise<number>} run One whole call; answers how many results it had.
 * @property {boolean} [partial] It shows a page alone: its count is not comparable.
 * @property {{ file: string, args: string[], cwd: string }} [command] The same as a program, for its memory.
 *
 * @typedef {import("../../packages/quarry/dist/index.js").Tool<{ readonly total: number }>} CountingTool
 *
 * @typedef {object} Case
 * @property {string} title
 * @property {(corpus: string, signal: AbortSignal) => Promise<Subject[]>} subjects
 */

const RG = ["--no-config", "--color=never", "--hidden", "--glob=!.git"];

/** The engines that are asked beside `auto`. @typedef {"ripgrep" | "kernel" | "wasm"} Engine */

/** @param {string} pattern @param {readonly Engine[]} engines @returns {Case} */
function grepCase(pattern, engines) {
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
        ...(await byEngines(engines, corpus, signal, pattern)),
        quarry(["grep", "--json", "--", pattern], corpus, signal),
      ];
    },
  };
}

/**
 * A small repository: what a call costs beside what it searches. The denominator is the whole call that starts ripgrep.
 * @param {string} pattern @returns {Case}
 */
function smallCase(pattern) {
  return {
    title: `grep ${pattern} in ${SMALL_FILES} files`,
    async subjects(corpus, signal) {
      const small = firstFiles(corpus, SMALL_FILES);
      const rg = await ripgrep();
      const [started, ...others] = await byEngines(["ripgrep", "kernel", "wasm"], small, signal, pattern);
      const args = [...RG, "--crlf", "-n", "--column", "--null", "--no-heading", "-e", pattern, "--", "."];
      return [
        /** @type {Subject} */ (started),
        ...others,
        program("rg", { file: rg, args, cwd: small }, countLines, signal),
      ];
    },
  };
}

/**
 * The deerflow profile beside rg: the original of its contract took 16.4 s for this question where rg took 0.37 s.
 * @param {string} pattern @returns {Case}
 */
function deerflowCase(pattern) {
  return {
    title: `deerflow grep ${pattern}`,
    async subjects(corpus, signal) {
      const rg = await ripgrep();
      const args = [...RG, "-i", "-n", "--null", "--no-heading", "-e", pattern, "--", "."];
      return [
        program("rg -i", { file: rg, args, cwd: corpus }, countLines, signal),
        ...(await Promise.all(
          ["auto", "ripgrep", "kernel", "wasm"].map(async (engine) => ({
            name: `quarry, deerflow, ${engine}`,
            partial: true,
            run: await deerflow(corpus, engine, pattern, signal),
          })),
        )),
      ];
    },
  };
}

/** @param {readonly Engine[]} engines @param {string} corpus @param {AbortSignal} signal @param {string} pattern @returns {Promise<Subject[]>} */
function byEngines(engines, corpus, signal, pattern) {
  return Promise.all(
    engines.map(async (engine) => ({
      name: `quarry, ${engine}`,
      run: await calling(corpus, signal, (tools) => tools.grep, { pattern }, engine),
      command: {
        file: process.execPath,
        args: [QUARRY, "grep", "--json", "--engine", engine, "--", pattern],
        cwd: corpus,
      },
    })),
  );
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
  grepCase("kmalloc_array", ["kernel", "ripgrep", "wasm"]),
  grepCase("TODO|FIXME", ["kernel", "ripgrep"]),
  grepCase("static int", ["kernel", "ripgrep"]),
  grepCase("zzz_no_such_symbol", ["kernel", "ripgrep"]),
  globCase("**/*.h"),
  smallCase("kmalloc_array"),
  deerflowCase("kmalloc_array"),
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
 * @param {Engine | "auto"} engine
 */
async function calling(corpus, signal, choose, args, engine = "auto") {
  const { createWorkspace, tools } = await library();
  const tool = choose(tools(await createWorkspace({ roots: [corpus] }), { engine }));
  return async () => {
    const result = await tool.call(args, { signal });
    if (result.isError) throw new Error(result.text);
    if (!result.complete && !signal.aborted) throw new Error(`incomplete: ${result.text}`);
    return result.value.total;
  };
}

/** @param {string} corpus @param {string} engine @param {string} pattern @param {AbortSignal} signal */
async function deerflow(corpus, engine, pattern, signal) {
  const { createWorkspace } = await library();
  const { deerflowTools, LocalSandbox } = await deerflowLibrary();
  const path = "/mnt/user-data/workspace";
  const workspace = await createWorkspace({ mounts: [{ host: corpus, name: path.slice(1) }] });
  const sandbox = new LocalSandbox(workspace, { engine: /** @type {Engine} */ (engine) });
  const grep = deerflowTools({ sandbox, maxResults: { grep: 500, glob: 1000 } }).find((tool) => tool.name === "grep");
  return async () => {
    const result = await /** @type {NonNullable<typeof grep>} */ (grep).call(
      { pattern, path, max_results: 500 },
      { signal },
    );
    if (result.isError) throw new Error(result.text);
    return Number(/^Found (\d+) match/.exec(result.text)?.[1]);
  };
}
