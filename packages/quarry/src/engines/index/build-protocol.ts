import type { Mount } from "../../workspace/mount.js";
import type { SegmentPlace } from "./format.js";

/** Larger files are not indexed, and always looked into. */
export const MAX_FILE_BYTES = 33_554_432;
/** A document is so long, up to the end of its last line. */
export const DOCUMENT_BYTES = 16_384;

/** What a build shares with its workers, as `Int32Array`. */
export const SHARED = { stop: 0, filesDone: 1, filesRead: 2, size: 3 } as const;

/** To a worker: files to be read, or to be found as they were. */
export interface BuildTask {
  readonly kind: "build";
  readonly mount: Omit<Mount, never>;
  readonly names: SharedArrayBuffer;
  /** As the kernel's `CLAIM`. */
  readonly claims: Int32Array;
  readonly files: number;
  readonly stamps: BigInt64Array;
  readonly flags: Uint8Array;
  /** What the index that is there knows of the files; null where all are read. */
  readonly known: KnownFiles | null;
  readonly shared: Int32Array;
  /** Of the index: where the next free page is. */
  readonly end: BigInt64Array;
  /** The file that is written, open; all threads of a process have the same descriptors. */
  readonly fd: number;
  readonly maxBytes: number;
  /** From 1. */
  readonly worker: number;
}

/** In shared memory. */
export interface KnownFiles {
  /** For each file of the build its number in the index that is there; -1 for one that is read in any case. */
  readonly numbers: Int32Array;
  /** By these numbers. */
  readonly stamps: BigInt64Array;
  readonly flags: Uint8Array;
  /** Set to 1 for each file of the build that is what it was: it is not read. */
  readonly kept: Uint8Array;
}

/** To a worker: segments to be copied from the index that is there. */
export interface CopyTask {
  readonly kind: "copy";
  /** That index, open. */
  readonly from: number;
  readonly segments: readonly CopiedSegment[];
  /** For each of its files: the number in the new index; `-1 - n` where its text is no longer so, with another file's number in its place. */
  readonly renumbered: Int32Array;
  readonly shared: Int32Array;
  readonly end: BigInt64Array;
  readonly fd: number;
  readonly maxBytes: number;
}

export interface CopiedSegment {
  readonly place: SegmentPlace;
  /** Of its pages. */
  readonly checksums: Uint32Array;
}

/** From a worker. */
export type BuildAnswer =
  /** It can take work. */
  | { readonly kind: "ready" }
  | { readonly kind: "segment"; readonly place: SegmentPlace; readonly checksums: Uint32Array }
  | { readonly kind: "done"; readonly indexed: number; readonly textBytes: number }
  | { readonly kind: "tooLarge" }
  /** What was to be copied is not what was written. */
  | { readonly kind: "damaged" }
  /** It was told to stop. */
  | { readonly kind: "stopped" };
