import type { RelPath } from "../../paths/path.js";
import type { FileBatch } from "../../search/engine.js";
import type { Mount, Target } from "../../workspace/mount.js";
import { RANGE_NUMBERS, SEEN, type Skips } from "../kernel/protocol.js";
import type { Narrowed } from "./known-tree.js";
import { Places } from "./places.js";

/** Files that an index does not know, or that were changed, are looked into: with more of them than this, a new one is worth its price. */
const MAX_STALE_FILES = 200;
const MAX_STALE_SHARE = 0.02;

/** What is left of batches is handed on together: so many files, or what has come in so many milliseconds. */
const ENOUGH_FILES = 1_024;
const ENOUGH_MS = 3;

/** What one search has to do with one mount. */
interface Use {
  readonly mount: Mount;
  readonly narrowed: Narrowed | null;
  files: number;
  /** Files that are not in the index. */
  unknown: number;
  readonly skips: Skips[];
}

/** What is left of some batches of a target. */
interface Rest {
  readonly target: Target;
  readonly files: RelPath[];
  /** For each, as in `Skips`. */
  readonly numbers: number[];
  /** As in `Skips`. */
  readonly parts: number[];
  readonly ranges: number[];
  readonly since: number;
}

/** The files of one search, without those of which it is known that nothing is in them. */
export class Narrowing {
  readonly #source: AsyncIterable<FileBatch>;
  readonly #narrow: (mount: Mount) => Narrowed | null;
  readonly #uses = new Map<Mount, Use>();
  readonly #skips = new WeakMap<FileBatch, Skips>();
  #ruledOut = 0;

  /** @param narrow what is known of a mount's folder; asked once for each. */
  constructor(source: AsyncIterable<FileBatch>, narrow: (mount: Mount) => Narrowed | null) {
    this.#source = source;
    this.#narrow = narrow;
  }

  async *batches(): AsyncGenerator<FileBatch> {
    let rest: Rest | null = null;
    for await (const batch of this.#source) {
      const { target } = batch;
      const use = this.#useOf(target.mount);
      const { narrowed } = use;
      use.files += batch.files.length;
      if (rest !== null && (rest.target !== target || narrowed?.isWatched !== true)) {
        yield this.#batch(rest);
        rest = null;
      }
      if (narrowed === null || !narrowed.isWatched) {
        if (narrowed !== null) this.#askAll(batch, use, narrowed);
        yield batch;
        continue;
      }
      rest ??= { target, files: [], numbers: [], parts: [], ranges: [], since: performance.now() };
      this.#gather(batch, use, narrowed, rest);
      if (rest.files.length >= ENOUGH_FILES || performance.now() - rest.since >= ENOUGH_MS) {
        if (rest.files.length > 0) yield this.#batch(rest);
        rest = null;
      }
    }
    if (rest !== null && rest.files.length > 0) yield this.#batch(rest);
  }

  /** Which files of a batch need not be looked into where they are what they were. */
  skipsOf(batch: FileBatch): Skips | null {
    return this.#skips.get(batch) ?? null;
  }

  /** Keeps what the workers have found out. @returns files that were not even handed on, and whether an index was used. */
  learn(): { readonly ruledOut: number; readonly isUsed: boolean } {
    let isUsed = false;
    for (const { narrowed, skips } of this.#uses.values()) {
      if (narrowed === null) continue;
      isUsed = true;
      // Without a watch nobody tells what happens after a file was asked.
      if (!narrowed.isWatched) continue;
      for (const some of skips) narrowed.known.learn(some, narrowed.since);
    }
    return { ruledOut: this.#ruledOut, isUsed };
  }

  /** For each mount whether an index is missing, or knows too little of what is there. */
  mounts(minFiles: number): { readonly mount: Mount; readonly isPoor: boolean }[] {
    return [...this.#uses.values()].map(({ mount, narrowed, files, unknown, skips }) => {
      const changed = skips.reduce(
        (n, { seen }) => n + seen.reduce((m, one) => m + (one === SEEN.changed ? 1 : 0), 0),
        0,
      );
      const isStale = unknown + changed > Math.max(MAX_STALE_FILES, files * MAX_STALE_SHARE);
      return { mount, isPoor: files >= minFiles && (narrowed === null || isStale) };
    });
  }

  #useOf(mount: Mount): Use {
    let use = this.#uses.get(mount);
    if (use === undefined)
      this.#uses.set(mount, (use = { mount, narrowed: this.#narrow(mount), files: 0, unknown: 0, skips: [] }));
    return use;
  }

  /** Without a watch: all files of a batch are handed on, and the system is asked about each. */
  #askAll(batch: FileBatch, use: Use, { known, wanted }: Narrowed): void {
    const { numbers } = Places.of(known.open.file, batch.files);
    const asked = numbers.map((number) => (number >= 0 && wanted.files.has(number) ? -1 : number));
    use.unknown += numbers.reduce((n, number) => n + (number < 0 ? 1 : 0), 0);
    this.#keepSkips(batch, { numbers: asked, parts: [], ranges: [] }, use, known.open.file.stamps);
  }

  /** Adds the files of a batch that something may be in, or of which it is not known that they are what they were. */
  #gather(batch: FileBatch, use: Use, { known, wanted }: Narrowed, rest: Rest): void {
    const places = Places.of(known.open.file, batch.files);
    const left = places.without(wanted.files, known.same);
    for (const position of left) {
      const number = places.numbers[position] as number;
      if (number < 0) use.unknown += 1;
      rest.files.push(batch.files[position] as RelPath);
      const isWanted = number < 0 || wanted.files.has(number);
      const parts = number >= 0 && isWanted ? wanted.parts(number) : null;
      rest.numbers.push(isWanted && parts === null ? -1 : number);
      rest.parts.push(parts === null ? -1 : rest.ranges.length);
      if (parts !== null) rest.ranges.push(parts.length / RANGE_NUMBERS, ...parts);
    }
    this.#ruledOut += batch.files.length - left.length;
  }

  #batch({ target, files, ...rest }: Rest): FileBatch {
    const batch = { target, files, trees: [] };
    const use = this.#useOf(target.mount);
    if (use.narrowed !== null && rest.numbers.some((number) => number >= 0))
      this.#keepSkips(batch, rest, use, use.narrowed.known.open.file.stamps);
    return batch;
  }

  #keepSkips(
    batch: FileBatch,
    of: Pick<Rest, "parts" | "ranges"> & { numbers: ArrayLike<number> },
    use: Use,
    stamps: BigInt64Array,
  ): void {
    const skips = {
      numbers: shared(Int32Array, of.numbers),
      parts: of.ranges.length === 0 ? null : shared(Int32Array, of.parts),
      ranges: of.ranges.length === 0 ? null : shared(Uint32Array, of.ranges),
      stamps,
      seen: new Uint8Array(new SharedArrayBuffer(of.numbers.length)),
    };
    use.skips.push(skips);
    this.#skips.set(batch, skips);
  }
}

function shared<T extends Int32Array | Uint32Array>(
  kind: { new (memory: SharedArrayBuffer): T; readonly BYTES_PER_ELEMENT: number },
  numbers: ArrayLike<number>,
): T {
  const array = new kind(new SharedArrayBuffer(numbers.length * kind.BYTES_PER_ELEMENT));
  array.set(numbers);
  return array;
}
