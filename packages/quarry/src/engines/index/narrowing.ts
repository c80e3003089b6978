import type { RelPath } from "../../paths/path.js";
import type { FileBatch } from "../../search/engine.js";
import type { Mount } from "../../workspace/mount.js";
import { SEEN, type Skips } from "../kernel/protocol.js";
import type { Narrowed } from "./known-tree.js";
import type { IndexFile } from "./index-file.js";

/** Files that an index does not know, or that were changed, are looked into: with more of them than this, a new one is worth its price. */
const MAX_STALE_FILES = 200;
const MAX_STALE_SHARE = 0.02;

/** What one search has to do with one mount. */
interface Use {
  readonly mount: Mount;
  readonly narrowed: Narrowed | null;
  files: number;
  /** Files that are not in the index. */
  unknown: number;
  readonly skips: Skips[];
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
    for await (const batch of this.#source) {
      const some = this.#rest(batch);
      if (some.files.length > 0) yield some;
    }
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

  #rest(batch: FileBatch): FileBatch {
    const { mount } = batch.target;
    let use = this.#uses.get(mount);
    if (use === undefined) {
      use = { mount, narrowed: this.#narrow(mount), files: 0, unknown: 0, skips: [] };
      this.#uses.set(mount, use);
    }
    use.files += batch.files.length;
    if (use.narrowed === null) return batch;
    const { known, wanted, isWatched } = use.narrowed;
    const all = numbersOf(known.open.file, batch.files);
    const files: RelPath[] = [];
    const numbers: number[] = [];
    for (let i = 0; i < all.length; i++) {
      const number = all[i] as number;
      const isWanted = number < 0 || wanted[number] === 1;
      if (!isWanted && isWatched && known.same[number] === 1) continue;
      if (number < 0) use.unknown += 1;
      files.push(batch.files[i] as RelPath);
      numbers.push(isWanted ? -1 : number);
    }
    this.#ruledOut += all.length - files.length;
    const some = files.length === all.length ? batch : { target: batch.target, files, trees: [] };
    const skips = sharedSkips(numbers, known.open.file.stamps);
    use.skips.push(skips);
    this.#skips.set(some, skips);
    return some;
  }
}

function sharedSkips(numbers: readonly number[], stamps: BigInt64Array): Skips {
  const shared = new Int32Array(new SharedArrayBuffer(numbers.length * Int32Array.BYTES_PER_ELEMENT));
  shared.set(numbers);
  return { numbers: shared, stamps, seen: new Uint8Array(new SharedArrayBuffer(numbers.length)) };
}

/** Of lists that are handed on again and again. */
const numbers = new WeakMap<readonly RelPath[], { readonly index: IndexFile; readonly numbers: Int32Array }>();

/** The number of each file; -1 for those that are not in the index. */
function numbersOf(index: IndexFile, files: readonly RelPath[]): Int32Array {
  const known = numbers.get(files);
  if (known?.index === index) return known.numbers;
  const found = new Int32Array(files.length);
  for (let i = 0; i < files.length; i++) found[i] = index.numberOf(files[i] as RelPath);
  numbers.set(files, { index, numbers: found });
  return found;
}
