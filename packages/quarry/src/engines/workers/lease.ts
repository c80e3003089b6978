import type { ResourceLimits, Transferable } from "node:worker_threads";

export interface PoolOptions {
  /** The workers' module. Each posts one message when it can take work, whatever it is. */
  readonly script: URL;
  /** Workers at once. */
  readonly size: number;
  /** An idle worker ends after this time and gives its memory back. */
  readonly idleMs: number;
  /** A worker that cannot take work this long after its start (ms) is given up; 20 s where absent. */
  readonly startMs?: number;
  readonly resourceLimits?: ResourceLimits;
  /** What each worker finds as `workerData`. */
  readonly data?: unknown;
}

/** Whoever has a worker hears of it through these. */
export interface LeaseEvents {
  /** The worker is there; what is posted from now on reaches it. */
  granted(lease: Lease): void;
  message(lease: Lease, message: unknown): void;
  /** Somebody waits for a worker: who has one without work for it gives it back. */
  wanted(lease: Lease): void;
  /**
   * The worker ended though nobody asked it to, and the lease is over; or (null) it did not get as far as being granted, and the request is
   * over. `why` is a short word without paths, such as `ERR_WORKER_OUT_OF_MEMORY`.
   */
  lost(lease: Lease | null, why: string): void;
}

/** A worker that belongs to one caller for a time. */
export interface Lease {
  /** From 1; no two workers of a process have the same. */
  readonly worker: number;
  post(message: unknown, transfer?: readonly Transferable[]): void;
  /** Gives the worker back, as it is. */
  release(): void;
  /**
   * Ends the worker, whatever it does; settles when it has ended, or after 0.7 s where its thread is stuck in the system: that thread
   * keeps what it has open, and ends when the system lets it go.
   */
  terminate(): Promise<void>;
}
