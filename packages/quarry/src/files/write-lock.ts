import { createHash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { QuarryError } from "../errors/errors.js";
import { newOwner, ownerState } from "./write-owner.js";

/*
 * One lock per file for all processes of a user. A lock is a file `<key>.lock` in a folder of its own (never beside the
 * user's file) that holds its owner's word. Who wants it writes `<key>.<word>.own` and links that to `<key>.lock`, which only
 * one can.
 *
 * A killed owner leaves both. Its lock may be taken away by whoever holds the right to, and that right is its `.own` file:
 * renaming it is something only one of many can do, so that nobody takes away the lock that a faster one has just made. The
 * new name holds the taker's word; where the taker is killed too, the next one renames that.
 */

/** Where nobody can tell whether the owner lives (another container), a lock this old counts as left. */
const UNKNOWN_OWNER_MS = 60_000;
/** A lock is held for one synchronous piece of work; even a living process (a thread of it that was ended) loses it after this. */
const LIVING_OWNER_MS = 600_000;
const FIRST_WAIT_MS = 2;
const LONGEST_WAIT_MS = 50;

/** Names one thing to lock, from whatever tells it apart. */
export function lockKey(...parts: readonly (string | bigint)[]): string {
  return createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 32);
}

/** The locks of one user. */
export class FileLocks {
  readonly #folder: string | null;

  /** @param folder a folder that only this user may enter; null for none, when `hold` just runs the work. */
  constructor(folder: string | null) {
    this.#folder = folder;
    if (folder !== null) sweep(folder);
  }

  /**
   * Runs `work` while nobody else holds the lock of `key`. The work is synchronous: in one thread two pieces never mix.
   * @param signal ends the waiting; the work is then not begun.
   * @param work is told whether other processes are kept out.
   * @throws QuarryError FILE_BUSY where the lock did not come free in time; whatever `work` throws.
   */
  async hold<T>(key: string, signal: AbortSignal, work: (locked: boolean) => T): Promise<T> {
    const owner = newOwner();
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      if (signal.aborted) throw new QuarryError("FILE_BUSY", "another edit of this file is under way");
      const outcome = this.#folder === null ? "unavailable" : acquire(this.#folder, key, owner);
      if (outcome === "unavailable") return work(false);
      if (outcome === "held") {
        try {
          return work(true);
        } finally {
          release(this.#folder as string, key, owner);
        }
      }
      // What cuts the waiting short is the signal, which the next round looks at.
      await sleep(wait * (0.5 + Math.random()), undefined, { signal }).catch(() => undefined);
    }
  }
}

function acquire(folder: string, key: string, owner: string): "held" | "busy" | "unavailable" {
  const own = join(folder, `${key}.${owner}.own`);
  const lock = join(folder, `${key}.lock`);
  let held = false;
  try {
    fs.writeFileSync(own, owner, { flag: "wx", mode: 0o600 });
    held = link(own, lock) || (takeAwayLeft(folder, key, owner) && link(own, lock));
    return held ? "held" : "busy";
  } catch (error) {
    // A full disk, a folder that was removed or closed: an edit does not fail for want of a lock, it says that it had none.
    if (error instanceof Error && "syscall" in error) return "unavailable";
    throw error;
  } finally {
    if (!held) fs.rmSync(own, { force: true });
  }
}

/** What cannot be removed counts as left as soon as this process has ended. */
function release(folder: string, key: string, owner: string): void {
  const lock = join(folder, `${key}.lock`);
  try {
    if (readOwner(lock)?.word === owner) unlink(lock);
    unlink(join(folder, `${key}.${owner}.own`));
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
  }
}

/** Takes away the lock of an owner that has gone. @returns true where it is worth trying again at once. */
function takeAwayLeft(folder: string, key: string, taker: string): boolean {
  const lock = join(folder, `${key}.lock`);
  const left = readOwner(lock);
  if (left === null) return true;
  if (!isLeft(left.word, left.ageMs)) return false;
  const right = join(folder, `${key}.${left.word}.own.${taker}`);
  if (!takeRight(folder, `${key}.${left.word}.own`, right)) {
    // No right to take: its file is gone, which no kill explains. Somebody cleaned up by hand, or the folder was copied.
    if (left.ageMs < UNKNOWN_OWNER_MS || fs.readdirSync(folder).some((n) => n.startsWith(`${key}.${left.word}.own`)))
      return false;
    unlink(lock);
    return true;
  }
  if (readOwner(lock)?.word === left.word) unlink(lock);
  unlink(right);
  return true;
}

/** Renames the right from its dead holder to `to`: the first holder is the owner itself, later ones are killed takers. */
function takeRight(folder: string, first: string, to: string): boolean {
  if (rename(join(folder, first), to)) return true;
  for (const name of fs.readdirSync(folder)) {
    if (!name.startsWith(`${first}.`)) continue;
    const age = Date.now() - (fs.statSync(join(folder, name), { throwIfNoEntry: false })?.ctimeMs ?? Date.now());
    if (isLeft(name.slice(first.length + 1), age)) return rename(join(folder, name), to);
  }
  return false;
}

function isLeft(word: string, ageMs: number): boolean {
  const state = ownerState(word);
  return state === "dead" || ageMs > (state === "unknown" ? UNKNOWN_OWNER_MS : LIVING_OWNER_MS);
}

/** Removes what processes that are gone have left and no lock speaks of any more. Best effort: it only saves space. */
function sweep(folder: string): void {
  for (const name of fs.readdirSync(folder)) {
    const found = /^([0-9a-f]{32})\.([0-9a-f-]+)\.own/.exec(name);
    if (found === null || ownerState(found[2] as string) !== "dead") continue;
    if (readOwner(join(folder, `${found[1] as string}.lock`))?.word !== found[2]) unlink(join(folder, name));
  }
}

function readOwner(lock: string): { readonly word: string; readonly ageMs: number } | null {
  try {
    return { word: fs.readFileSync(lock, "latin1"), ageMs: Date.now() - fs.statSync(lock).mtimeMs };
  } catch (error) {
    return gone(error, null);
  }
}

function link(from: string, to: string): boolean {
  try {
    fs.linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function rename(from: string, to: string): boolean {
  try {
    fs.renameSync(from, to);
    return true;
  } catch (error) {
    return gone(error, false);
  }
}

function unlink(path: string): void {
  try {
    fs.unlinkSync(path);
  } catch (error) {
    gone(error, undefined);
  }
}

/** The answer for what is not there (any more); everything else is a failure. */
function gone<T>(error: unknown, value: T): T {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return value;
  throw error;
}
