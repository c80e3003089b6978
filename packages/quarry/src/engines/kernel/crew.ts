import type { Lease } from "../workers/lease.js";
import type { WorkerPool } from "../workers/pool.js";
import type { KernelPlan } from "./plan.js";
import type { Portion } from "./portion.js";
import { MAX_WAITING_BYTES, SHARED, type Answer } from "./protocol.js";

/** A worker that does not come to an end within this time of being told to is ended. */
const GRACE_MS = 150;
/** Workers that were lost one after the other without anything done: then another engine does the rest. */
const MAX_LOST_IN_VAIN = 3;

/** The number of none. */
const NO_WORKER = -2;

let searches = 0;

export type Found = Extract<Answer, { readonly kind: "found" }>;

export interface CrewEvents {
  /** A worker brings results. */
  found(answer: Found): void;
  /** Something came or was lost. */
  change(): void;
}

/** The workers of one search: asks for them, gives them portions, does again what a lost one had begun. */
export class Crew {
  readonly #pool: WorkerPool;
  readonly #plan: KernelPlan;
  readonly #wanted: number;
  readonly #events: CrewEvents;
  readonly #number = ++searches;
  readonly #shared = new Int32Array(new SharedArrayBuffer(SHARED.size * Int32Array.BYTES_PER_ELEMENT));
  readonly #members = new Map<Lease, Member>();
  readonly #requests = new Set<() => void>();
  /** Portions with files that are not done. */
  readonly #portions: Portion[] = [];
  readonly #paused = new Set<Lease>();
  /** Workers went back while there was still something to do. */
  #gaveBack = false;
  #lostInVain = 0;
  #tasks = 0;
  #stopped = false;

  /** @param wanted workers at once, at most. */
  constructor(pool: WorkerPool, plan: KernelPlan, wanted: number, events: CrewEvents) {
    this.#pool = pool;
    this.#plan = plan;
    this.#wanted = wanted;
    this.#events = events;
  }

  /** True where a worker has found a line. */
  get found(): boolean {
    return Atomics.load(this.#shared, SHARED.found) !== 0;
  }

  add(portion: Portion): void {
    this.#portions.push(portion);
    this.#tellNext();
    for (const lease of this.#members.keys()) this.#give(lease, portion);
    this.#hire();
  }

  /** So many bytes of results were handed on. */
  handedOn(bytes: number): void {
    Atomics.sub(this.#shared, SHARED.waitingBytes, bytes);
    this.#resume();
  }

  /** Nobody works for this search any more when it settles. */
  async end(): Promise<void> {
    this.#stopped = true;
    Atomics.store(this.#shared, SHARED.stop, 1);
    for (const cancel of this.#requests) cancel();
    await Promise.all([...this.#members.keys()].map((lease) => this.#dismiss(lease)));
  }

  #hire(): void {
    if (this.#stopped || this.#portions.length === 0) return;
    const chunks = this.#portions.reduce((n, portion) => n + portion.chunks, 0);
    while (this.#members.size + this.#requests.size < Math.min(this.#wanted, chunks)) {
      let cancel: (() => void) | null = null;
      const forget = (): void => {
        if (cancel !== null) this.#requests.delete(cancel);
        cancel = null;
      };
      let granted = false;
      cancel = this.#pool.request({
        granted: (lease) => {
          granted = true;
          forget();
          this.#members.set(lease, { tasks: new Set(), quiet: null });
          for (const portion of this.#portions) this.#give(lease, portion);
        },
        message: (lease, message) => this.#hear(lease, message as Answer),
        wanted: () => this.#share(),
        lost: (lease) => {
          forget();
          this.#lost(lease);
        },
      });
      if (!granted) this.#requests.add(cancel);
    }
  }

  /** Whoever paused works again where there is room for results, or where what is next in order is nobody's. */
  #resume(): void {
    if ((this.#paused.size === 0 && !this.#gaveBack) || !this.#mayWork()) return;
    for (const lease of this.#paused) for (const portion of this.#portions) this.#give(lease, portion);
    this.#paused.clear();
    this.#gaveBack = false;
    this.#hire();
  }

  #mayWork(): boolean {
    return (
      Atomics.load(this.#shared, SHARED.waitingBytes) <= MAX_WAITING_BYTES / 2 || this.#portions[0]?.isNextFree === true
    );
  }

  #tellNext(): void {
    const [first] = this.#portions;
    if (first === undefined) return;
    Atomics.store(this.#shared, SHARED.nextPortion, first.number);
    Atomics.store(this.#shared, SHARED.nextChunk, first.next);
  }

  #give(lease: Lease, portion: Portion): void {
    const member = this.#members.get(lease);
    if (member === undefined) return;
    const task = ++this.#tasks;
    member.tasks.add(task);
    lease.post(portion.task(this.#number, task, lease.worker, this.#plan, this.#shared));
  }

  #hear(lease: Lease, answer: Answer): void {
    // A worker's last words to the search before.
    if (answer.kind === "ready" || answer.search !== this.#number) return;
    if (answer.kind === "over") this.#over(lease, answer.over);
    else if (answer.kind === "paused") this.#pause(lease);
    else {
      this.#lostInVain = 0;
      this.#events.found(answer);
      if (answer.over !== null) this.#over(lease, answer.over);
      this.#settleDone();
      this.#events.change();
    }
  }

  #over(lease: Lease, task: number): void {
    const member = this.#members.get(lease);
    if (member?.tasks.delete(task) === true && member.tasks.size === 0) member.quiet?.();
  }

  /** Whoever waits for a worker gets it; it is asked for again when there is room for results. */
  #pause(lease: Lease): void {
    this.#paused.add(lease);
    this.#resume();
    this.#share();
  }

  /** Forgets portions that are done; a search without any has no use for its workers while others wait for them. */
  #settleDone(): void {
    for (let i = this.#portions.length - 1; i >= 0; i--)
      if (this.#portions[i]?.complete === true) this.#portions.splice(i, 1);
    this.#tellNext();
    if (this.#portions.length === 0) this.#share();
    else this.#resume();
  }

  #share(): void {
    for (const lease of this.#members.keys()) {
      if (this.#pool.waiting === 0) return;
      if (this.#portions.length > 0 && !this.#paused.has(lease)) continue;
      this.#leave(lease);
      this.#gaveBack = true;
      lease.release();
    }
  }

  #lost(lease: Lease | null): void {
    if (lease !== null) {
      const member = this.#members.get(lease);
      this.#leave(lease);
      member?.quiet?.();
    }
    if (this.#stopped) return;
    this.#lostInVain += 1;
    const giveUp = this.#lostInVain > MAX_LOST_IN_VAIN;
    for (const portion of [...this.#portions]) {
      if (!portion.lost(lease?.worker ?? NO_WORKER, giveUp)) continue;
      for (const other of this.#members.keys()) this.#give(other, portion);
    }
    this.#settleDone();
    this.#hire();
    this.#events.change();
  }

  #leave(lease: Lease): void {
    this.#members.delete(lease);
    this.#paused.delete(lease);
  }

  /** Lets a worker leave its portions; one that does not is ended. */
  async #dismiss(lease: Lease): Promise<void> {
    const member = this.#members.get(lease);
    if (member === undefined) return;
    const quiet = member.tasks.size === 0 || (await this.#isQuiet(member));
    if (!this.#members.has(lease)) return;
    this.#leave(lease);
    if (quiet) lease.release();
    else await lease.terminate();
  }

  async #isQuiet(member: Member): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const quiet = await new Promise<boolean>((resolve) => {
      member.quiet = () => resolve(true);
      timer = setTimeout(() => resolve(false), GRACE_MS);
    });
    clearTimeout(timer);
    return quiet;
  }
}

/** A worker of this search. */
interface Member {
  /** What it was given and has not left. */
  readonly tasks: Set<number>;
  /** Told when there are none any more. */
  quiet: (() => void) | null;
}
