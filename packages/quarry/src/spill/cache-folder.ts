import { createHmac, randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import envPaths from "env-paths";

/** The user's cache folder for Quarry. `QUARRY_CACHE_DIR` names another one. */
export function cacheFolder(): string {
  return process.env["QUARRY_CACHE_DIR"] || envPaths("quarry", { suffix: "" }).cache;
}

/**
 * Makes sure that a folder exists, is a real folder, belongs to this user and is closed to others (0700).
 * @throws Error with a reason that holds no path.
 */
export function privateFolder(path: string): void {
  makeFolder(path);
  const found = lstatSync(path);
  if (!found.isDirectory()) throw new Error("the cache folder is not a folder");
  const uid = process.getuid?.();
  if (uid !== undefined && found.uid !== uid) throw new Error("the cache folder belongs to another user");
  if (process.platform !== "win32" && (found.mode & 0o077) !== 0) chmodSync(path, 0o700);
}

/**
 * A level at a time: `recursive` tells a read-only disk as a missing folder, and never ends where a system says that a folder
 * is missing and its parent is there (`/proc`).
 */
function makeFolder(path: string): void {
  if (makeLevel(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  if (!makeLevel(path)) throw new Error("the cache folder cannot be made");
}

/** @returns false where the folder above is missing. */
function makeLevel(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return false;
    if (code !== "EEXIST") throw error;
  }
  return true;
}

const KEY_BYTES = 32;

/**
 * The user's secret key, made once. It turns owners and contents into names that nobody can guess.
 * @throws Error where it can be neither read nor made.
 */
export function cacheKey(folder: string): Buffer {
  const path = join(folder, "key");
  const known = readKey(path);
  if (known !== null) return known;
  try {
    const fd = openSync(
      path,
      constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0),
      0o600,
    );
    try {
      writeSync(fd, randomBytes(KEY_BYTES));
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const made = readKey(path);
  if (made === null) throw new Error("the cache's key file is damaged: `quarry cache clear` removes it");
  return made;
}

/** The key, or null where there is none; a short one is being written by another process or damaged, and waited for. */
function readKey(path: string): Buffer | null {
  for (let attempt = 0; attempt < 20; attempt++) {
    let fd: number;
    try {
      fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error;
    }
    try {
      if (!fstatSync(fd).isFile()) throw new Error("the cache's key is not a file");
      const key = readFileSync(fd);
      if (key.length === KEY_BYTES) return key;
    } finally {
      closeSync(fd);
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  }
  throw new Error("the cache's key file is damaged: `quarry cache clear` removes it");
}

/** A name for `parts` that only the key's holder can make: 16 hexadecimal characters. */
export function keyedName(key: Buffer, ...parts: readonly string[]): string {
  const mac = createHmac("sha256", key);
  for (const part of parts) mac.update(`${Buffer.byteLength(part)}:${part}`);
  return mac.digest("hex").slice(0, 16);
}
