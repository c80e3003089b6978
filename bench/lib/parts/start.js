// @ts-check
/** From the start of a process to its first answer, and the first call in it. The page cache is warm; indexes are there. */
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Server } from "../mcp.js";
import { commandOf, ENGINES, PUBLISHED } from "../opened.js";
import { measure } from "../pairs.js";
import { csearchCommand, findCsearch, RG_FORMS, rgCommand } from "../peers.js";
import { countLines, countTotal, firstLine } from "../processes.js";
import { COMMON, QUESTIONS, titleOf } from "../questions.js";
import { fewRounds } from "./part.js";

const ONCE = fileURLToPath(new URL("../../once.js", import.meta.url));
const ONCE_NAMES = { index: "Quarry index, library", fff: "fff", published: PUBLISHED };

/**
 * @param {import("../corpus.js").Place} place
 * @param {import("./part.js").Run} run
 * @param {{ fff: boolean, published: boolean }} has
 */
export async function measureStart(place, run, has) {
  const { root, cache, size } = place;
  const { signal } = run;
  const rg = await rgCommand(/** @type {string} */ (RG_FORMS[0]), COMMON, root);
  /** @type {import("../pairs.js").Subject[]} */
  const subjects = [{ name: "rg -n", run: () => countLines(rg, signal) }];
  for (const engine of ENGINES) {
    const name = `Quarry ${engine}, MCP`;
    subjects.push({ name, run: () => firstAnswer(root, engine, cache, signal) });
  }
  const empty = `${cache}-empty`;
  subjects.push({
    name: "Quarry auto, MCP, no index yet",
    prepare: () => rmSync(empty, { recursive: true, force: true }),
    run: () => firstAnswer(root, "auto", empty, signal),
  });
  const command = commandOf(COMMON, place);
  subjects.push({ name: "Quarry, command", run: () => countTotal(command, signal) });
  for (const peer of /** @type {const} */ (["index", "fff", "published"])) {
    if (peer !== "index" && !has[peer]) continue;
    const args = [ONCE, peer, root, "--question", String(QUESTIONS.indexOf(COMMON))];
    const once = { file: process.execPath, args, cwd: root, env: { QUARRY_CACHE_DIR: cache } };
    subjects.push({
      name: ONCE_NAMES[peer],
      partial: peer !== "index",
      run: async () => {
        const { line, ms } = await firstLine(once, signal);
        const { count, callMs, refused } = JSON.parse(line);
        if (refused !== undefined) throw new Error(refused);
        return { count, ms, more: { firstCall: callMs } };
      },
    });
  }
  const csearch = findCsearch()?.csearch;
  if (csearch !== undefined) {
    const ask = csearchCommand(csearch, COMMON, place);
    subjects.push({ name: "csearch", partial: true, run: () => countLines(ask, signal) });
  }
  const rounds = fewRounds(run);
  const rows = await measure(subjects, {
    rounds,
    warmUp: !run.quick,
    signal,
    onRound: (round) => run.progress(`${size}, start: round ${round} of ${rounds}`),
  });
  run.done({ size, part: "start", title: titleOf(COMMON), rows });
}

/** @param {string} root @param {string} engine @param {string} cache @param {AbortSignal} signal */
async function firstAnswer(root, engine, cache, signal) {
  const started = performance.now();
  const server = await Server.start(root, engine, cache, signal);
  try {
    const called = performance.now();
    const count = await server.ask(COMMON);
    const now = performance.now();
    return { count, ms: now - started, more: { firstCall: now - called } };
  } finally {
    await server.close();
  }
}
