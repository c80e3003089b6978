// @ts-check
/** The largest resident memory of each and of everything it started, over all questions one after another. */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Server } from "../mcp.js";
import { peakOf, PeakWatch } from "../memory.js";
import { commandOf, ENGINES, PUBLISHED } from "../opened.js";
import { csearchCommand, findCsearch, rgCommand } from "../peers.js";
import { COMMON, QUESTIONS } from "../questions.js";
import { untimed } from "./part.js";

const ONCE = fileURLToPath(new URL("../../once.js", import.meta.url));
/** A server makes an index by itself from so many files on (the setting `indexMinFiles`). */
const INDEX_FILES = 2_000;
const BUILD_MS = 300_000;

/**
 * @param {import("../corpus.js").Place} place
 * @param {import("./part.js").Run} run
 * @param {{ fff: boolean, published: boolean }} has
 */
export async function measureMemory(place, run, has) {
  const { root, cache, size, files } = place;
  const { signal, questions } = run;
  /** @type {import("./part.js").Row[]} */
  const rows = [];
  /** @param {string} name @param {() => Promise<number>} peak */
  const add = async (name, peak) => {
    run.progress(`${size}, memory of ${name}`);
    rows.push(untimed(name, { peakBytes: await peak() }));
  };
  /** @param {(question: import("../questions.js").Question) => import("../processes.js").Command | Promise<import("../processes.js").Command>} command */
  const most = async (command) => {
    let peak = 0;
    for (const question of questions)
      if (question.tool === "grep") peak = Math.max(peak, await peakOf(await command(question), signal));
    return peak;
  };
  for (const form of ["rg -n", "rg --json"]) await add(form, () => most((q) => rgCommand(form, q, root)));
  for (const engine of ENGINES) {
    await add(`Quarry ${engine}, MCP`, () =>
      ofServer(root, engine, cache, signal, async (server) => {
        for (const question of questions) await server.ask(question);
      }),
    );
  }
  if (files >= INDEX_FILES) {
    const empty = `${cache}-empty`;
    rmSync(empty, { recursive: true, force: true });
    await add("Quarry auto, MCP, while it makes its index", () =>
      ofServer(root, "auto", empty, signal, async (server) => {
        const end = performance.now() + BUILD_MS;
        await server.ask(COMMON);
        while (!hasIndex(empty)) {
          if (performance.now() > end) throw new Error("the server made no index");
          await wait(50, undefined, { signal });
        }
      }),
    );
  }
  await add("Quarry, command", () => most((question) => commandOf(question, place)));
  const asked = questions.flatMap((question) => ["--question", String(QUESTIONS.indexOf(question))]);
  for (const peer of /** @type {const} */ (["fff", "published"])) {
    if (!has[peer]) continue;
    const args = [ONCE, peer, root, "--index", ...asked];
    const name = peer === "fff" ? "fff, in a process of its own" : PUBLISHED;
    await add(name, () => peakOf({ file: process.execPath, args, cwd: root }, signal));
  }
  const csearch = findCsearch()?.csearch;
  if (csearch !== undefined) await add("csearch", () => most((question) => csearchCommand(csearch, question, place)));
  run.done({ size, part: "memory", title: "all questions in turn", rows });
}

/**
 * @param {string} root @param {string} engine @param {string} cache @param {AbortSignal} signal
 * @param {(server: Server) => Promise<void>} use
 */
async function ofServer(root, engine, cache, signal, use) {
  const server = await Server.start(root, engine, cache, signal);
  const watch = new PeakWatch(server.pid);
  try {
    await use(server);
    return watch.peak;
  } finally {
    watch.end();
    await server.close();
  }
}

/** @param {string} cache */
function hasIndex(cache) {
  try {
    return readdirSync(join(cache, "index")).some((name) => name.endsWith(".index"));
  } catch {
    // Its folder is made with the first index.
    return false;
  }
}
