import fs from "node:fs";
import { QuarryError } from "../errors/errors.js";
import { baseName, isUnder, joinPath, type RelPath } from "../paths/path.js";
import { openFolder, openSubfolder, type OpenFolder } from "../workspace/guard.js";
import { isSettled, sameStamp, stampOf, type FolderStamp } from "../workspace/listings.js";
import type { Mount } from "../workspace/mount.js";
import { below } from "../workspace/system.js";

/** Folders that lie in each other; a deeper walk is not remembered. */
const MAX_DEPTH = 128;
/** Nor one that looked at more. */
const MAX_LOOKS = 100_000;
/** Looks between two at the clock. */
const CLOCK_EVERY = 64;

/** One thing that a walk looked at. */
interface Look {
  /** The folder that it lies in, as its place in the list; -1 where it is opened by its path. */
  readonly parent: number;
  readonly path: RelPath;
  readonly name: string;
  /** null where nothing was. */
  readonly stamp: FolderStamp | null;
  /** Which folder it is counts, not what is in it. */
  readonly isPlace: boolean;
  /** Others lie in it. */
  isHolder: boolean;
}

/**
 * What the outcome of a walk rests on, in the order of the walk: the folders that were listed and the files whose rules were read. As long as
 * all of them are what they were, the walk would come to the same files. Whether that can be said at all is `isCertain`.
 */
export class Evidence {
  readonly looks: Look[] = [];
  /** The folders that hold the one that is walked, and itself: places in `looks`. */
  readonly #open: number[] = [];
  #certain = true;

  get isCertain(): boolean {
    return this.#certain;
  }

  /** Something was met that may be another way next time without a trace. */
  doubt(): void {
    this.#certain = false;
    this.looks.length = 0;
  }

  /** A folder was entered, and listed or looked at. The one before it that holds it, if any, is still entered. */
  enter({ path, stamp }: OpenFolder): void {
    if (!this.#certain) return;
    while (this.#open.length > 0 && !isUnder(path, this.#path())) this.#open.pop();
    if (stamp === null || this.#open.length > MAX_DEPTH || this.looks.length > MAX_LOOKS) this.doubt();
    else this.#open.push(this.#add(this.#open.at(-1) ?? -1, path, stamp, false));
  }

  /** The file of rules in an entered folder is about to be read. */
  reads(holder: OpenFolder, name: string): void {
    if (!this.#certain) return;
    const stat = look(holder, name);
    const at = this.#open.findLast((one) => this.looks[one]?.path === holder.path);
    if (at === undefined || (stat !== null && !isSettled(stat))) this.doubt();
    else this.#add(at, joinPath(holder.path, name), stat === null ? null : stampOf(stat), false);
  }

  /** The rules that a repository keeps for itself are about to be read, in an entered folder. */
  readsRepository(holder: OpenFolder): void {
    if (!this.#certain) return;
    const git = look(holder, ".git");
    const at = this.#open.findLast((one) => this.looks[one]?.path === holder.path);
    // A file leads elsewhere.
    if (at === undefined || git?.isDirectory() !== true) {
      this.doubt();
      return;
    }
    const place = this.#add(at, joinPath(holder.path, ".git"), stampOf(git), true);
    try {
      const inside = openSubfolder(holder, ".git");
      try {
        const info = look(inside, "info");
        if (info !== null && (!info.isDirectory() || !isSettled(info))) this.doubt();
        else {
          const folder = this.#add(place, joinPath(inside.path, "info"), info === null ? null : stampOf(info), false);
          if (info !== null) this.#readsExclude(inside, folder);
        }
      } finally {
        inside.close();
      }
    } catch (error) {
      if (!(error instanceof QuarryError)) throw error;
      this.doubt();
    }
  }

  #readsExclude(git: OpenFolder, folder: number): void {
    const info = openSubfolder(git, "info");
    try {
      const exclude = look(info, "exclude");
      if (exclude !== null && !isSettled(exclude)) this.doubt();
      else this.#add(folder, joinPath(info.path, "exclude"), exclude === null ? null : stampOf(exclude), false);
    } finally {
      info.close();
    }
  }

  #add(parent: number, path: RelPath, stamp: FolderStamp | null, isPlace: boolean): number {
    const holder = this.looks[parent];
    if (holder !== undefined) holder.isHolder = true;
    return this.looks.push({ parent, path, name: baseName(path), stamp, isPlace, isHolder: false }) - 1;
  }

  #path(): RelPath {
    return (this.looks[this.#open.at(-1) as number] as Look).path;
  }
}

function look(folder: OpenFolder, name: string): fs.BigIntStats | null {
  return fs.lstatSync(below(folder.procPath, name), { bigint: true, throwIfNoEntry: false }) ?? null;
}

/** Looks again at everything that a walk looked at, in the same order, each folder through the guard. Whoever makes it closes it. */
export class EvidenceCheck {
  readonly #mount: Mount;
  readonly #looks: readonly Look[];
  readonly #open: { readonly at: number; readonly folder: OpenFolder }[] = [];
  #next = 0;

  constructor(mount: Mount, { looks }: Evidence) {
    this.#mount = mount;
    this.#looks = looks;
  }

  /**
   * Goes on up to the look before `end`, or until the clock says so.
   * @param until as `performance.now()` counts.
   * @returns whether all is as it was up to there; null where there is more to look at.
   */
  run(end: number, until: number): boolean | null {
    for (; this.#next < end; this.#next++) {
      if (!this.#isSame(this.#next)) return false;
      if (this.#next % CLOCK_EVERY === 0 && performance.now() > until) {
        this.#next++;
        return this.#next < end ? null : true;
      }
    }
    return true;
  }

  close(): void {
    for (const { folder } of this.#open) folder.close();
    this.#open.length = 0;
  }

  #isSame(at: number): boolean {
    const { parent, path, name, stamp, isPlace, isHolder } = this.#looks[at] as Look;
    while (this.#open.length > 0 && this.#open.at(-1)?.at !== parent) this.#open.pop()?.folder.close();
    const holder = this.#open.at(-1)?.folder ?? null;
    if (parent !== -1 && holder === null) return false;
    try {
      if (holder !== null && !isHolder) {
        const now = look(holder, name);
        return now === null || stamp === null ? now === stamp : sameStamp(now, stamp);
      }
      const folder = holder === null ? openFolder(this.#mount, path) : openSubfolder(holder, name);
      this.#open.push({ at, folder });
      const now = fs.fstatSync(folder.fd, { bigint: true });
      if (stamp === null) return false;
      return isPlace ? now.ino === stamp.ino && now.dev === stamp.dev : sameStamp(now, stamp);
    } catch (error) {
      // Gone, or closed to us: not as it was.
      if (error instanceof QuarryError || (error instanceof Error && "syscall" in error)) return false;
      throw error;
    }
  }
}
