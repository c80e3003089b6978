import type { Mount } from "../../workspace/mount.js";
import { buildIndex } from "./build.js";
import type { IndexStore } from "./store.js";

/** After a build the next one of the same folder waits so many times as long as it took, and at least so many milliseconds. */
const REST_TIMES = 20;
const REST_MS = 30_000;

/** Builds indexes beside the searches of a process, one at a time. Nothing runs where nothing is wanted. */
export class BackgroundBuilds {
  readonly #store: () => IndexStore;
  readonly #maxBytes: number;
  /** When the next build of a folder may begin, by host root. */
  readonly #next = new Map<string, number>();
  readonly #ending = new AbortController();
  #running: Promise<void> | null = null;

  /** @param store makes the folder for indexes where there is none; it may throw for what the disk does. */
  constructor(store: () => IndexStore, maxBytes: number) {
    this.#store = store;
    this.#maxBytes = maxBytes;
  }

  /** Begins a build where one is wanted, nothing else is built and the last one was not just now. */
  consider(mount: Mount, wanted: boolean): void {
    const { hostRoot } = mount;
    if (!wanted || this.#running !== null || this.#ending.signal.aborted) return;
    if (performance.now() < (this.#next.get(hostRoot) ?? 0)) return;
    this.#running = this.#build(mount).finally(() => (this.#running = null));
  }

  /** Settles when nothing is built. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Ends what is built and begins nothing more. */
  async end(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #build(mount: Mount): Promise<void> {
    const started = performance.now();
    try {
      await buildIndex({ mount, store: this.#store(), maxBytes: this.#maxBytes, signal: this.#ending.signal });
    } catch (error) {
      // Searches do without: no folder for indexes, a full disk. Anything else is a fault of ours.
      if (!(error instanceof Error) || error instanceof TypeError) throw error;
    }
    const now = performance.now();
    this.#next.set(mount.hostRoot, now + Math.max(REST_MS, (now - started) * REST_TIMES));
  }
}
