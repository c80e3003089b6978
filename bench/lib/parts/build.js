// @ts-check
/** How long an index takes, in runs of ripgrep that find nothing, and what it needs. */
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { peakOf } from "../memory.js";
import { measure } from "../pairs.js";
import { cindexCommand, csearchIndex, findCsearch, RG_FORMS, rgCommand } from "../peers.js";
import { QUARRY } from "../places.js";
import { countLines, readAll, readText } from "../processes.js";
import { NOTHING } from "../questions.js";
import { fewRounds } from "./part.js";

const ONCE = fileURLToPath(new URL("../../once.js", import.meta.url));

/**
 * It leaves the indexes behind, for what is measured next.
 * @param {import("../corpus.js").Place} place
 * @param {import("./part.js").Run} run
 * @param {boolean} hasFff
 */
export async function measureBuild(place, run, hasFff) {
  const { root, cache, size } = place;
  const { signal } = run;
  const rg = await rgCommand(/** @type {string} */ (RG_FORMS[0]), NOTHING, root);
  const quarry = quarryBuild(place);
  // One that is there would be brought up to date.
  const forget = () => rmSync(join(cache, "index"), { recursive: true, force: true });
  /** @type {(import("../pairs.js").Subject & { command: import("../processes.js").Command, disk: () => number })[]} */
  const subjects = [
    { name: "rg -n", command: rg, disk: () => 0, run: () => countLines(rg, signal) },
    {
      name: "quarry index build",
      command: quarry,
      partial: true,
      prepare: forget,
      disk: () => folderBytes(join(cache, "index")),
      run: async () => Number(JSON.parse(await readText(quarry, signal))[0].files),
    },
  ];
  if (hasFff) {
    const command = { file: process.execPath, args: [ONCE, "fff", root, "--index"], cwd: root };
    const ready = async () => (await readAll(command, signal, () => {}), 0);
    subjects.push({ name: "fff, in memory", command, partial: true, disk: () => 0, run: ready });
  }
  const cindex = findCsearch()?.cindex;
  if (cindex !== undefined) {
    const command = cindexCommand(cindex, place);
    const build = async () => (await readAll(command, signal, () => {}), 0);
    const disk = () => statSync(csearchIndex(place)).size;
    subjects.push({ name: "cindex", command, partial: true, disk, run: build });
  }
  const rounds = fewRounds(run);
  const timed = await measure(subjects, {
    rounds,
    warmUp: !run.quick,
    signal,
    onRound: (round) => run.progress(`${size}, building: round ${round} of ${rounds}`),
  });
  /** @type {import("./part.js").Row[]} */
  const rows = [];
  for (const [at, row] of timed.entries()) {
    const { command, disk, prepare } = /** @type {typeof subjects[number]} */ (subjects[at]);
    run.progress(`${size}, building: memory of ${row.name}`);
    if (!run.quick) await prepare?.();
    const peakBytes = run.quick ? 0 : await peakOf(command, signal);
    const diskBytes = disk();
    rows.push({ ...row, ...(diskBytes > 0 ? { diskBytes } : {}), ...(peakBytes > 0 ? { peakBytes } : {}) });
  }
  run.done({ size, part: "build", title: "an index, from nothing", rows });
}

/**
 * For a run that does not measure this: the other parts use them.
 * @param {import("../corpus.js").Place} place
 * @param {import("./part.js").Run} run
 */
export async function buildIndexes(place, { signal, progress }) {
  progress(`${place.size}: building indexes`);
  await readAll(quarryBuild(place), signal, () => {});
  const cindex = findCsearch()?.cindex;
  if (cindex !== undefined) await readAll(cindexCommand(cindex, place), signal, () => {});
}

/** @param {import("../corpus.js").Place} place @returns {import("../processes.js").Command} */
function quarryBuild({ root, cache }) {
  const args = [QUARRY, "index", "build", "--json", "--root", root];
  return { file: process.execPath, args, cwd: root, env: { QUARRY_CACHE_DIR: cache } };
}

/** @param {string} folder */
function folderBytes(folder) {
  return readdirSync(folder).reduce((bytes, name) => bytes + statSync(join(folder, name)).size, 0);
}
