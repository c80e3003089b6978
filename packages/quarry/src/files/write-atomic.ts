import fs from "node:fs";
import { QuarryError } from "../errors/errors.js";
import { joinPath } from "../paths/path.js";
import { openFileIn, type OpenFile, type OpenFolder } from "../workspace/guard.js";
import { quote } from "../workspace/refusal.js";
import {
  createIn,
  linkIn,
  lookAt,
  renameIn,
  shownPath,
  syncFolder,
  unlinkIn,
  writeRefusal,
} from "../workspace/write-guard.js";
import { isOwner, newOwner, ownerState } from "./write-owner.js";

/** Larger files are not edited: an edit holds the old and the new content in memory. */
export const MAX_EDIT_BYTES = 100_000_000;

/** A file's content and what has to stay as it is. */
export interface Current {
  readonly content: Buffer;
  readonly stat: fs.BigIntStats;
}

/** Reads a whole file. @throws QuarryError FILE_TOO_LARGE, and whatever `openFileIn` refuses. */
export function readCurrent(folder: OpenFolder, name: string): Current {
  const file = openFileIn(folder, name);
  try {
    const stat = file.stat();
    requireSystemAllows(file);
    return { content: readAll(file), stat };
  } finally {
    file.close();
  }
}

/**
 * Puts new content in the place of a file, in one step: whoever reads, and a kill or a full disk at any moment, finds the
 * old content or the new one, whole. Owner, group and mode stay; what cannot be kept is told.
 *
 * Not kept, because Node.js has no way to: extended attributes and access control lists beyond the mode.
 * @param current what was read, or null for a file that must not exist.
 * @returns sentences about what could not be kept.
 * @throws QuarryError VERSION_MISMATCH where the file is no longer what was read; FILE_EXISTS where one has appeared;
 * WRITE_FAILED, READ_ONLY. The old file is then untouched.
 */
export function replaceFile(folder: OpenFolder, name: string, current: Current | null, content: Buffer): string[] {
  const temporary = `.quarry-${newOwner()}.tmp`;
  const shown = shownPath(folder.mount, joinPath(folder.path, name));
  const notes: string[] = [];
  const fd = createIn(folder, temporary, name);
  let placed = false;
  try {
    try {
      for (let at = 0; at < content.length;) at += fs.writeSync(fd, content, at);
      if (current === null) fs.fchmodSync(fd, 0o666 & ~process.umask());
      else keepOwnerAndMode(fd, current.stat, notes);
      fs.fsyncSync(fd);
    } catch (error) {
      throw writeRefusal(error, shown);
    } finally {
      fs.closeSync(fd);
    }
    if (current === null) placed = placeNew(folder, temporary, name, shown);
    else {
      requireUnchanged(folder, name, current, shown);
      renameIn(folder, temporary, name);
      placed = true;
    }
  } finally {
    if (!placed) unlinkIn(folder, temporary);
  }
  if (current !== null && current.stat.nlink > 1n) {
    notes.push("The file had other names (hard links); they still have the old content.");
  }
  if (!syncFolder(folder) && process.platform !== "win32")
    notes.push("The system does not promise that the change survives a power failure.");
  return notes;
}

/** @returns true: the temporary name is gone. */
function placeNew(folder: OpenFolder, temporary: string, name: string, shown: string): true {
  const made = linkIn(folder, temporary, name);
  if (made === "made") {
    unlinkIn(folder, temporary);
    return true;
  }
  if (made === "exists" || lookAt(folder, name) !== null)
    throw new QuarryError("FILE_EXISTS", `${quote(shown)} has appeared meanwhile`);
  renameIn(folder, temporary, name);
  return true;
}

/** The last look before the exchange: the very same file, with the very same bytes. */
function requireUnchanged(folder: OpenFolder, name: string, current: Current, shown: string): void {
  let file: OpenFile;
  try {
    file = openFileIn(folder, name);
  } catch (error) {
    if (error instanceof QuarryError && error.code === "NOT_FOUND") throw changed(shown, "was removed");
    throw error;
  }
  try {
    const stat = file.stat();
    if (stat.ino !== current.stat.ino || stat.dev !== current.stat.dev) throw changed(shown, "was replaced");
    if (Number(stat.size) !== current.content.length || !readAll(file).equals(current.content))
      throw changed(shown, "was changed");
  } finally {
    file.close();
  }
}

function changed(shown: string, how: string): QuarryError {
  return new QuarryError("VERSION_MISMATCH", `${quote(shown)} ${how} by another program while it was being edited`);
}

function keepOwnerAndMode(fd: number, old: fs.BigIntStats, notes: string[]): void {
  if (process.platform === "win32") return;
  const made = fs.fstatSync(fd, { bigint: true });
  let mode = Number(old.mode & 0o7777n);
  let ownerKept = made.uid === old.uid;
  let groupKept = made.gid === old.gid;
  if (!ownerKept || !groupKept) {
    if (tryOwner(fd, Number(old.uid), Number(old.gid))) ownerKept = groupKept = true;
    else if (!groupKept) groupKept = tryOwner(fd, -1, Number(old.gid));
  }
  if (!ownerKept)
    notes.push("The file now belongs to the user who edited it: the system does not let its owner be kept.");
  if (!groupKept) notes.push("The file's group could not be kept.");
  // With another owner or group these bits would give other rights than the ones that were given.
  const special = mode & ((ownerKept ? 0 : 0o4000) | (groupKept ? 0 : 0o2000));
  if (special !== 0) {
    mode &= ~special;
    notes.push("Its set-user-ID or set-group-ID bit was taken off.");
  }
  fs.fchmodSync(fd, mode);
  const now = fs.fstatSync(fd).mode & 0o7777;
  if (now !== mode) notes.push(`The file's mode could not be kept: it is ${now.toString(8)}, not ${mode.toString(8)}.`);
}

function tryOwner(fd: number, uid: number, gid: number): boolean {
  try {
    fs.fchownSync(fd, uid, gid);
    return true;
  } catch (error) {
    if (["EPERM", "EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes((error as NodeJS.ErrnoException).code ?? ""))
      return false;
    throw error;
  }
}

/** A file that this user may not write is not replaced either, though its folder would allow it. */
function requireSystemAllows(file: OpenFile): void {
  if (process.platform !== "linux") return;
  try {
    fs.accessSync(`/proc/self/fd/${file.fd}`, fs.constants.W_OK);
  } catch (error) {
    throw writeRefusal(error, shownPath(file.mount, file.path));
  }
}

function readAll(file: OpenFile): Buffer {
  let buffer = Buffer.allocUnsafe(Math.min(Number(file.stat().size), MAX_EDIT_BYTES) + 1);
  for (let at = 0; ;) {
    at += file.read(buffer.subarray(at), at);
    if (at > MAX_EDIT_BYTES) {
      throw new QuarryError(
        "FILE_TOO_LARGE",
        `${quote(shownPath(file.mount, file.path))} is larger than ${MAX_EDIT_BYTES / 1_000_000} MB`,
      );
    }
    if (at < buffer.length) return buffer.subarray(0, at);
    buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
  }
}

const SWEEP_EVERY_MS = 60_000;
/** For files whose maker cannot be asked after (another container). */
const LEFT_AFTER_MS = 3_600_000;
const swept = new Map<string, number>();

/**
 * Removes temporary files that killed writers have left in a folder; looks into the same folder once a minute at most.
 * Only names that no one else makes, regular files of this user, of a maker that is gone.
 */
export function sweepLeft(folder: OpenFolder, key: string): void {
  const now = Date.now();
  if (now - (swept.get(key) ?? 0) < SWEEP_EVERY_MS) return;
  if (swept.size > 1_000) swept.clear();
  swept.set(key, now);
  let names: string[];
  try {
    names = folder.list().map((entry) => entry.name);
  } catch (error) {
    if (error instanceof QuarryError && error.code === "UNREADABLE") return; // A folder that may be written and not listed.
    throw error;
  }
  for (const name of names) {
    const word = /^\.quarry-(.+)\.tmp$/.exec(name)?.[1];
    if (word === undefined || !isOwner(word)) continue;
    const stat = lookAt(folder, name);
    if (stat === null || !stat.isFile() || (process.geteuid !== undefined && stat.uid !== BigInt(process.geteuid())))
      continue;
    const state = ownerState(word);
    if (state === "dead" || (state === "unknown" && now - Number(stat.mtimeMs) > LEFT_AFTER_MS)) unlinkIn(folder, name);
  }
}
