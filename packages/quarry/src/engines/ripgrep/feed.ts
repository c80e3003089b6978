import type { FileBatch } from "../../search/engine.js";

/** Small batches that wait are put together up to this many files: starting a process costs about as much as searching a thousand. */
const MERGED_FILES = 12_000;

/**
 * The walker's batches, each asked for before the one before it is used up, and those that wait put together. Never blocks:
 * whoever takes from it is told of changes.
 */
export class Feed {
  readonly #batches: AsyncIterator<FileBatch>;
  readonly #onChange: () => void;
  #asking = false;
  #came: FileBatch | null = null;
  #waiting: FileBatch | null = null;
  #ended = false;
  #failure: { readonly error: unknown } | null = null;

  constructor(batches: AsyncIterable<FileBatch>, onChange: () => void) {
    this.#batches = batches[Symbol.asyncIterator]();
    this.#onChange = onChange;
  }

  /** True where nothing more comes. */
  get done(): boolean {
    return this.#failure !== null || (this.#ended && this.#waiting === null && this.#came === null);
  }

  /** @throws whatever the walker threw. */
  check(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }

  /** Takes up what has come and asks for more. */
  advance(): void {
    if (this.#came !== null && (this.#waiting === null || canMerge(this.#waiting, this.#came))) {
      this.#waiting = this.#waiting === null ? this.#came : merge(this.#waiting, this.#came);
      this.#came = null;
    }
    if (this.#came !== null || this.#asking || this.#ended) return;
    this.#asking = true;
    this.#batches.next().then(
      (next) => {
        this.#asking = false;
        if (next.done === true) this.#ended = true;
        else this.#came = next.value;
        this.#onChange();
      },
      (error: unknown) => {
        this.#failure = { error };
        this.#onChange();
      },
    );
  }

  /** The next files to be searched; null where none have come yet. */
  take(): FileBatch | null {
    const batch = this.#waiting;
    this.#waiting = null;
    return batch;
  }

  /** Nothing more is wanted. A walker that is busy ends by its own signal; nobody waits for it. */
  close(): void {
    if (this.#ended || this.#failure !== null) return;
    this.#ended = true;
    this.#batches.return?.().catch(() => undefined);
  }
}

function canMerge(a: FileBatch, b: FileBatch): boolean {
  return a.target === b.target && a.files.length + b.files.length <= MERGED_FILES;
}

function merge(a: FileBatch, b: FileBatch): FileBatch {
  const by = a.files.length;
  return {
    target: a.target,
    files: [...a.files, ...b.files],
    trees: [...a.trees, ...b.trees.map((tree) => ({ path: tree.path, from: tree.from + by, to: tree.to + by }))],
  };
}
