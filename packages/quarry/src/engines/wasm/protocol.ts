import type { Mount } from "../../workspace/mount.js";
import type { WasmModule } from "../workers/webassembly.js";

/** Output that waits to be taken, in bytes; above this ripgrep waits too. */
export const QUEUE_BYTES = 4_194_304;
/** Of its input at a time. */
export const INPUT_BYTES = 262_144;

/** What a run shares with its worker, as `Int32Array` in shared memory. */
export const SHARED = {
  /** Not 0: end at the next call of the host. */
  stop: 0,
  /** Bytes of output that wait to be taken. */
  waitingBytes: 1,
  /** Pages of 64 KiB that the machine has. */
  pages: 2,
  /** Of the input: -1 where a piece is asked for, otherwise its bytes; 0 at the end. */
  input: 3,
  size: 4,
} as const;

/** To a worker: one run of ripgrep. */
export interface RunTask {
  readonly run: number;
  readonly module: WasmModule;
  readonly args: readonly string[];
  /** The files that it sees, in its only folder, as names made of their number (see `names.ts`); null for none. */
  readonly served: { readonly mount: Omit<Mount, never>; readonly files: string } | null;
  readonly shared: Int32Array;
  /** Where its input is put; null where it is empty. */
  readonly input: Uint8Array | null;
}

/** From a worker. */
export type Answer =
  | { readonly kind: "output"; readonly run: number; readonly bytes: Uint8Array }
  | { readonly kind: "messages"; readonly run: number; readonly text: string }
  /** Waits for a piece of input. */
  | { readonly kind: "input"; readonly run: number }
  | {
      readonly kind: "exit";
      readonly run: number;
      /** The status; null where it did not end by itself. */
      readonly code: number | null;
      /** Why, where it did not end by itself, and what went wrong on our side while it ran; null for nothing. */
      readonly words: string | null;
    };
