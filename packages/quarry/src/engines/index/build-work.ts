import type { Lease } from "../workers/lease.js";
import { WorkerPool } from "../workers/pool.js";
import { SHARED, type BuildAnswer, type BuildTask, type CopyTask } from "./build-protocol.js";

/** Workers of a process that build. */
export const WORKERS = 2;
const IDLE_MS = 2_000;

export type WorkEnd =
  | Exclude<BuildAnswer, { readonly kind: "segment" | "ready" }>
  | { readonly kind: "failed"; readonly why: string };

/** What one worker does for a build. */
export class BuildWork {
  readonly done: Promise<WorkEnd>;
  #lease: Lease | null = null;
  #cancel: (() => void) | null = null;
  #settle: (end: WorkEnd) => void = () => undefined;

  /** @param segments gets what the worker has written. */
  constructor(task: BuildTask | CopyTask, segments: WrittenSegment[]) {
    this.done = new Promise((resolve) => (this.#settle = resolve));
    this.#cancel = pool().request({
      granted: (lease) => {
        this.#lease = lease;
        lease.post(task);
      },
      message: (lease, message) => {
        const answer = message as BuildAnswer;
        if (answer.kind === "segment") segments.push(answer);
        else if (answer.kind !== "ready") {
          lease.release();
          this.#settle(answer);
        }
      },
      wanted: () => undefined,
      lost: (_, why) => {
        Atomics.store(task.shared, SHARED.stop, 1);
        this.#settle({ kind: "failed", why: `a worker of the build was lost (${why})` });
      },
    });
  }

  /** Ends the worker, whatever it does. */
  async end(): Promise<void> {
    this.#cancel?.();
    await this.#lease?.terminate();
    this.#settle({ kind: "stopped" });
  }
}

export type WrittenSegment = Extract<BuildAnswer, { readonly kind: "segment" }>;

let shared: WorkerPool | null = null;

/** The workers of this process that build. */
function pool(): WorkerPool {
  const script = new URL("./build-worker.js", import.meta.url);
  return (shared ??= new WorkerPool({ script, size: WORKERS, idleMs: IDLE_MS }));
}
