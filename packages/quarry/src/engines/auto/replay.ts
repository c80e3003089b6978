import type { FileBatch } from "../../search/engine.js";

/** Files after which what has come is not kept any more: who gets so far can run. */
const MAX_KEPT_FILES = 200_000;

/** The walker's batches for one engine after the other: the next one gets them from the first again. */
export class Replay {
  readonly #source: AsyncIterator<FileBatch>;
  /** By number; those that were dropped are missing. */
  readonly #steps = new Map<number, Promise<IteratorResult<FileBatch>>>();
  #keptFiles = 0;
  #keeps = true;
  /** True once the walker itself has failed: that is no engine's failure. */
  failed = false;

  constructor(batches: AsyncIterable<FileBatch>) {
    this.#source = batches[Symbol.asyncIterator]();
  }

  /** False where another engine could not have them from the first any more. */
  get whole(): boolean {
    return this.#keeps;
  }

  /** Nobody will ask from the first again. */
  forget(): void {
    this.#keeps = false;
    this.#steps.clear();
  }

  batches(): AsyncIterable<FileBatch> {
    let at = 0;
    return {
      [Symbol.asyncIterator]: () => ({
        next: () => this.#step(at++),
        return: () => Promise.resolve({ done: true, value: undefined }),
      }),
    };
  }

  /** Nothing more is wanted. A walker that is busy ends by its own signal; nobody waits for it. */
  close(): void {
    this.#source.return?.().catch(() => undefined);
  }

  #step(at: number): Promise<IteratorResult<FileBatch>> {
    const known = this.#steps.get(at);
    if (known !== undefined) return known;
    const step = this.#source.next().then(
      (result) => {
        if (result.done !== true) this.#keptFiles += result.value.files.length;
        if (this.#keptFiles > MAX_KEPT_FILES) this.forget();
        return result;
      },
      (error: unknown) => {
        this.failed = true;
        throw error;
      },
    );
    if (this.#keeps) this.#steps.set(at, step);
    return step;
  }
}
