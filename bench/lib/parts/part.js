// @ts-check
/**
 * What the parts of the bench share.
 *
 * @typedef {import("../pairs.js").Timed & { peakBytes?: number, diskBytes?: number }} Row
 * @typedef {"build" | "start" | "warm" | "change" | "memory"} PartName
 * @typedef {{ size: import("../corpus.js").SizeName, part: PartName, title: string, rows: Row[] }} PartResult
 *
 * @typedef {object} Run
 * @property {number} rounds
 * @property {boolean} quick
 * @property {boolean} once Everybody is asked once, to show that all of it works: the times are not worth much.
 * @property {readonly import("../questions.js").Question[]} questions
 * @property {AbortSignal} signal
 * @property {(text: string) => void} progress
 * @property {(result: PartResult) => void} done Called with each result as it comes.
 */

/** Rows have at least so many rounds, and a share of those of the warm calls: what they measure takes long. */
const LEAST = 3;

/** @param {Run} run */
export function fewRounds({ rounds, quick }) {
  return quick ? 1 : Math.max(Math.min(LEAST, rounds), Math.floor(rounds / 3));
}

/**
 * A row without times.
 * @param {string} name
 * @param {Partial<Row>} facts
 * @returns {Row}
 */
export function untimed(name, facts) {
  const none = { median: Number.NaN, q1: Number.NaN, q3: Number.NaN };
  return { name, partial: true, count: -1, times: [], ms: none, ratio: none, more: {}, ...facts };
}
