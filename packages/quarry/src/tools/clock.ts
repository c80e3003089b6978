import type { IncompleteReason } from "../search/coverage.js";

/** What ends a call: its time limit or its caller, whichever comes first. */
export class Clock {
  readonly signal: AbortSignal;
  readonly #started = performance.now();
  readonly #abort = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #caller: AbortSignal | undefined;
  readonly #onCaller = (): void => this.#end("cancelled");
  #reason: Extract<IncompleteReason, "timeout" | "cancelled"> | null = null;

  constructor(timeoutMs: number, caller: AbortSignal | undefined) {
    this.signal = this.#abort.signal;
    this.#timer = setTimeout(() => this.#end("timeout"), timeoutMs);
    this.#caller = caller;
    if (caller?.aborted === true) this.#end("cancelled");
    else caller?.addEventListener("abort", this.#onCaller, { once: true });
  }

  /** Why the call was ended early; null while it was not. */
  get reason(): Extract<IncompleteReason, "timeout" | "cancelled"> | null {
    return this.#reason;
  }

  get elapsedMs(): number {
    return Math.round(performance.now() - this.#started);
  }

  /** Lets go of timer and listener. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#onCaller);
  }

  #end(reason: "timeout" | "cancelled"): void {
    this.#reason ??= reason;
    this.#abort.abort();
  }
}
