import type { LeaseEvents, PoolOptions } from "./lease.js";
import { PooledWorker } from "./pooled-worker.js";

/**
 * As many times the size of a pool of its workers may be stuck in the system, each with its memory; then none is started until one of
 * them has come back.
 */
const MAX_STUCK_SIZES = 4;

/**
 * Worker threads that are kept warm. Each belongs to one caller at a time; who finds none free waits in a queue. They do not keep the
 * process alive, except while they belong to somebody. A worker that ends is replaced by the next request, and so is one that was
 * told to end and does not, since the system holds its thread.
 *
 * An engine whose work can need another engine's workers must not share a pool with it: each could wait for the other.
 */
export class WorkerPool {
  readonly #options: PoolOptions;
  readonly #free: PooledWorker[] = [];
  readonly #workers = new Set<PooledWorker>();
  readonly #waiting: LeaseEvents[] = [];
  /** Workers that cannot take work yet. Nobody has them: one that is ended while it loads leaves files open behind it. */
  readonly #starting = new Set<PooledWorker>();
  /** Threads of former workers that the system holds. */
  #stuck = 0;
  #idleTimer: NodeJS.Timeout | null = null;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Workers that run, idle ones included. */
  get alive(): number {
    return this.#workers.size;
  }

  /** Threads that were told to end, and are held by the system. */
  get stuck(): number {
    return this.#stuck;
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
      if (at === -1) return;
      this.#waiting.splice(at, 1);
      this.#waitForStarting();
    };
  }

  #serve(): void {
    while (this.#waiting.length > 0 && this.#free.length > 0) {
      (this.#free.pop() as PooledWorker).grant(this.#waiting.shift() as LeaseEvents);
    }
    const { size } = this.#options;
    const mayStart = this.#stuck < size * MAX_STUCK_SIZES;
    while (mayStart && this.#starting.size < this.#waiting.length && this.#workers.size < size) this.#start();
    this.#waitForStarting();
    // Nobody will ever serve them. Told later: whoever asks now has not got its answer yet.
    if (!mayStart && this.#workers.size === 0) queueMicrotask(() => this.#refuse());
  }

  #refuse(): void {
    if (this.#workers.size > 0) return;
    for (const events of this.#waiting.splice(0)) events.lost(null, "the system holds its workers");
  }

  /** A worker that starts keeps the process alive only while somebody waits for one. */
  #waitForStarting(): void {
    for (const worker of this.#starting) worker.keepsAlive(this.#waiting.length > 0);
  }

  #start(): void {
    const worker: PooledWorker = new PooledWorker(this.#options, {
      started: () => {
        this.#starting.delete(worker);
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
      stuck: (is) => {
        this.#stuck += is ? 1 : -1;
      },
    });
    this.#workers.add(worker);
    this.#starting.add(worker);
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
