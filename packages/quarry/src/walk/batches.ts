import type { FileBatch, WholeTree } from "../search/engine.js";
import type { RelPath } from "../paths/path.js";
import type { Target } from "../workspace/mount.js";
import type { WalkSink } from "./traverse.js";

/**
 * Gathers one target's files into batches and finds the outermost whole folders of each. A batch is cut when one file more
 * has come, where an open folder begins, if that leaves it at least a quarter full: a folder that fits into the next batch
 * is not split.
 */
export class BatchBuilder implements WalkSink {
  readonly #target: Target;
  readonly #files: RelPath[] = [];
  /** Of closed folders, outermost, positions in `#files`. */
  #trees: WholeTree[] = [];
  /** Where the files of the folders begin that are open, outermost first; -1 where a cut went through one. */
  readonly #starts: number[] = [];
  #limit: number;

  /** @param limit files in the first batch. */
  constructor(target: Target, limit: number) {
    this.#target = target;
    this.#limit = limit;
  }

  entry(path: RelPath, kind: string): void {
    if (kind === "file") this.#files.push(path);
  }

  enter(): void {
    this.#starts.push(this.#files.length);
  }

  leave(path: RelPath, whole: boolean): void {
    const from = this.#starts.pop() as number;
    const to = this.#files.length;
    if (!whole || from === -1 || from === to) return;
    while (this.#trees.length > 0 && (this.#trees.at(-1) as WholeTree).from >= from) this.#trees.pop();
    this.#trees.push({ path, from, to });
  }

  full(): boolean {
    return this.#files.length > this.#limit;
  }

  /** A full batch. @param next limit of the batch that follows. */
  cut(next: number): FileBatch {
    const start = this.#starts.find((s) => s >= Math.max(1, this.#limit / 4));
    const batch = this.#take(start ?? this.#limit);
    this.#limit = next;
    return batch;
  }

  /** What is left when the walk is over; null where that is nothing. */
  rest(): FileBatch | null {
    return this.#files.length === 0 ? null : this.#take(this.#files.length);
  }

  #take(count: number): FileBatch {
    const files = this.#files.splice(0, count);
    const trees = this.#trees.filter((t) => t.to <= count);
    this.#trees = this.#trees
      .filter((t) => t.to > count)
      .map(({ path, from, to }) => ({ path, from: from - count, to: to - count }));
    for (let i = 0; i < this.#starts.length; i++) {
      const from = this.#starts[i] as number;
      this.#starts[i] = from >= count ? from - count : -1;
    }
    return { target: this.#target, files, trees };
  }
}
