/**
 * Calls in flight: so many at once, the others wait in order. A call that is cancelled while it waits never starts.
 */
export class Calls {
  #free: number;
  readonly #running = new Set<Promise<unknown>>();
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** @returns what `work` gives; null where `signal` was aborted before it could start. */
  async run<R>(signal: AbortSignal, work: () => Promise<R>): Promise<R | null> {
    if (!(await this.#place(signal))) return null;
    if (signal.aborted) {
      this.#leave();
      return null;
    }
    const running = work();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
      this.#leave();
    }
  }

  /** Resolves when nothing runs any more, or after `ms`. */
  async settled(ms: number): Promise<void> {
    const timeout = new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
    await Promise.race([Promise.allSettled(this.#running), timeout]);
  }

  /** True with a place, false where the signal came first. */
  async #place(signal: AbortSignal): Promise<boolean> {
    if (this.#free > 0) {
      this.#free--;
      return true;
    }
    return new Promise((resolve) => {
      const take = (): void => {
        signal.removeEventListener("abort", giveUp);
        resolve(true);
      };
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(take), 1);
        resolve(false);
      };
      this.#waiting.push(take);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  /** Hands the place to the next in line, or keeps it. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
