// @ts-check
/** Everybody, opened over one corpus and warm, and how each is asked. */
import { existsSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { Server } from "./mcp.js";
import { csearchCommand, findCsearch, loadFff, openFff, openPublished, RG_FORMS, rgCommand } from "./peers.js";
import { library, PUBLISHED_PLUGIN, QUARRY } from "./places.js";
import { countLines, countMatches, countTotal } from "./processes.js";
import { NOTHING } from "./questions.js";

/** @typedef {import("./questions.js").Question} Question */
/** @typedef {import("./pairs.js").Subject} Subject */
/** @typedef {"index" | "kernel" | "ripgrep" | "wasm"} Engine */
/** @typedef {{ name: string, why: string }} Missing */
/**
 * @typedef {object} Asker
 * @property {string} name
 * @property {boolean} [partial]
 * @property {(question: Question) => boolean} [cannot] It has no answer to such a question.
 * @property {(question: Question) => Promise<number>} ask
 */

/** @type {readonly Engine[]} */
export const ENGINES = ["index", "kernel", "ripgrep", "wasm"];
/** @type {readonly Engine[]} */
const LEAN_ENGINES = ["index", "kernel"];
const SETTLING_CALLS = 3;
const SETTLING_MS = 500;
export const PUBLISHED = "dsh-tool-fs-search, published";

/** What stays open over a corpus while it is searched. */
export class Opened {
  /** Those that cannot be asked here, and why. @type {Missing[]} */
  missing = [];
  /** @type {Map<Engine, Server>} */
  servers = new Map();
  /** Library calls, by engine. @type {Map<Engine, (question: Question) => Promise<number>>} */
  calls = new Map();
  /** @type {Awaited<ReturnType<typeof openFff>> | null} */
  fff = null;
  /** @type {Awaited<ReturnType<typeof openPublished>> | null} */
  published = null;
  csearch = findCsearch();
  #place;
  #signal;
  #lean;

  /**
   * @param {import("./corpus.js").Place} place
   * @param {AbortSignal} signal
   * @param {boolean} lean Only ripgrep, and Quarry without it: for a short run.
   */
  constructor(place, signal, lean) {
    this.#place = place;
    this.#signal = signal;
    this.#lean = lean;
    if (lean) this.csearch = null;
  }

  /**
   * Which libraries can be asked here, before they are opened.
   * @returns {Promise<{ fff: boolean, published: boolean }>}
   */
  async probe() {
    if (this.csearch === null)
      this.missing.push({ name: "csearch", why: "not installed (apt-get install codesearch)" });
    const published = existsSync(PUBLISHED_PLUGIN);
    if (!published) this.missing.push({ name: PUBLISHED, why: "not installed" });
    try {
      await loadFff();
      return { fff: true, published };
    } catch (error) {
      this.missing.push({ name: "fff", why: error instanceof Error ? error.message : String(error) });
      return { fff: false, published };
    }
  }

  /**
   * The caller closes it, also where this fails.
   * @param {{ fff: boolean, published: boolean }} has
   */
  async open(has) {
    const { root, cache } = this.#place;
    for (const engine of this.#lean ? LEAN_ENGINES : ENGINES) {
      this.servers.set(engine, await Server.start(root, engine, cache, this.#signal));
      this.calls.set(engine, await libraryCalls(root, engine, this.#signal));
    }
    // A server begins to watch its folder beside the first searches: what is measured is the time after that.
    for (let i = 0; i < SETTLING_CALLS; i++) {
      for (const server of this.servers.values()) await server.ask(NOTHING);
      await this.calls.get("index")?.(NOTHING);
      await wait(SETTLING_MS, undefined, { signal: this.#signal });
    }
    if (this.#lean) return;
    if (has.fff) this.fff = await openFff(root, true);
    if (has.published) this.published = await openPublished(root, this.#signal);
  }

  /**
   * Everybody and how to ask; the first is the denominator.
   * @returns {Asker[]}
   */
  askers() {
    const signal = this.#signal;
    const place = this.#place;
    /** @type {Asker[]} */
    const askers = (this.#lean ? RG_FORMS.slice(0, 1) : RG_FORMS).map((form) => ({
      name: form,
      cannot: ({ tool }) => tool === "glob" && form === "rg --json",
      ask: async (question) => {
        const count = form === "rg --json" ? countMatches : countLines;
        return count(await rgCommand(form, question, place.root), signal);
      },
    }));
    for (const [engine, server] of this.servers)
      askers.push({ name: `Quarry ${engine}, MCP`, ask: (question) => server.ask(question) });
    for (const [engine, ask] of this.calls) askers.push({ name: `Quarry ${engine}, library`, ask });
    if (this.#lean) return askers;
    askers.push({ name: "Quarry, command", ask: (question) => countTotal(commandOf(question, place), signal) });
    const { fff, published, csearch } = this;
    if (fff !== null) {
      const ask = async (/** @type {Question} */ question) => fff.ask(question, false);
      askers.push({ name: "fff", partial: true, cannot: ({ broad }) => broad === true, ask });
      askers.push({ name: "fff, page of 100", partial: true, ask: async (question) => fff.ask(question, true) });
    }
    if (published !== null) askers.push({ name: PUBLISHED, partial: true, ask: published });
    if (csearch !== null) {
      const command = (/** @type {Question} */ question) => csearchCommand(csearch.csearch, question, place);
      const cannot = (/** @type {Question} */ { tool }) => tool === "glob";
      askers.push({ name: "csearch", partial: true, cannot, ask: (q) => countLines(command(q), signal) });
    }
    return askers;
  }

  /**
   * A question, put to everybody that can answer it.
   * @param {Question} question
   * @returns {Subject[]} The first is the denominator.
   */
  subjects(question) {
    return this.askers()
      .filter(({ cannot }) => cannot?.(question) !== true)
      .map(({ name, partial = false, ask }) => ({
        name: question.tool === "glob" ? name.replace(/^rg(?: -n)?/, "rg --files") : name,
        partial,
        run: () => ask(question),
      }));
  }

  async close() {
    this.fff?.close();
    await Promise.all([...this.servers.values()].map((server) => server.close()));
  }
}

/**
 * Calls of the library in this process, as a program that stays would make them.
 * @param {string} root @param {Engine} engine @param {AbortSignal} signal
 * @returns {Promise<(question: Question) => Promise<number>>}
 */
export async function libraryCalls(root, engine, signal) {
  const { createWorkspace, tools } = await library();
  const made = tools(await createWorkspace({ roots: [root] }), {
    engine,
    buildIndex: true,
    settings: { timeoutMs: 300_000 },
  });
  return async ({ tool, pattern, anyCase }) => {
    const result =
      tool === "glob"
        ? await made.glob.call({ pattern }, { signal })
        : await made.grep.call({ pattern, ...(anyCase === true ? { case: "insensitive" } : {}) }, { signal });
    if (result.isError) throw new Error(result.text);
    if (!result.complete && !signal.aborted) throw new Error(`incomplete: ${result.text}`);
    return result.value.total;
  };
}

/**
 * `quarry grep` or `quarry glob` as a program of its own.
 * @param {Question} question @param {import("./corpus.js").Place} place
 * @returns {import("./processes.js").Command}
 */
export function commandOf({ tool, pattern, anyCase }, { root, cache }) {
  const fold = anyCase === true ? ["--case", "insensitive"] : [];
  return {
    file: process.execPath,
    args: [QUARRY, tool, "--json", ...fold, "--", pattern],
    cwd: root,
    env: { QUARRY_CACHE_DIR: cache },
  };
}
