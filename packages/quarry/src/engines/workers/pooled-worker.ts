import { isMainThread, Worker } from "node:worker_threads";
import type { Lease, LeaseEvents, PoolOptions } from "./lease.js";

/**
 * A worker that was told to end is waited for so long, in milliseconds. Far longer than any needs that runs JavaScript or WebAssembly;
 * one inside a system call that does not return (a network file system whose server is gone) cannot be ended by anybody.
 */
const END_MS = 700;
/** So much longer (ms) the process does not end for it by itself: on a busy machine a thread may only be slow to end. */
const LAST_MS = 2_500;
/** A worker takes some 50 ms until it can take work; one that cannot after this time (ms) is told to end. */
const START_MS = 20_000;

/** What a worker tells its pool. */
export interface Place {
  /** It can take work, or never will. */
  started(): void;
  free(): void;
  /**
   * It is no worker any more. Told once.
   * @param why null where it had been started.
   */
  ended(why: string | null): void;
  /** Its thread, which did not end in time (true), ended after all (false). */
  stuck(is: boolean): void;
}

let numbers = 0;

export class PooledWorker {
  idleSince = 0;
  readonly #worker: Worker;
  readonly #number = ++numbers;
  readonly #place: Place;
  readonly #startTimer: NodeJS.Timeout;
  #owner: { readonly lease: Lease; readonly events: LeaseEvents } | null = null;
  #why = "it ended";
  #ready = false;
  #ending: Promise<void> | null = null;
  /** Its place was told that it is no more. */
  #gone = false;
  #exited = false;

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
      clearTimeout(this.#startTimer);
      place.started();
      if (this.#ending === null) this.#setFree();
    });
    this.#worker.on("messageerror", () => void this.terminate());
    this.#worker.on("error", (error: NodeJS.ErrnoException) => {
      this.#why = /^[A-Z0-9_]+$/.test(error.code ?? "") ? (error.code as string) : error.name;
    });
    this.#worker.on("exit", () => {
      this.#exited = true;
      clearTimeout(this.#startTimer);
      if (stuck.delete(this)) place.stuck(false);
      this.#leave();
    });
    this.#startTimer = setTimeout(() => {
      this.#why = "it did not start in time";
      void this.terminate();
    }, options.startMs ?? START_MS).unref();
  }

  /** While it starts: whether the process waits for it. */
  keepsAlive(does: boolean): void {
    if (does) this.#worker.ref();
    else this.#worker.unref();
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

  askBack(): void {
    this.#owner?.events.wanted(this.#owner.lease);
  }

  /** Ends the thread, or gives it up after END_MS: nobody waits for it any more, and another may take its place. */
  terminate(): Promise<void> {
    return (this.#ending ??= this.#end());
  }

  async #end(): Promise<void> {
    if (this.#exited) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, END_MS)));
    await Promise.race([this.#worker.terminate(), late]);
    clearTimeout(timer);
    if (!this.#exited) this.#giveUp();
  }

  #giveUp(): void {
    // Node waits for a worker that it was told to end, unless told otherwise afterwards.
    setTimeout(() => this.#worker.unref(), LAST_MS).unref();
    endDespite(this);
    this.#place.stuck(true);
    this.#leave();
  }

  #setFree(): void {
    this.#owner = null;
    this.#worker.unref();
    this.idleSince = performance.now();
    this.#place.free();
  }

  #leave(): void {
    if (this.#gone) return;
    this.#gone = true;
    const owner = this.#owner;
    this.#owner = null;
    if (!this.#ready) this.#place.started();
    this.#place.ended(this.#ready ? null : this.#why);
    owner?.events.lost(owner.lease, this.#why);
  }
}

/** Workers of this process whose thread did not end in time, and has not since. */
const stuck = new Set<PooledWorker>();
let watchesExit = false;

/**
 * Node joins every thread when the process ends, `process.exit` included, and so would never end with one that is stuck in the
 * system (seen with 20 and 24). Then the process ends by a signal once everything else is done.
 */
function endDespite(worker: PooledWorker): void {
  stuck.add(worker);
  if (watchesExit || !isMainThread) return;
  watchesExit = true;
  process.on("exit", () => {
    if (stuck.size > 0) process.kill(process.pid, "SIGKILL");
  });
}
