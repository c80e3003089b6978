import { Worker, type ResourceLimits, type Transferable } from "node:worker_threads";

export interface PoolOptions {
  /** The workers' module. Each posts one message when it can take work, whatever it is. */
  readonly script: URL;
  /** Workers at once. */
  readonly size: number;
  /** An idle worker ends after this time and gives its memory back. */
  readonly idleMs: number;
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
  readonly #workers = new Set<PooledWorker>();
  readonly #waiting: LeaseEvents[] = [];
  /** Workers that cannot take work yet. Nobody has them: one that is ended while it loads leaves files open behind it. */
  #starting = 0;
  #idleTimer: NodeJS.Timeout | null = null;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Workers that run, idle ones included. */
  get alive(): number {
    return this.#workers.size;
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
    if (this.#waiting.includes(events)) for (const worker of [...this.#workers]) worker.askBack();
    return () => {
      const at = this.#waiting.indexOf(events);
      if (at !== -1) this.#waiting.splice(at, 1);
    };
  }

  #serve(): void {
    while (this.#waiting.length > 0 && this.#free.length > 0) {
      (this.#free.pop() as PooledWorker).grant(this.#waiting.shift() as LeaseEvents);
    }
    while (this.#starting < this.#waiting.length && this.#workers.size < this.#options.size) this.#start();
  }

  #start(): void {
    this.#starting += 1;
    const worker: PooledWorker = new PooledWorker(this.#options, {
      started: () => {
        this.#starting -= 1;
      },
      free: () => {
        this.#free.push(worker);
        this.#serve();
        if (this.#idleTimer === null) this.#idleTimer = this.#startIdleTimer();
      },
      ended: (why) => {
        this.#workers.delete(worker);
        this.#forget(worker);
        if (why !== null) this.#waiting.shift()?.lost(null, why);
        this.#serve();
      },
    });
    this.#workers.add(worker);
  }

  #forget(worker: PooledWorker): void {
    const at = this.#free.indexOf(worker);
    if (at !== -1) this.#free.splice(at, 1);
  }

  #startIdleTimer(): NodeJS.Timeout {
    const timer = setInterval(() => {
      const since = performance.now() - this.#options.idleMs;
      for (const worker of this.#free.filter((one) => one.idleSince <= since)) {
        this.#forget(worker);
        void worker.terminate();
      }
      if (this.#workers.size > 0) return;
      clearInterval(timer);
      this.#idleTimer = null;
    }, this.#options.idleMs / 2);
    return timer.unref();
  }
}

let numbers = 0;

/** What a worker tells its pool. */
interface Place {
  /** It can take work, or never will. */
  started(): void;
  free(): void;
  /** @param why null where it had been started. */
  ended(why: string | null): void;
}

class PooledWorker {
  idleSince = 0;
  readonly #worker: Worker;
  readonly #number = ++numbers;
  readonly #ended: Promise<void>;
  #owner: { readonly lease: Lease; readonly events: LeaseEvents } | null = null;
  #why = "it ended";
  #ready = false;
  readonly #place: Place;

  constructor(options: PoolOptions, place: Place) {
    this.#place = place;
    const { resourceLimits, data } = options;
    // No flags of the process: some are refused in a worker, and none is needed.
    this.#worker = new Worker(options.script, {
      execArgv: [],
      workerData: data,
      ...(resourceLimits === undefined ? {} : { resourceLimits }),
    });
    this.#worker.on("message", (message: unknown) => {
      if (this.#ready) return this.#owner?.events.message(this.#owner.lease, message);
      this.#ready = true;
      place.started();
      this.#setFree();
    });
    this.#worker.on("messageerror", () => void this.terminate());
    this.#worker.on("error", (error: NodeJS.ErrnoException) => {
      this.#why = /^[A-Z0-9_]+$/.test(error.code ?? "") ? (error.code as string) : error.name;
    });
    this.#ended = new Promise((resolve) => {
      this.#worker.on("exit", () => {
        resolve();
        const owner = this.#owner;
        this.#owner = null;
        if (!this.#ready) place.started();
        place.ended(this.#ready ? null : this.#why);
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
        this.#setFree();
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

  #setFree(): void {
    this.#owner = null;
    this.#worker.unref();
    this.idleSince = performance.now();
    this.#place.free();
  }

  askBack(): void {
    this.#owner?.events.wanted(this.#owner.lease);
  }

  async terminate(): Promise<void> {
    void this.#worker.terminate();
    await this.#ended;
  }
}
