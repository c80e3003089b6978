import type { RelPath } from "../../paths/path.js";
import type { FileSet } from "./file-set.js";
import type { IndexFile } from "./index-file.js";

/** A list of files, seen from an index. Made once for a list that is handed on again and again. */
export class Places {
  /** The number of each file in the index; -1 for those that are not in it. */
  readonly numbers: Int32Array;
  readonly #index: IndexFile;
  /** Where in the list each number from `#first` on stands; -1 where it does not. */
  readonly #positions: Int32Array;
  readonly #first: number;
  /** Positions of files that are not in the index, in order. */
  readonly #unknown: Int32Array;
  /** The numbers are in order, as lists of a walk are. */
  readonly #inOrder: boolean;

  private constructor(index: IndexFile, files: readonly RelPath[]) {
    this.#index = index;
    this.numbers = Int32Array.from(files, (file) => index.numberOf(file));
    const unknown: number[] = [];
    let first = Infinity;
    let last = -1;
    let inOrder = true;
    this.numbers.forEach((number, position) => {
      if (number < 0) unknown.push(position);
      else {
        if (number <= last) inOrder = false;
        first = Math.min(first, number);
        last = Math.max(last, number);
      }
    });
    this.#first = last < 0 ? 0 : first;
    this.#positions = new Int32Array(last < 0 ? 0 : last + 1 - first).fill(-1);
    this.numbers.forEach((number, position) => {
      if (number >= 0) this.#positions[number - first] = position;
    });
    this.#unknown = Int32Array.from(unknown);
    this.#inOrder = inOrder;
  }

  static of(index: IndexFile, files: readonly RelPath[]): Places {
    const before = known.get(files);
    if (before !== undefined && before.#index === index) return before;
    const places = new Places(index, files);
    known.set(files, places);
    return places;
  }

  /**
   * Where in the list the files stand, in order, that are in `wanted`, not in `same`, or not in the index. Costs as much as those are, and an
   * instruction or two for 32 of the others.
   */
  without(wanted: FileSet, same: FileSet): readonly number[] {
    const found: number[] = [];
    const unknown = this.#unknown;
    const end = this.#first + this.#positions.length;
    let next = 0;
    for (let word = this.#first >>> 5; word * 32 < end; word++) {
      let bits = (wanted.words[word] as number) | ~(same.words[word] as number);
      for (; bits !== 0; bits &= bits - 1) {
        // What lies outside of the list is undefined there.
        const position = this.#positions[word * 32 + 31 - Math.clz32(bits & -bits) - this.#first] ?? -1;
        if (position < 0) continue;
        while (next < unknown.length && (unknown[next] as number) < position) found.push(unknown[next++] as number);
        found.push(position);
      }
    }
    while (next < unknown.length) found.push(unknown[next++] as number);
    return this.#inOrder ? found : found.sort((a, b) => a - b);
  }
}

const known = new WeakMap<readonly RelPath[], Places>();
