import { createHash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { QuarryError } from "../../errors/errors.js";
import { FileLocks, lockKey } from "../../files/write-lock.js";
import { isOwner, newOwner, ownerState } from "../../files/write-owner.js";
import { BadIndex } from "./format.js";
import { IndexFile } from "./index-file.js";

/** A builder that does not say for so long that it is at work is no longer. */
const SILENT_MS = 120_000;
/** How long anybody waits for the short lock around a builder's claim. */
const LOCK_MS = 2_000;

/** One word for a folder. Its index bears it as its name and inside. */
export function rootName(hostRoot: string): string {
  return createHash("sha256").update(hostRoot).digest("hex").slice(0, 32);
}

/** The right to build the index of one folder. */
export interface BuildClaim {
  /** Where to write; to be renamed by `IndexStore.accept`. */
  readonly temporary: string;
  /** Says that the builder is at work. */
  touch(): void;
  /** Gives it back, and removes what is left of the temporary file. */
  release(): Promise<void>;
}

/**
 * The indexes of one user: files `<root name>.index` in a folder that this user alone may enter. Who builds one writes its owner's word to
 * `<root name>.builder`, and the index to `<root name>.<word>.tmp`; a builder that was killed is known by its word. That two never build is for
 * saving work alone: an index is taken in by renaming, whole.
 */
export class IndexStore {
  readonly #folder: string;

  /** @param folder one that exists, and that this user alone may enter. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  path(hostRoot: string): string {
    return join(this.#folder, `${rootName(hostRoot)}.index`);
  }

  /**
   * The index of a folder as it is now; null where there is none. One that cannot be used is removed.
   * @param previous the one that was open so far: it is given back where it is still the one, and closed where it is not.
   */
  open(hostRoot: string, previous: OpenIndex | null = null): OpenIndex | null {
    const path = this.path(hostRoot);
    const stat = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false });
    const identity = stat === undefined ? "" : identityOf(stat);
    if (previous !== null && previous.identity === identity) return previous;
    previous?.file.close();
    if (stat === undefined) return null;
    try {
      return { identity, file: IndexFile.open(path, rootName(hostRoot)) };
    } catch (error) {
      if (error instanceof BadIndex || error instanceof SyntaxError) this.discard(hostRoot, identity);
      else if (!(error instanceof Error && "syscall" in error)) throw error;
      return null;
    }
  }

  /** Removes an index that proved bad, unless another has taken its place. */
  discard(hostRoot: string, identity: string): void {
    const path = this.path(hostRoot);
    const stat = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined || identityOf(stat) !== identity) return;
    fs.rmSync(path, { force: true });
  }

  /** The right to build; null where another builder is at work. @throws what the system says where the folder cannot be written. */
  async claim(hostRoot: string, signal: AbortSignal): Promise<BuildClaim | null> {
    const name = rootName(hostRoot);
    const owner = newOwner();
    const builder = join(this.#folder, `${name}.builder`);
    const taken = await this.#locked(name, signal, () => {
      if (isAtWork(builder)) return false;
      this.#sweep(name);
      // Whole or not at all: who is killed in the middle of it leaves no claim.
      const written = join(this.#folder, `${name}.${owner}.claim`);
      fs.writeFileSync(written, owner, { mode: 0o600 });
      fs.renameSync(written, builder);
      return true;
    });
    if (!taken) return null;
    const temporary = join(this.#folder, `${name}.${owner}.tmp`);
    return {
      temporary,
      touch: () => {
        const now = new Date();
        fs.utimesSync(builder, now, now);
      },
      release: async () => {
        fs.rmSync(temporary, { force: true });
        // Not by the caller's signal: it may be what ended the build.
        await this.#locked(name, AbortSignal.timeout(LOCK_MS), () => {
          if (readWord(builder) === owner) fs.rmSync(builder, { force: true });
          return true;
        });
      },
    };
  }

  /** Puts a whole index in the place of the one before. */
  accept(hostRoot: string, claim: BuildClaim): void {
    fs.renameSync(claim.temporary, this.path(hostRoot));
  }

  /** True where somebody builds the index of this folder now. */
  isBuilding(hostRoot: string): boolean {
    return isAtWork(join(this.#folder, `${rootName(hostRoot)}.builder`));
  }

  /** Removes an index. @returns its bytes; null where there was none. */
  drop(hostRoot: string): number | null {
    const path = this.path(hostRoot);
    const stat = fs.lstatSync(path, { throwIfNoEntry: false });
    fs.rmSync(path, { force: true });
    return stat?.size ?? null;
  }

  /** An index was used: the ones that were not go first. */
  used(hostRoot: string): void {
    const now = new Date();
    try {
      fs.utimesSync(this.path(hostRoot), now, now);
    } catch (error) {
      if (!(error instanceof Error && "syscall" in error)) throw error;
    }
  }

  /** Removes indexes, those used longest ago first, until all together are no larger. @param keep is never removed. */
  tidy(maxBytes: number, keep: string): void {
    const kept = this.#indexes().sort((a, b) => b.usedAt - a.usedAt);
    let total = 0;
    for (const { path, bytes } of kept) {
      total += bytes;
      if (total > maxBytes && path !== this.path(keep)) fs.rmSync(path, { force: true });
    }
  }

  #indexes(): { readonly path: string; readonly bytes: number; readonly usedAt: number }[] {
    return fs
      .readdirSync(this.#folder)
      .filter((name) => name.endsWith(".index"))
      .flatMap((name) => {
        const path = join(this.#folder, name);
        const stat = fs.lstatSync(path, { throwIfNoEntry: false });
        return stat === undefined ? [] : [{ path, bytes: stat.size, usedAt: stat.mtimeMs }];
      });
  }

  /** Removes what builders of this index left that are gone. */
  #sweep(name: string): void {
    for (const file of fs.readdirSync(this.#folder)) {
      if (!file.startsWith(`${name}.`)) continue;
      const owner = /^\.(.+)\.(?:tmp|claim)$/.exec(file.slice(name.length))?.[1];
      if (owner !== undefined && ownerState(owner) !== "alive") fs.rmSync(join(this.#folder, file), { force: true });
    }
  }

  /** Runs a short piece of work while no other process does; without a lock where it is not to be had in time. */
  async #locked(name: string, signal: AbortSignal, work: () => boolean): Promise<boolean> {
    const locks = new FileLocks(this.#folder);
    try {
      return await locks.hold(lockKey(name), AbortSignal.any([signal, AbortSignal.timeout(LOCK_MS)]), work);
    } catch (error) {
      if (error instanceof QuarryError && error.code === "FILE_BUSY") return false;
      throw error;
    }
  }
}

export interface OpenIndex {
  /** Tells it from one that takes its place. */
  readonly identity: string;
  readonly file: IndexFile;
}

/** While an index is open no other file gets its inode. */
function identityOf({ dev, ino }: fs.BigIntStats): string {
  return `${dev} ${ino}`;
}

function isAtWork(builder: string): boolean {
  const stat = fs.statSync(builder, { throwIfNoEntry: false });
  if (stat === undefined || Date.now() - stat.mtimeMs > SILENT_MS) return false;
  const word = readWord(builder);
  // What is no word says of nobody that he is at work: a full disk may have cut it.
  return isOwner(word) && ownerState(word) !== "dead";
}

function readWord(builder: string): string {
  try {
    return fs.readFileSync(builder, "latin1");
  } catch (error) {
    if (error instanceof Error && "syscall" in error) return "";
    throw error;
  }
}
