import fs from "node:fs";
import { isPageCached } from "./local-files.js";
import type { Mount } from "./mount.js";

/** Names that are kept, in all folders together: some 30 MB. */
const MAX_NAMES = 300_000;
/** Without a listing for so long, all are let go. */
const IDLE_MS = 60_000;
/**
 * A folder that was changed so shortly before it is listed is not kept: a second change could carry the same time. Systems stamp
 * files with a clock that ticks every 1 to 10 ms.
 */
const SETTLED_NS = 50_000_000n;
const NS_PER_MS = 1_000_000n;

interface Listing<E> {
  readonly dev: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly entries: readonly E[];
}

/**
 * The names in folders as they were when they were listed last. A listing is used again only where the open folder says that it is the
 * same folder, unchanged: device, inode, and both times to the nanosecond. Whoever adds, removes, renames or exchanges a name changes
 * these times, and the time of change cannot be set by anybody. Only on file systems that are known for it.
 */
export class Listings<E> {
  readonly #byInode = new Map<bigint, Listing<E>>();
  readonly #devices = new WeakMap<Mount, bigint | null>();
  #names = 0;
  #timer: NodeJS.Timeout | null = null;
  #usedAt = 0;

  /**
   * @param fd of the folder.
   * @param list lists it now.
   * @returns the entries, which nobody may change.
   */
  of(mount: Mount, fd: number, list: () => readonly E[]): readonly E[] {
    const device = this.#deviceOf(mount);
    if (device === null) return list();
    const { dev, ino, mtimeNs, ctimeNs } = fs.fstatSync(fd, { bigint: true });
    if (dev !== device) return list();
    const known = this.#byInode.get(ino);
    if (known !== undefined) {
      if (known.dev === dev && known.mtimeNs === mtimeNs && known.ctimeNs === ctimeNs) return known.entries;
      this.#forget(ino, known);
    }
    const settled = BigInt(Date.now()) * NS_PER_MS - SETTLED_NS;
    const entries = list();
    if (mtimeNs < settled && ctimeNs < settled) this.#keep(ino, { dev, mtimeNs, ctimeNs, entries });
    return entries;
  }

  #keep(ino: bigint, listing: Listing<E>): void {
    if (listing.entries.length > MAX_NAMES) return;
    this.#byInode.set(ino, listing);
    this.#names += listing.entries.length + 1;
    for (const [oldest, old] of this.#byInode) {
      if (this.#names <= MAX_NAMES) break;
      this.#forget(oldest, old);
    }
    this.#usedAt = performance.now();
    this.#timer ??= setInterval(() => this.#rest(), IDLE_MS).unref();
  }

  #forget(ino: bigint, listing: Listing<E>): void {
    this.#byInode.delete(ino);
    this.#names -= listing.entries.length + 1;
  }

  #rest(): void {
    if (performance.now() - this.#usedAt < IDLE_MS) return;
    this.#byInode.clear();
    this.#names = 0;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** The device whose folders may be kept; null where there is none. What is mounted below has another and is not kept. */
  #deviceOf(mount: Mount): bigint | null {
    let device = this.#devices.get(mount);
    if (device === undefined) {
      device = isPageCached(mount.hostRoot)
        ? (fs.statSync(mount.hostRoot, { bigint: true, throwIfNoEntry: false })?.dev ?? null)
        : null;
      this.#devices.set(mount, device);
    }
    return device;
  }
}
