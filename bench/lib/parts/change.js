// @ts-check
/** Files are written, and at once somebody is asked for what is new in them: until the answer has all of it. */
import { setTimeout as wait } from "node:timers/promises";
import { Changes } from "../changes.js";
import { measure } from "../pairs.js";
import { cindexCommand } from "../peers.js";
import { readAll } from "../processes.js";
import { fewRounds } from "./part.js";

/** After this a peer that answers from its index, stale or not, has lost. */
const STALE_MS = 20_000;

/**
 * The corpus is afterwards as it was, but for the times of its files.
 * @param {import("../corpus.js").Place} place
 * @param {import("./part.js").Run} run
 * @param {import("../opened.js").Opened} opened
 */
export async function measureChange(place, run, opened) {
  const { size, root } = place;
  const { signal } = run;
  const changes = new Changes(root);
  for (const writes of run.once ? [1] : [1, 1_000]) {
    const title = writes === 1 ? "after one write" : "after 1,000 writes";
    const subjects = opened
      .askers()
      .filter(({ name }) => !["rg --json", "rg --sort=path", "fff, page of 100"].includes(name))
      .map(({ name, partial = false, ask }) => {
        let word = "";
        const prepare = () => void (word = changes.make(writes));
        const once = () => ask({ tool: "grep", pattern: word, plain: true });
        const cindex = opened.csearch?.cindex;
        const run =
          name === "fff"
            ? () => until(once, writes, signal)
            : name === "csearch" && cindex !== undefined
              ? async () => (await readAll(cindexCommand(cindex, place), signal, () => {}), once())
              : once;
        return { name: name === "csearch" ? "cindex and csearch" : name, partial, prepare, run };
      });
    const rounds = writes === 1 ? run.rounds : fewRounds(run);
    const rows = await measure(subjects, {
      rounds,
      warmUp: !run.quick || writes === 1,
      signal,
      onRound: (round) => run.progress(`${size}, ${title}: round ${round} of ${rounds}`),
    });
    for (const { name, partial, count } of rows)
      if (!partial && count !== writes) throw new Error(`${size}, ${name}: ${count} of ${writes} new lines`);
    run.done({ size, part: "change", title, rows });
  }
  changes.undo();
}

/** @param {() => Promise<number>} ask @param {number} count @param {AbortSignal} signal */
async function until(ask, count, signal) {
  const started = performance.now();
  for (;;) {
    const found = await ask();
    if (found === count || performance.now() - started > STALE_MS) return found;
    await wait(1, undefined, { signal });
  }
}
