// @ts-check
/** Interleaved rounds and what they amount to. */

/**
 * @typedef {{ median: number, q1: number, q3: number }} Spread
 *
 * @typedef {object} Answer
 * @property {number} count
 * @property {number} ms What counts as its time, where that is not all of `run`.
 * @property {Record<string, number>} [more] Parts of it that are told apart, in milliseconds.
 *
 * @typedef {object} Subject
 * @property {string} name
 * @property {() => Promise<number | Answer>} run One whole call: how many results it had.
 * @property {() => Promise<void> | void} [prepare] What comes before the call and is not timed.
 * @property {boolean} [partial] It shows a page alone, or searches by rules of its own: another count is no fault of the run.
 *
 * @typedef {object} Timed
 * @property {string} name
 * @property {boolean} partial
 * @property {number} count
 * @property {string} [refused] Why it has no answer; then it has no times.
 * @property {number[]} times Milliseconds.
 * @property {Spread} ms
 * @property {Spread} ratio To the first subject in the same rounds.
 * @property {Record<string, Spread>} more
 */

/** A subject slower than this takes part in a few of the rounds only. */
const SLOW_MS = 1_500;
const SLOW_ROUNDS = 3;

/**
 * Who answers faster is asked so many times in a row in every round. The first one is told apart: what the others did meanwhile has swept the
 * caches of the processor, and to fill them again takes a short call as long as its work or longer. The median of the others counts.
 */
const SHORT_MS = 400;
const IN_A_ROW = 5;
/** And so many times in the round that warms up, but not for longer: code that is called some dozens of times is compiled, on both sides of a protocol. */
const WARM_UP_CALLS = 60;
const WARM_UP_MS = 1_500;

/**
 * Every round runs every subject once, beginning with another one each time, so that all see the same machine. The first
 * round warms up and does not count, where there is one. Ratios are taken within a round, to the first subject.
 * @param {readonly Subject[]} subjects
 * @param {{ rounds: number, warmUp?: boolean, signal: AbortSignal, onRound: (round: number) => void }} options
 * @returns {Promise<Timed[]>}
 * @throws Error where a subject's results are not the same in every round.
 */
export async function measure(subjects, { rounds, warmUp = true, signal, onRound }) {
  const all = subjects.map((subject) => new Course(subject));
  for (let round = warmUp ? 0 : 1; round <= rounds; round++) {
    onRound(round);
    for (let i = 0; i < all.length; i++) {
      const at = (i + round) % all.length;
      const course = /** @type {Course} */ (all[at]);
      if (at !== 0 && course.isSlow && !isSlowRound(round, rounds)) continue;
      await course.run(round, signal);
    }
  }
  const first = all[0]?.byRound ?? new Map();
  return all.map((course) => course.result(first));
}

/** @param {number} round @param {number} rounds */
function isSlowRound(round, rounds) {
  const every = Math.max(1, Math.floor(rounds / SLOW_ROUNDS));
  return round % every === 0 && round / every <= SLOW_ROUNDS;
}

/** One subject through all rounds. */
class Course {
  /** Milliseconds. @type {Map<number, number>} */
  byRound = new Map();
  isSlow = false;
  #isShort = false;
  #subject;
  /** @type {number | null} */
  #count = null;
  /** @type {string | null} */
  #refused = null;
  /** @type {Record<string, number[]>} */
  #more = {};

  /** @param {Subject} subject */
  constructor(subject) {
    this.#subject = subject;
  }

  /** @param {number} round @param {AbortSignal} signal */
  async run(round, signal) {
    const first = await this.#ask(signal);
    if (first === null) return;
    if (round === 0) {
      this.isSlow = first > SLOW_MS;
      this.#isShort = first < SHORT_MS;
      const until = performance.now() + WARM_UP_MS;
      for (let i = 1; this.#isShort && i < WARM_UP_CALLS && performance.now() < until; i++)
        if ((await this.#ask(signal)) === null) return;
      this.#more = {};
      return;
    }
    if (!this.#isShort) {
      this.#isShort = first < SHORT_MS;
      this.byRound.set(round, first);
      return;
    }
    const times = [];
    for (let i = 1; i < IN_A_ROW; i++) {
      const ms = await this.#ask(signal);
      if (ms === null) return;
      times.push(ms);
    }
    (this.#more["afterOthers"] ??= []).push(first);
    this.byRound.set(round, spread(times).median);
  }

  /** One call. @param {AbortSignal} signal @returns {Promise<number | null>} Milliseconds; null where it is refused. */
  async #ask(signal) {
    const { name, prepare, run, partial } = this.#subject;
    if (this.#refused !== null) return null;
    await prepare?.();
    const started = performance.now();
    /** @type {number | Answer} */
    let answer;
    try {
      answer = await run();
    } catch (error) {
      // A peer may say no: that is a result too.
      if (partial !== true || signal.aborted || !(error instanceof Error)) throw error;
      this.#refused = error.message.replace(/^Error: /, "");
      this.byRound.clear();
      return null;
    }
    const whole = performance.now() - started;
    signal.throwIfAborted();
    const { count, ms, more = {} } = typeof answer === "number" ? { count: answer, ms: whole } : answer;
    if (partial !== true && this.#count !== null && this.#count !== count)
      throw new Error(`${name}: ${this.#count} results in one round, ${count} in another`);
    this.#count = count;
    for (const [key, value] of Object.entries(more)) (this.#more[key] ??= []).push(value);
    return ms;
  }

  /** @param {ReadonlyMap<number, number>} first @returns {Timed} */
  result(first) {
    const { name, partial = false } = this.#subject;
    return {
      name,
      partial,
      count: this.#refused === null ? (this.#count ?? -1) : -1,
      ...(this.#refused === null ? {} : { refused: this.#refused }),
      times: [...this.byRound.values()].map((ms) => Math.round(ms * 100) / 100),
      ms: spread([...this.byRound.values()]),
      ratio: spread([...this.byRound].map(([round, ms]) => ms / (first.get(round) ?? Number.NaN))),
      more: Object.fromEntries(Object.entries(this.#more).map(([key, values]) => [key, spread(values)])),
    };
  }
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
