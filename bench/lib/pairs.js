// @ts-check
/** Interleaved rounds and what they amount to. */

/**
 * @typedef {{ median: number, q1: number, q3: number }} Spread
 * @typedef {{ name: string, partial: boolean, count: number, times: number[], ms: Spread, ratio: Spread }} Timed
 */

/**
 * Every round runs every subject once, beginning with another one each time, so that all see the same machine. The first
 * round warms up and does not count. Ratios are taken within a round, to the first subject.
 * @param {readonly import("./cases.js").Subject[]} subjects
 * @param {{ rounds: number, signal: AbortSignal, onRound: (round: number) => void }} options
 * @returns {Promise<Timed[]>} Times in milliseconds.
 */
export async function measure(subjects, { rounds, signal, onRound }) {
  const times = subjects.map(() => /** @type {number[]} */ ([]));
  const counts = subjects.map(() => -1);
  for (let round = 0; round <= rounds; round++) {
    onRound(round);
    for (let i = 0; i < subjects.length; i++) {
      const at = (i + round) % subjects.length;
      const subject = /** @type {import("./cases.js").Subject} */ (subjects[at]);
      const started = performance.now();
      const count = await subject.run();
      const ms = performance.now() - started;
      signal.throwIfAborted();
      if (counts[at] !== -1 && counts[at] !== count) {
        throw new Error(`${subject.name}: ${counts[at]} results in one round, ${count} in another`);
      }
      counts[at] = count;
      if (round > 0) times[at]?.push(ms);
    }
  }
  const first = times[0] ?? [];
  return subjects.map(({ name, partial = false }, at) => {
    const own = times[at] ?? [];
    return {
      name,
      partial,
      count: counts[at] ?? -1,
      times: own.map((ms) => Math.round(ms * 100) / 100),
      ms: spread(own),
      ratio: spread(own.map((ms, round) => ms / (first[round] ?? Number.NaN))),
    };
  });
}

/** @param {readonly number[]} values @returns {Spread} */
export function spread(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return { q1: quantile(sorted, 0.25), median: quantile(sorted, 0.5), q3: quantile(sorted, 0.75) };
}

/** @param {readonly number[]} sorted @param {number} q */
function quantile(sorted, q) {
  const at = (sorted.length - 1) * q;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}
