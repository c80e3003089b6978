import type { RelPath } from "../../paths/path.js";
import type { Mount } from "../../workspace/mount.js";
import type { KernelPlan } from "./plan.js";

/** Files that a worker claims at once. */
export const CHUNK_FILES = 32;

/**
 * Results that may wait to be handed on, in bytes. Beyond, workers pause, but for the chunk that is next in the order of the search: what
 * waits behind it can be handed on only when that is done.
 */
export const MAX_WAITING_BYTES = 16_777_216;

/**
 * What a search shares with its workers, as `Int32Array` in shared memory: these positions (`nextPortion` and `nextChunk`: the first chunk that is not
 * done; a worker may see one of them without the other; `found`: not 0 where some worker has found a line) ...
 */
export const SHARED = { stop: 0, waitingBytes: 1, nextPortion: 2, nextChunk: 3, found: 4, size: 5 } as const;

/**
 * ... and for each portion, for each of its chunks: who has claimed it (0: nobody; a worker's number), how many of its files
 * are done already by a worker that was lost, and where its names end in the portion's.
 */
export const CLAIM = { owner: 0, done: 1, end: 2, size: 3 } as const;

/** To a worker: files of one batch. It claims chunks of them until there are none left. */
export interface PortionTask {
  readonly kind: "portion";
  readonly search: number;
  readonly portion: number;
  /** Its number among the search's. */
  readonly task: number;
  readonly worker: number;
  readonly plan: KernelPlan;
  readonly shared: Int32Array;
  readonly claims: Int32Array;
  /** A copy: the policy that made the original has checked these files. */
  readonly mount: Omit<Mount, never>;
  /** The chunks' names one after the other, see `splitFiles`. */
  readonly names: SharedArrayBuffer;
  /** Files of the portion. */
  readonly files: number;
  /** See `shortReadsEnd`. */
  readonly shortReadsEnd: boolean;
  /** Of so many of its first files it is asked whether `KernelPlan.otherCase` is in them, as long as nothing is found. */
  readonly otherCaseFiles: number;
  /** null where every file is looked into. */
  readonly skips: Skips | null;
}

/** What workers say of a file that they asked the system about. `linked`: it is the same, and may be written under another name. */
export const SEEN = { same: 1, changed: 2, linked: 3 } as const;

/** Files that need not be looked into, or only in parts, as long as they are what they were when an index was made. In shared memory. */
export interface Skips {
  /** For each file of the portion: its number in the index; -1 for one that is looked into in any case. */
  readonly numbers: Int32Array;
  /** For each file of the portion: where its parts begin in `ranges`; -1 where there are none. null where no file has any. */
  readonly parts: Int32Array | null;
  /** For each file with parts: their number; then for each where it begins and ends, in bytes, at line ends, and its first line's number. */
  readonly ranges: Uint32Array | null;
  /** By these numbers, see `STAMP`. */
  readonly stamps: BigInt64Array;
  /** For each file of the portion: one of `SEEN`; 0 where the system was not asked. */
  readonly seen: Uint8Array;
}

/** Numbers of one part in `Skips.ranges`. */
export const RANGE_NUMBERS = 3;

/** From a worker. */
export type Answer =
  /** It can take work. */
  | { readonly kind: "ready" }
  | {
      readonly kind: "found";
      readonly search: number;
      readonly portion: number;
      /** Packed results, see `packed.ts`. */
      readonly numbers: Uint32Array;
      readonly text: Uint8Array;
      /** Chunk and how many of its files are done; in the order of the work. */
      readonly progress: readonly (readonly [chunk: number, files: number])[];
      /** Files of the portion with a NUL in their first bytes. */
      readonly nulHeads: readonly number[];
      /** Files of the portion in which there may be a match in another letter case. */
      readonly otherCase: readonly number[];
      /** Why files failed that are not unreadable, in words. */
      readonly words: string | null;
      /** The task that is over with this, if any. */
      readonly over: number | null;
    }
  /** The worker has left the portion since too much waits to be handed on. */
  | { readonly kind: "paused"; readonly search: number; readonly portion: number }
  /** A task is over, and there is nothing to tell. */
  | { readonly kind: "over"; readonly search: number; readonly over: number };

/** Units of UTF-16, which keeps the names of every file system as they are. */
const UNIT_BYTES = 2;

/** Where the names of each chunk end, and the names, in memory that workers share. */
interface Joined {
  readonly names: SharedArrayBuffer;
  readonly ends: readonly number[];
}

/** A walk that is remembered hands on the same lists again. */
const joined = new WeakMap<readonly RelPath[], Joined>();

/**
 * Writes names for the workers into memory that they share: nobody copies it, and each reads only what it claims.
 * @param claims gets where each chunk ends.
 */
export function joinFiles(files: readonly RelPath[], claims: Int32Array): SharedArrayBuffer {
  let known = joined.get(files);
  if (known === undefined) joined.set(files, (known = join(files)));
  for (const [i, end] of known.ends.entries()) claims[i * CLAIM.size + CLAIM.end] = end;
  return known.names;
}

function join(files: readonly RelPath[]): Joined {
  const chunks: string[] = [];
  const ends: number[] = [];
  let end = 0;
  for (let from = 0; from < files.length; from += CHUNK_FILES) {
    const chunk = files.slice(from, from + CHUNK_FILES).join("\0");
    end += chunk.length;
    chunks.push(chunk);
    ends.push(end);
  }
  const names = new SharedArrayBuffer(end * UNIT_BYTES);
  Buffer.from(names).write(chunks.join(""), "utf16le");
  return { names, ends };
}

/** The names of one chunk. */
export function splitFiles(names: SharedArrayBuffer, claims: Int32Array, chunk: number): RelPath[] {
  const start = chunk === 0 ? 0 : (claims[(chunk - 1) * CLAIM.size + CLAIM.end] as number);
  const end = claims[chunk * CLAIM.size + CLAIM.end] as number;
  return Buffer.from(names)
    .toString("utf16le", start * UNIT_BYTES, end * UNIT_BYTES)
    .split("\0");
}
