import type { FileBatch } from "../../search/engine.js";
import type { Ground } from "./ground.js";
import type { Part, Places } from "./part.js";

/** How a run of ripgrep ended. */
export type Exit =
  | { readonly kind: "status"; readonly code: number }
  | { readonly kind: "signal"; readonly signal: string }
  /** It never ran; the system's code, such as ENOENT. */
  | { readonly kind: "unstarted"; readonly code: string };

/** What is started. */
export interface Launch {
  readonly args: readonly string[];
  /** The files it searches; null for none. */
  readonly part: Part | null;
  /** As the host named them. */
  readonly places: Places;
  readonly ground: Ground;
  /** What it reads as its input; null closes its input. */
  readonly input: Iterable<Buffer> | null;
  /** Told of every piece of output and of the end. */
  readonly onChange: () => void;
  /** Told of each complaint about one place: `path: reason (os error N)`. */
  readonly onComplaint: (complaint: string) => void;
}

/** One running ripgrep: its output is queued, and held back while nobody takes it. */
export interface RipgrepRun {
  /** null while it runs. */
  readonly exit: Exit | null;
  /** Messages that are no complaint about one place; their start. */
  readonly messages: string;
  /** What went wrong where its input comes from; null where nothing did. */
  readonly inputError: unknown;
  /** Settles when it is gone. */
  readonly ended: Promise<void>;
  /** True when it has ended; its output may still wait to be taken. */
  readonly exited: boolean;
  /** True when it has ended and all its output was taken. */
  readonly finished: boolean;
  /** Memory that it takes now; 0 where that is not known. */
  readonly memoryBytes: number;
  /** True where it ended for want of memory. */
  readonly outOfMemory: boolean;
  /** True where it was lost through no fault of its question or its files, so that it can be tried once more. */
  readonly lost: boolean;
  /** What it has printed since the last call; null where there is nothing. */
  take(): Buffer[] | null;
  /** Settles with the next piece of output or the end. */
  changed(): Promise<void>;
  /** Ends it at once. What it has printed and nobody took is lost. */
  kill(): void;
}

/** Where ripgrep runs: the operating system, or a WebAssembly machine in this process. */
export interface RipgrepHost {
  /** True where it gets its files through the guard. */
  readonly guarded: boolean;
  /**
   * Cuts `batch.files[from, to)` into what one run can be given.
   * @param framed the output tells paths apart whatever they hold (JSON).
   */
  cut(batch: FileBatch, from: number, to: number, without: ReadonlySet<number>, framed: boolean): Part[];
  /** @throws QuarryError where the mount's folder cannot be opened. */
  places(part: Part, ground: Ground, framed: boolean): Places;
  start(launch: Launch): RipgrepRun;
}
