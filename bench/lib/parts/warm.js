// @ts-check
/** Calls one after another, by everybody who is open: every question in interleaved rounds. */
import { deerflowSubjects } from "../deerflow.js";
import { measure } from "../pairs.js";
import { COMMON, titleOf } from "../questions.js";

/**
 * @param {import("../corpus.js").Place} place
 * @param {import("./part.js").Run} run
 * @param {import("../opened.js").Opened} opened
 */
export async function measureWarm({ size, root }, run, opened) {
  /** @param {string} title @param {import("../pairs.js").Subject[]} subjects */
  const one = async (title, subjects) => {
    const { rounds, signal, once } = run;
    const onRound = (/** @type {number} */ round) => run.progress(`${size}, ${title}: round ${round} of ${rounds}`);
    const rows = await measure(subjects, { rounds, warmUp: !once, signal, onRound });
    run.done({ size, part: "warm", title, rows });
  };
  for (const question of run.questions) await one(titleOf(question), opened.subjects(question));
  if (run.questions.includes(COMMON) && !run.quick)
    await one(`deerflow grep ${COMMON.pattern}`, await deerflowSubjects(root, COMMON.pattern, run.signal));
}
