import type { EngineReport, FileBatch } from "../search/engine.js";
import type { Reach } from "../profiles/quarry/second-look-text.js";

/** Hands a walk's batches on and remembers the first files, for a question about them afterwards that needs no second walk. */
export class FirstFiles {
  readonly #source: AsyncIterable<FileBatch>;
  readonly #maxFiles: number;
  readonly #batches: FileBatch[] = [];
  #files = 0;
  #more = false;

  /** @param maxFiles as many are remembered; 0 for none. */
  constructor(source: AsyncIterable<FileBatch>, maxFiles: number) {
    this.#source = source;
    this.#maxFiles = maxFiles;
  }

  async *batches(): AsyncGenerator<FileBatch> {
    for await (const batch of this.#source) {
      this.#keep(batch);
      yield batch;
    }
  }

  /** How much of the walk is remembered. */
  get reach(): Reach {
    return this.#more ? { first: this.#maxFiles } : "all";
  }

  /** What is remembered; where `among` is given, only those of its files. */
  async *remembered(among: EngineReport["nulHeads"]): AsyncGenerator<FileBatch> {
    if (among === undefined) return yield* this.#batches;
    const wanted = new Map<FileBatch["target"], Set<string>>();
    for (const { target, path } of among) wanted.set(target, (wanted.get(target) ?? new Set()).add(path));
    for (const { target, files } of this.#batches) {
      const some = wanted.get(target);
      const left = some === undefined ? [] : files.filter((path) => some.has(path));
      if (left.length > 0) yield { target, files: left, trees: [] };
    }
  }

  #keep({ target, files }: FileBatch): void {
    const left = this.#maxFiles - this.#files;
    if (files.length > left) this.#more = true;
    if (left <= 0) return;
    const some = files.length > left ? files.slice(0, left) : files;
    this.#batches.push({ target, files: some, trees: [] });
    this.#files += some.length;
  }
}
