import type { Lease } from "../workers/lease.js";
import type { WorkerPool } from "../workers/pool.js";
import { SHARED, type Answer, type RunTask } from "./protocol.js";

/** A worker that does not come to an end within this time of being told to is ended. In milliseconds. */
const GRACE_MS = 40;

export interface WorkEvents {
  answer(answer: Exclude<Answer, { readonly kind: "exit" }>): void;
  /** It is over; the worker is given back. */
  exit(answer: Extract<Answer, { readonly kind: "exit" }>): void;
  /** Others wait for a worker. */
  wanted(): void;
  /** The worker ended though nobody asked it to. */
  lost(why: string): void;
}

let numbers = 0;

/** One run of ripgrep in a worker, from the request for one on. Nothing is told of it any more once `stop` was called. */
export class Work {
  readonly shared = new Int32Array(new SharedArrayBuffer(SHARED.size * Int32Array.BYTES_PER_ELEMENT));
  readonly #number = ++numbers;
  readonly #events: WorkEvents;
  readonly #cancel: () => void;
  #lease: Lease | null = null;
  #over = false;
  /** Set where it is to end and somebody waits for that. */
  #stopping: (() => void) | null = null;

  constructor(pool: WorkerPool, task: Omit<RunTask, "run" | "shared">, events: WorkEvents) {
    this.#events = events;
    this.#cancel = pool.request({
      granted: (lease) => {
        this.#lease = lease;
        lease.post({ ...task, run: this.#number, shared: this.shared } satisfies RunTask);
      },
      message: (_, message) => this.#hear(message as Answer),
      wanted: () => events.wanted(),
      lost: (_, why) => {
        this.#over = true;
        if (this.#stopping === null) events.lost(why);
        else this.#stopping();
      },
    });
  }

  /** So many bytes of output were taken. */
  taken(bytes: number): void {
    Atomics.sub(this.shared, SHARED.waitingBytes, bytes);
    Atomics.notify(this.shared, SHARED.waitingBytes);
  }

  /** Its input buffer holds so many bytes; 0 at the end. */
  supplied(bytes: number): void {
    Atomics.store(this.shared, SHARED.input, bytes);
    Atomics.notify(this.shared, SHARED.input);
  }

  /** Lets the worker come to its end; one that does not is ended. Settles when the worker is somebody else's, or gone. */
  async stop(): Promise<void> {
    this.#cancel();
    const lease = this.#lease;
    if (this.#over || lease === null) return;
    Atomics.store(this.shared, SHARED.stop, 1);
    Atomics.notify(this.shared, SHARED.waitingBytes);
    Atomics.notify(this.shared, SHARED.input);
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#stopping = resolve;
      timer = setTimeout(resolve, GRACE_MS);
    });
    clearTimeout(timer);
    if (this.#over) return;
    this.#over = true;
    await lease.terminate();
  }

  #hear(answer: Answer): void {
    if (this.#over || answer.run !== this.#number) return;
    if (answer.kind === "exit") {
      this.#over = true;
      this.#lease?.release();
    }
    if (this.#stopping !== null) {
      if (answer.kind === "exit") this.#stopping();
    } else if (answer.kind === "exit") this.#events.exit(answer);
    else this.#events.answer(answer);
  }
}
