import { setTimeout as sleep } from "node:timers/promises";
import type { RelPath } from "../../paths/path.js";
import type { KnownTree } from "./known-tree.js";
import type { TreeWatch } from "./watch.js";

/** From the beginning of one sweep to that of the next, in milliseconds. */
const EVERY_MS = 25_000;
/** Files that are asked about at once, and the pause (ms) after them: a cookie of a search waits for no more than these. */
const CHUNK_FILES = 100;
const PAUSE_MS = 8;
/** In a larger tree more at once, so that a sweep comes to its end in time. */
const MOST_CHUNKS = 1_500;
/** Searches go first: nothing is asked until the last one was so long (ms) ago, unless they come without end for this share of the time. */
const QUIET_MS = 250;
const MOST_WAITING = 0.4;

/**
 * Asks the system, slowly and while there are searches, about all files of a watched tree that are taken to be what they were. It finds what no
 * event tells: writing through shared memory, or under a name outside of the tree. Nothing is asked when nobody has searched since.
 */
export class Sweep {
  readonly #known: KnownTree;
  readonly #watch: TreeWatch;
  readonly #everyMs: number;
  #begun = performance.now();
  #searchedAt = performance.now();
  #isWanted = false;
  #isRunning = false;

  constructor(known: KnownTree, watch: TreeWatch, everyMs = EVERY_MS) {
    this.#known = known;
    this.#watch = watch;
    this.#everyMs = everyMs;
  }

  /** A search begins, which goes first. */
  searching(): void {
    this.#searchedAt = performance.now();
  }

  /** There was a search: a sweep begins as soon as the last one was long enough ago; another one, if it has begun already. */
  wanted(): void {
    this.#isWanted = true;
    this.searching();
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#run().finally(() => (this.#isRunning = false));
  }

  async #run(): Promise<void> {
    while (this.#isWanted) {
      await sleep(Math.max(0, this.#begun + this.#everyMs - performance.now()), undefined, { ref: false });
      this.#isWanted = false;
      this.#begun = performance.now();
      if (!(await this.#askAll())) return;
      this.#known.verified(this.#begun);
    }
  }

  async #askAll(): Promise<boolean> {
    const { same } = this.#known;
    const chunkFiles = Math.max(CHUNK_FILES, Math.ceil(same.size / MOST_CHUNKS));
    let numbers: number[] = [];
    for (let number = 0; number <= same.size; number++) {
      if (number < same.size && same.has(number)) numbers.push(number);
      if (numbers.length < chunkFiles && number < same.size) continue;
      if (!(await this.#ask(numbers))) return false;
      numbers = [];
    }
    return true;
  }

  async #untilQuiet(): Promise<void> {
    const latest = this.#begun + this.#everyMs * MOST_WAITING;
    for (;;) {
      const now = performance.now();
      const left = Math.min(this.#searchedAt + QUIET_MS, latest) - now;
      if (left <= 0) return;
      await sleep(left, undefined, { ref: false });
    }
  }

  /** @returns false where nobody answers any more. */
  async #ask(numbers: readonly number[]): Promise<boolean> {
    if (numbers.length === 0) return true;
    await this.#untilQuiet();
    const { file } = this.#known.open;
    const changed = await this.#watch.ask(
      numbers.map((number) => file.paths[number] as RelPath),
      numbers,
      file.stamps,
    );
    if (changed === null) return false;
    if (changed.length > 0) this.#known.happened({ touched: changed, trees: [], lost: false, listed: false });
    await sleep(PAUSE_MS, undefined, { ref: false });
    return true;
  }
}
