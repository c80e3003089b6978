import type { EngineReport, FileBatch } from "../search/engine.js";
import type { Reach } from "../profiles/quarry/second-look-text.js";

/** Of a batch that is handed on again and again its first files are the same list, too: an index knows lists by that. */
const heads = new WeakMap<FileBatch, FileBatch>();

/** A batch of its first files: itself where it has no more. */
export function headOf(batch: FileBatch, files: number): FileBatch {
  if (batch.files.length <= files) return batch;
  const known = heads.get(batch);
  if (known?.files.length === files) return known;
  const head = { target: batch.target, files: batch.files.slice(0, files), trees: [] };
  heads.set(batch, head);
  return head;
}

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

  #keep(batch: FileBatch): void {
    const left = this.#maxFiles - this.#files;
    if (batch.files.length > left) this.#more = true;
    if (left <= 0) return;
    const some = headOf(batch, left);
    this.#batches.push(some);
    this.#files += some.files.length;
  }
}
