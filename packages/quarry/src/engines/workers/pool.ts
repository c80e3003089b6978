import { Worker, type ResourceLimits, type Transferable } from "node:worker_threads";

export interface PoolOptions {
  /** The workers' module. */
  readonly script: URL;
  /** Workers at once. */
  readonly size: number;
  /** An idle worker ends after this time and gives its memory back. */
  readonly idleMs: number;
  readonly resourceLimits?: ResourceLimits;
}

/** Whoever has a worker hears of it through these. */
export interface LeaseEvents {
  /** The worker is there; what is posted from now on reaches it. */
  granted(lease: Lease): void;
  message(lease: Lease, message: unknown): void;
  /** The worker ended though nobody asked it to; the lease is over. `why` is a short word without paths, such as `ERR_WORKER_OUT_OF_MEMORY`. */
  lost(lease: Lease, why: string): void;
}

/** A worker that belongs to one caller for a time. */
export interface Lease {
  /** From 1; no two workers of a process have the same. */
  readonly worker: number;
  post(message: unknown, transfer?: readonly Transferable[]): void;
  /** Gives the worker back, as it is. */
  release(): void;
  /** Ends the worker, whatever it does; settles when it has ended. */
  terminate(): Promise<void>;
}

/**
 * Worker threads that are kept warm. Each belongs to one caller at a time; who finds none free waits in a queue. They do not keep the
 * process alive, except while they belong to somebody. A worker that ends is replaced by the next request.
 *
 * An engine whose work can need another engine's workers must not share a pool with it: each could wait for the other.
 */
export class WorkerPool {
  readonly #options: PoolOptions;
  readonly #free: PooledWorker[] = [];
  readonly #waiting: LeaseEvents[] = [];
  #alive = 0;
  #idleTimer: NodeJS.Timeout | null = null;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Workers that run, idle ones included. */
  get alive(): number {
    return this.#alive;
  }

  /** Requests that wait for a worker. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Asks for a worker, which may be there at once.
   * @returns takes the request back; no effect once it is granted.
   */
  request(events: LeaseEvents): () => void {
    this.#waiting.push(events);
    this.#serve();
    return () => {
      const at = this.#waiting.indexOf(events);
      if (at !== -1) this.#waiting.splice(at, 1);
    };
  }

  #serve(): void {
    while (this.#waiting.length > 0) {
      const worker = this.#free.pop() ?? (this.#alive < this.#options.size ? this.#start() : null);
      if (worker === null) return;
      worker.grant(this.#waiting.shift() as LeaseEvents);
    }
  }

  #start(): PooledWorker {
    this.#alive += 1;
    return new PooledWorker(this.#options, {
      free: (worker) => {
        this.#free.push(worker);
        this.#serve();
        if (this.#idleTimer === null) this.#idleTimer = this.#startIdleTimer();
      },
      ended: (worker) => {
        this.#alive -= 1;
        const at = this.#free.indexOf(worker);
        if (at !== -1) this.#free.splice(at, 1);
        this.#serve();
      },
    });
  }

  #startIdleTimer(): NodeJS.Timeout {
    const timer = setInterval(() => {
      const since = performance.now() - this.#options.idleMs;
      for (const worker of this.#free.filter((one) => one.idleSince <= since)) void worker.terminate();
      if (this.#alive > 0) return;
      clearInterval(timer);
      this.#idleTimer = null;
    }, this.#options.idleMs / 2);
    return timer.unref();
  }
}

let numbers = 0;

class PooledWorker {
  idleSince = 0;
  readonly #worker: Worker;
  readonly #number = ++numbers;
  readonly #ended: Promise<void>;
  #owner: { readonly lease: Lease; readonly events: LeaseEvents } | null = null;
  #why = "it ended";
  readonly #pool: { free(worker: PooledWorker): void; ended(worker: PooledWorker): void };

  constructor(options: PoolOptions, pool: { free(worker: PooledWorker): void; ended(worker: PooledWorker): void }) {
    this.#pool = pool;
    const { resourceLimits } = options;
    // No flags of the process: some are refused in a worker, and none is needed.
    this.#worker = new Worker(options.script, {
      execArgv: [],
      ...(resourceLimits === undefined ? {} : { resourceLimits }),
    });
    this.#worker.on("message", (message: unknown) => this.#owner?.events.message(this.#owner.lease, message));
    this.#worker.on("messageerror", () => void this.terminate());
    this.#worker.on("error", (error: NodeJS.ErrnoException) => {
      this.#why = /^[A-Z0-9_]+$/.test(error.code ?? "") ? (error.code as string) : error.name;
    });
    this.#ended = new Promise((resolve) => {
      this.#worker.on("exit", () => {
        resolve();
        const owner = this.#owner;
        this.#owner = null;
        pool.ended(this);
        owner?.events.lost(owner.lease, this.#why);
      });
    });
  }

  grant(events: LeaseEvents): void {
    const lease: Lease = {
      worker: this.#number,
      post: (message, transfer = []) => this.#worker.postMessage(message, transfer),
      release: () => {
        if (this.#owner?.lease !== lease) return;
        this.#owner = null;
        this.#worker.unref();
        this.idleSince = performance.now();
        this.#pool.free(this);
      },
      terminate: async () => {
        if (this.#owner?.lease === lease) this.#owner = null;
        await this.terminate();
      },
    };
    this.#owner = { lease, events };
    this.#worker.ref();
    events.granted(lease);
  }

  async terminate(): Promise<void> {
    void this.#worker.terminate();
    await this.#ended;
  }
}
