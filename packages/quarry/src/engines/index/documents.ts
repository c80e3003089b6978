import { STAMP } from "../kernel/stamps.js";
import type { IndexFile } from "./index-file.js";
import { DEAD } from "./segment.js";

/** For each segment a bit for each document; null where none is meant. */
export type DocumentBits = readonly (Uint8Array | null)[];

/** With so many documents less to read, of some 16 KiB each, it pays to ask first whether a file is what it was. */
const MIN_SAVED = 4;
/** Neighbours are read together up to this size; a larger document is not read alone. */
const MAX_PART_BYTES = 1_048_576;

/** Where the documents of each file of an index are. They are neighbours in one segment. */
export class Documents {
  readonly #index: IndexFile;
  /** Of each file: its first one, counted through all segments, and how many there are. */
  readonly #first: Int32Array;
  readonly #count: Int32Array;
  /** Of each segment: the count before it. */
  readonly #before: number[] = [];

  private constructor(index: IndexFile) {
    this.#index = index;
    this.#first = new Int32Array(index.flags.length);
    this.#count = new Int32Array(index.flags.length);
    let before = 0;
    for (const { table } of index.segments) {
      this.#before.push(before);
      for (let i = 0; i < table.documents; i++) {
        if (table.offsets[i] === DEAD) continue;
        const file = table.files[i] as number;
        if (this.#count[file] === 0) this.#first[file] = before + i;
        (this.#count[file] as number) += 1;
      }
      before += table.documents;
    }
  }

  static of(index: IndexFile): Documents {
    let documents = known.get(index);
    if (documents === undefined) known.set(index, (documents = new Documents(index)));
    return documents;
  }

  /**
   * The parts of a file that its documents in `bits` are, as `[from, to)` in bytes and the number of the first line, one after the other.
   * @returns null where it is as good to read all of it.
   */
  parts(file: number, bits: DocumentBits): readonly number[] | null {
    const count = this.#count[file] as number;
    if (count <= MIN_SAVED) return null;
    const first = this.#first[file] as number;
    const segment = this.#segmentOf(first);
    const own = bits[segment] ?? null;
    const start = first - (this.#before[segment] as number);
    const { offsets, lines } = (this.#index.segments[segment] as IndexFile["segments"][number]).table;
    const parts: number[] = [];
    let saved = count;
    for (let i = start; i < start + count; i++) {
      if (own === null || ((own[i >> 3] as number) & (1 << (i & 7))) === 0) continue;
      saved -= 1;
      if (saved < MIN_SAVED) return null;
      const from = offsets[i] as number;
      const to = i + 1 < start + count ? (offsets[i + 1] as number) : this.#sizeOf(file);
      if (to - from > MAX_PART_BYTES) return null;
      if (parts.at(-2) === from && to - (parts.at(-3) as number) <= MAX_PART_BYTES) parts[parts.length - 2] = to;
      else parts.push(from, to, lines[i] as number);
    }
    return parts;
  }

  #segmentOf(document: number): number {
    let low = 0;
    let high = this.#before.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#before[middle] as number) <= document) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #sizeOf(file: number): number {
    return Number(this.#index.stamps[file * STAMP.numbers + STAMP.size]);
  }
}

const known = new WeakMap<IndexFile, Documents>();
