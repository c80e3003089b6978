import type { Mount } from "../../workspace/mount.js";
import type { SegmentPlace } from "./format.js";

/** Larger files are not indexed, and always looked into. */
export const MAX_FILE_BYTES = 16_777_216;
/** A document is so long, up to the end of its last line. */
export const DOCUMENT_BYTES = 16_384;

/** What a build shares with its workers, as `Int32Array`. */
export const SHARED = { stop: 0, filesDone: 1, size: 2 } as const;

/** To a worker. */
export interface BuildTask {
  readonly mount: Omit<Mount, never>;
  readonly names: SharedArrayBuffer;
  /** As the kernel's `CLAIM`. */
  readonly claims: Int32Array;
  readonly files: number;
  readonly stamps: BigInt64Array;
  readonly flags: Uint8Array;
  readonly shared: Int32Array;
  /** Of the index: where the next free page is. */
  readonly end: BigInt64Array;
  /** The file that is written, open; all threads of a process have the same descriptors. */
  readonly fd: number;
  readonly maxBytes: number;
  /** From 1. */
  readonly worker: number;
}

/** From a worker. */
export type BuildAnswer =
  /** It can take work. */
  | { readonly kind: "ready" }
  | { readonly kind: "segment"; readonly place: SegmentPlace; readonly checksums: Uint32Array }
  | { readonly kind: "done"; readonly indexed: number; readonly textBytes: number }
  | { readonly kind: "tooLarge" }
  /** It was told to stop. */
  | { readonly kind: "stopped" };
