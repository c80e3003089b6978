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
/** Where times are kept in whole seconds. */
const SETTLED_COARSE_NS = 2_100_000_000n;
const NS_PER_MS = 1_000_000n;
const NS_PER_S = 1_000_000_000n;

/** Which folder it was, and as of when: as long as it has these, it holds the same names. */
export interface FolderStamp {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

export interface Listing<E> {
  readonly entries: readonly E[];
  /** null where the system does not tell changes of this folder for certain, or it was changed just now. */
  readonly stamp: FolderStamp | null;
}

/**
 * The names in folders as they were when they were listed last. A listing is used again only where the open folder says that it is the
 * same folder, unchanged: device, inode, and both times to the nanosecond. Whoever adds, removes, renames or exchanges a name changes
 * these times, and the time of change cannot be set by anybody. Only on file systems that are known for it.
 */
export class Listings<E> {
  readonly #byInode = new Map<bigint, Listing<E> & { readonly stamp: FolderStamp }>();
  readonly #devices = new WeakMap<Mount, bigint | null>();
  #names = 0;
  #timer: NodeJS.Timeout | null = null;
  #usedAt = 0;

  /**
   * @param fd of the folder.
   * @param list lists it now.
   * @returns the entries, which nobody may change.
   */
  of(mount: Mount, fd: number, list: () => readonly E[]): Listing<E> {
    const { now, stamp } = this.#look(mount, fd);
    if (now === null) return { entries: list(), stamp: null };
    const { ino } = now;
    const known = this.#byInode.get(ino);
    if (known !== undefined) {
      if (sameStamp(known.stamp, now)) return known;
      this.#forget(ino, known);
    }
    const listing = { entries: list(), stamp };
    if (stamp !== null) this.#keep(ino, { ...listing, stamp });
    return listing;
  }

  /** As `of`, of a folder that is not listed. */
  stampOf(mount: Mount, fd: number): FolderStamp | null {
    return this.#look(mount, fd).stamp;
  }

  #look(mount: Mount, fd: number): { readonly now: FolderStamp | null; readonly stamp: FolderStamp | null } {
    const device = this.#deviceOf(mount);
    if (device === null) return { now: null, stamp: null };
    const now = stampOf(fs.fstatSync(fd, { bigint: true }));
    if (now.dev !== device) return { now: null, stamp: null };
    return { now, stamp: isSettled(now) ? now : null };
  }

  #keep(ino: bigint, listing: Listing<E> & { readonly stamp: FolderStamp }): void {
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

/** True where a change after this moment is certain to carry another time. Asked before the folder, or the file, is read. */
export function isSettled({ mtimeNs, ctimeNs }: Pick<FolderStamp, "mtimeNs" | "ctimeNs">): boolean {
  const settled = BigInt(Date.now()) * NS_PER_MS - (ctimeNs % NS_PER_S === 0n ? SETTLED_COARSE_NS : SETTLED_NS);
  return mtimeNs < settled && ctimeNs < settled;
}

export function stampOf({ dev, ino, mtimeNs, ctimeNs }: FolderStamp): FolderStamp {
  return { dev, ino, mtimeNs, ctimeNs };
}

export function sameStamp(a: FolderStamp, b: FolderStamp): boolean {
  return a.ctimeNs === b.ctimeNs && a.mtimeNs === b.mtimeNs && a.ino === b.ino && a.dev === b.dev;
}
