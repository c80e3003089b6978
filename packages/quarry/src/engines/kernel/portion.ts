import type { FileBatch } from "../../search/engine.js";
import { OUTCOME, type PackedFile } from "./packed.js";
import { CHUNK_FILES, CLAIM, joinFiles, type PortionTask, type Skips } from "./protocol.js";
import type { KernelPlan } from "./plan.js";

const ELSEWHERE = { outcome: OUTCOME.elsewhere, count: 0, hits: [], packed: null, bytes: 0 };

/** A chunk that was lost more often is another engine's. */
const MAX_ATTEMPTS = 2;

let numbers = 0;

/** The files of one batch, on their way through the workers; results are kept until it is their turn. */
export class Portion {
  readonly batch: FileBatch;
  readonly number = ++numbers;
  readonly #claims: Int32Array;
  readonly #chunks: Chunk[] = [];
  readonly #names: SharedArrayBuffer;
  readonly #shortReadsEnd: boolean;
  readonly #skips: Skips | null;
  readonly #otherCaseFiles: number;
  /** Chunks with files that are not done. */
  #open: number;
  /** The first chunk that is not done. */
  #next = 0;
  /** The first chunk that is not handed on whole. */
  #head = 0;

  /**
   * @param shortEnds what `shortReadsEnd` says of the batch's mount.
   * @param otherCaseFiles as in `PortionTask`.
   */
  constructor(batch: FileBatch, shortEnds: boolean, skips: Skips | null, otherCaseFiles: number) {
    this.#otherCaseFiles = otherCaseFiles;
    this.batch = batch;
    this.#shortReadsEnd = shortEnds;
    this.#skips = skips;
    const count = Math.ceil(batch.files.length / CHUNK_FILES);
    this.#open = count;
    this.#claims = new Int32Array(new SharedArrayBuffer(count * CLAIM.size * Int32Array.BYTES_PER_ELEMENT));
    for (let i = 0; i < count; i++) {
      const files = Math.min(CHUNK_FILES, batch.files.length - i * CHUNK_FILES);
      this.#chunks.push({ files, done: 0, attempts: 0, givenAway: false, results: [] });
    }
    this.#names = joinFiles(batch.files, this.#claims);
  }

  task(search: number, task: number, worker: number, plan: KernelPlan, shared: Int32Array): PortionTask {
    return {
      kind: "portion",
      search,
      portion: this.number,
      task,
      worker,
      plan,
      shared,
      claims: this.#claims,
      mount: { ...this.batch.target.mount },
      names: this.#names,
      files: this.batch.files.length,
      shortReadsEnd: this.#shortReadsEnd,
      otherCaseFiles: this.#otherCaseFiles,
      skips: this.#skips,
    };
  }

  /** Chunks that can be claimed each for itself. */
  get chunks(): number {
    return this.#chunks.length;
  }

  /** True where another engine searches files that no worker has looked into. */
  get gaveAway(): boolean {
    return this.#chunks.some((chunk) => chunk.givenAway);
  }

  /** The first chunk that is not done; their number where all are. */
  get next(): number {
    for (let chunk = this.#chunks[this.#next]; chunk !== undefined && chunk.done === chunk.files;)
      chunk = this.#chunks[++this.#next];
    return this.#next;
  }

  /** True where no worker has claimed the first chunk that is not done. */
  get isNextFree(): boolean {
    const { next } = this;
    return next < this.#chunks.length && Atomics.load(this.#claims, next * CLAIM.size + CLAIM.owner) === 0;
  }

  /** True where every file is done. */
  get complete(): boolean {
    return this.#open === 0;
  }

  /** True where everything is handed on. */
  get finished(): boolean {
    return this.#head === this.#chunks.length;
  }

  /**
   * Takes what a worker found.
   * @returns bytes of results that come too late, since another engine has their files by now.
   */
  add(files: readonly PackedFile[], progress: readonly (readonly [chunk: number, files: number])[]): number {
    let late = 0;
    for (const file of files) {
      const chunk = this.#chunks[Math.floor(file.index / CHUNK_FILES)] as Chunk;
      if (chunk.givenAway) late += file.bytes;
      else chunk.results.push(file);
    }
    for (const [index, done] of progress) {
      const chunk = this.#chunks[index] as Chunk;
      if (chunk.givenAway) continue;
      if (chunk.done < chunk.files && done === chunk.files) this.#open -= 1;
      chunk.done = done;
      Atomics.store(this.#claims, index * CLAIM.size + CLAIM.done, done);
    }
    return late;
  }

  /**
   * A worker was lost: what it had claimed is free again. What was lost too often, or everything that is not done where `giveUp`, is
   * marked for another engine.
   * @returns true where there is something to do again.
   */
  lost(worker: number, giveUp: boolean): boolean {
    let again = false;
    this.#chunks.forEach((chunk, index) => {
      const at = index * CLAIM.size + CLAIM.owner;
      const owner = Atomics.load(this.#claims, at);
      if (chunk.done === chunk.files || (owner !== worker && !giveUp)) return;
      chunk.attempts += 1;
      if (giveUp || chunk.attempts >= MAX_ATTEMPTS) this.#elsewhere(index, chunk);
      else {
        Atomics.store(this.#claims, at, 0);
        again = true;
      }
    });
    return again;
  }

  /** Results that are next in the walker's order, and the number of files that they are about; empty where the next ones are not there yet. */
  take(): { readonly results: readonly PackedFile[]; readonly files: number } {
    const results: PackedFile[] = [];
    let files = 0;
    for (; this.#head < this.#chunks.length; this.#head++) {
      const chunk = this.#chunks[this.#head] as Chunk;
      results.push(...chunk.results);
      chunk.results = [];
      if (chunk.done < chunk.files) break;
      files += chunk.files;
    }
    return { results, files };
  }

  #elsewhere(index: number, chunk: Chunk): void {
    for (let i = chunk.done; i < chunk.files; i++) {
      chunk.results.push({ ...ELSEWHERE, index: index * CHUNK_FILES + i });
    }
    if (chunk.done < chunk.files) this.#open -= 1;
    chunk.done = chunk.files;
    chunk.givenAway = true;
    Atomics.store(this.#claims, index * CLAIM.size + CLAIM.owner, -1);
  }
}

interface Chunk {
  readonly files: number;
  done: number;
  attempts: number;
  /** Another engine searches what was not done. */
  givenAway: boolean;
  results: PackedFile[];
}
