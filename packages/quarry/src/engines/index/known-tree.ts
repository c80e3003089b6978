import { comparePaths, isUnder, type RelPath } from "../../paths/path.js";
import { SEEN, type Skips } from "../kernel/protocol.js";
import type { Candidates } from "./candidates.js";
import { FileSet } from "./file-set.js";
import type { IndexFile } from "./index-file.js";
import type { OpenIndex } from "./store.js";
import type { Happened } from "./watch-protocol.js";

/**
 * What was known so long ago (ms) is asked again, in the next search if no sweep has done so: for at most so long a change that no event tells
 * of is not seen.
 */
const TRUSTED_MS = 60_000;

/**
 * Which files of an open index are known to be what they were when it was made: they were asked, and nothing has happened to them since a time
 * before that. Everything else has to be asked.
 */
export class KnownTree {
  readonly open: OpenIndex;
  /** The files that are known to be unchanged. */
  readonly same: FileSet;
  /** When something happened to each file last, as `now` counts. */
  readonly #last: Uint32Array;
  readonly #trustedMs: number;
  #now = 1;
  /** Everything in `same` was asked about since then, as `performance.now` counts. */
  #verifiedAt = performance.now();

  constructor(open: OpenIndex, trustedMs = TRUSTED_MS) {
    this.open = open;
    this.#trustedMs = trustedMs;
    this.same = new FileSet(open.file.paths.length);
    this.#last = new Uint32Array(open.file.paths.length);
  }

  /** Grows with everything that happens. */
  get now(): number {
    return this.#now;
  }

  /** Everything that is known has been asked about since `at`. */
  verified(at: number): void {
    this.#verifiedAt = Math.max(this.#verifiedAt, at);
  }

  /** Forgets what was asked too long ago. */
  expire(): void {
    const now = performance.now();
    if (now - this.#verifiedAt <= this.#trustedMs) return;
    this.same.clear();
    this.#verifiedAt = now;
  }

  happened({ touched, trees, lost }: Happened): void {
    this.#now += 1;
    const { file } = this.open;
    if (lost) {
      this.same.clear();
      this.#last.fill(this.#now);
      return;
    }
    for (const path of touched) this.#forget(file.numberOf(path));
    for (const path of trees) {
      for (let at = firstAt(file, path); at < file.paths.length; at++) {
        if (!isUnder(file.paths[at] as RelPath, path)) break;
        this.#forget(at);
      }
    }
  }

  /**
   * Takes what workers have found out, in a search that began when it was `since` here: what has happened to a file by then was told before they
   * asked, and what was told later counts more.
   */
  learn({ numbers, seen }: Skips, since: number): void {
    for (let i = 0; i < numbers.length; i++) {
      const number = numbers[i] as number;
      if (number < 0 || seen[i] !== SEEN.same) continue;
      if ((this.#last[number] as number) <= since) this.same.add(number);
    }
  }

  #forget(number: number): void {
    if (number < 0) return;
    this.same.delete(number);
    this.#last[number] = this.#now;
  }
}

/** What an index says of one question. */
export interface Narrowed {
  readonly known: KnownTree;
  readonly wanted: Candidates;
  /** What `known` says is true as of this search. */
  readonly isWatched: boolean;
  /** As `KnownTree.now` counts. */
  readonly since: number;
}

/** The first file that does not come before a path. */
function firstAt({ paths }: IndexFile, path: RelPath): number {
  let low = 0;
  let high = paths.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (comparePaths(paths[middle] as RelPath, path) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
