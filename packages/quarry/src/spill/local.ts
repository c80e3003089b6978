import { createHmac, randomBytes, type Hmac } from "node:crypto";
import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { Settings } from "../config/tunables.js";
import { cacheKey, keyedName, privateFolder } from "./cache-folder.js";
import { ARTIFACT_FILE, ARTIFACTS_MOUNT, type SpillOutcome, type SpillStore, type SpillWriter } from "./store.js";

const BLOCK_BYTES = 256 * 1024;
const TEMPORARY = /^\.[0-9a-f]+\.tmp$/;
/** A temporary file that has not grown for this long was left by a process that died. */
const STALE_MS = 3_600_000;

type Limits = Pick<Settings, "artifactBytes" | "artifactTotalBytes" | "artifactDays">;

/**
 * Artifacts as files below the user's cache folder: `artifacts/<owner>/<id>.txt`, folders 0700, files 0600. Owner and id are keyed
 * hashes: the same content of the same owner has the same id, and no other can be guessed.
 */
export class LocalSpillStore implements SpillStore {
  /** The host folder that holds this owner's artifacts; it may not exist yet. For the guard only. */
  readonly folder: string;
  readonly #base: string;
  readonly #key: Buffer;
  readonly #owner: string;
  readonly #limits: Limits;

  private constructor(base: string, key: Buffer, owner: string, limits: Limits) {
    this.#base = base;
    this.#key = key;
    this.#owner = owner;
    this.#limits = limits;
    this.folder = join(base, "artifacts", keyedName(key, "owner", owner));
  }

  /**
   * @param base the cache folder.
   * @param owner whom the artifacts belong to.
   * @throws Error where the folder or its key cannot be had.
   */
  static open(base: string, owner: string, limits: Limits): LocalSpillStore {
    privateFolder(base);
    return new LocalSpillStore(base, cacheKey(base), owner, limits);
  }

  create(): SpillWriter {
    return new LocalWriter(this.folder, this.#key, this.#owner, this.#limits, (saved) =>
      tidy(join(this.#base, "artifacts"), this.#limits, saved),
    );
  }
}

class LocalWriter implements SpillWriter {
  readonly #folder: string;
  readonly #limits: Limits;
  readonly #afterSave: (path: string) => void;
  readonly #mac: Hmac;
  #fd: number | null = null;
  #temporary = "";
  #pending: string[] = [];
  #pendingBytes = 0;
  /** What waits of lines in UTF-8; then no text waits. */
  #block: Buffer = Buffer.alloc(0);
  #filled = 0;
  #bytes = 0;
  #lines = 0;
  #fault: string | null = null;

  constructor(folder: string, key: Buffer, owner: string, limits: Limits, afterSave: (path: string) => void) {
    this.#folder = folder;
    this.#limits = limits;
    this.#afterSave = afterSave;
    this.#mac = createHmac("sha256", key).update(`${Buffer.byteLength(owner)}:${owner}`);
    this.#try(() => {
      const temporary = join(folder, `.${randomBytes(8).toString("hex")}.tmp`);
      this.#fd = createInFolder(folder, temporary);
      this.#temporary = temporary;
    });
  }

  write(text: string): void {
    if (this.#fault !== null) return;
    if (this.#filled > 0) this.#flush();
    this.#pending.push(text);
    this.#pendingBytes += text.length;
    if (this.#pendingBytes >= BLOCK_BYTES) this.#flush();
  }

  writeLines(text: Uint8Array, lines: number): void {
    if (this.#fault !== null) return;
    if (this.#pending.length > 0 || this.#filled + text.length > BLOCK_BYTES) this.#flush();
    this.#lines += lines;
    if (text.length >= BLOCK_BYTES) return this.#put(text);
    if (this.#block.length === 0) this.#block = Buffer.allocUnsafe(BLOCK_BYTES);
    this.#block.set(text, this.#filled);
    this.#filled += text.length;
  }

  finish(): SpillOutcome {
    this.#flush();
    const id = this.#mac.digest("hex").slice(0, 16);
    const path = join(this.#folder, `${id}.txt`);
    this.#try(() => {
      if (this.#fd === null) return;
      closeSync(this.#fd);
      this.#fd = null;
      renameSync(this.#temporary, path);
      this.#temporary = "";
      const now = new Date();
      utimesSync(path, now, now);
    });
    if (this.#fault === null) this.#try(() => this.#afterSave(path));
    if (this.#fault !== null) {
      return { saved: false, reason: this.#fault };
    }
    return {
      saved: true,
      artifact: { locator: `${ARTIFACTS_MOUNT}/${id}.txt`, lines: this.#lines, bytes: this.#bytes },
    };
  }

  discard(): void {
    this.#fault ??= "discarded";
    const fd = this.#fd;
    this.#fd = null;
    if (fd !== null) closeSync(fd);
    const temporary = this.#temporary;
    this.#temporary = "";
    this.#pending = [];
    this.#filled = 0;
    // Where it cannot be removed now (the folder became read-only), it is stale in an hour and the next save removes it.
    if (temporary !== "") rmSync(temporary, { force: true });
  }

  #flush(): void {
    if (this.#filled > 0) {
      const block = this.#block.subarray(0, this.#filled);
      this.#filled = 0;
      this.#put(block);
    }
    if (this.#pending.length === 0) return;
    const block = Buffer.from(this.#pending.join(""), "utf8");
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#put(block);
    // Byte by byte: lines are short, and a call for each costs more.
    for (let i = 0; i < block.length; i++) if (block[i] === 10) this.#lines += 1;
  }

  #put(block: Uint8Array): void {
    if (this.#fault !== null) return;
    this.#try(() => {
      if (this.#bytes + block.length > this.#limits.artifactBytes)
        throw new Error(`it is larger than artifactBytes (${this.#limits.artifactBytes})`);
      for (let at = 0; at < block.length;) at += writeSync(this.#fd as number, block, at);
    });
    this.#mac.update(block);
    this.#bytes += block.length;
  }

  /** A fault of the store ends the artifact, never the search: it is kept in words and told by `finish`. */
  #try(work: () => void): void {
    if (this.#fault !== null) return;
    try {
      work();
    } catch (error) {
      this.#fault = reasonOf(error);
      try {
        this.discard();
      } catch {
        // The first fault is the one to tell.
      }
    }
  }
}

/** Creates a file exclusively; its folder may be removed as empty by another process's clean-up at just that moment. */
function createInFolder(folder: string, path: string): number {
  for (let attempt = 0; ; attempt++) {
    privateFolder(join(folder, ".."));
    privateFolder(folder);
    try {
      return openSync(
        path,
        constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0),
        0o600,
      );
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || attempt === 5) throw error;
    }
  }
}

/** What went wrong, without a path: system errors by their code. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case undefined:
      return message;
    case "ENOSPC":
    case "EDQUOT":
      return "the disk of the cache folder is full";
    case "EROFS":
    case "EACCES":
    case "EPERM":
      return "the cache folder cannot be written";
    case "ENOENT":
    case "ENOTDIR":
      return "the cache folder is gone";
    default:
      return `the cache folder failed with ${code}`;
  }
}

interface Kept {
  readonly path: string;
  readonly bytes: number;
  readonly modified: number;
}

/** Every artifact below a folder of owners; what vanishes while one looks is not there. */
export function listArtifacts(folder: string): Kept[] {
  const kept: Kept[] = [];
  for (const owner of names(folder)) {
    for (const name of names(join(folder, owner))) {
      if (!ARTIFACT_FILE.test(name) && !TEMPORARY.test(name)) continue;
      const path = join(folder, owner, name);
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (found?.isFile() === true) kept.push({ path, bytes: found.size, modified: found.mtimeMs });
    }
  }
  return kept;
}

/**
 * Deletes what is too old, then the oldest until the total fits, and folders that are empty.
 * @param saved what was saved just now: it stays whatever its size, so that its locator leads somewhere.
 */
function tidy(folder: string, limits: Limits, saved: string): void {
  const now = Date.now();
  const oldest = now - limits.artifactDays * 86_400_000;
  // Times alone would not do: others may have been saved in the same millisecond.
  const rank = ({ path, modified }: Kept): number => (path === saved ? Infinity : modified);
  const kept = listArtifacts(folder).sort((a, b) => (rank(b) > rank(a) ? 1 : rank(b) < rank(a) ? -1 : 0));
  let total = 0;
  kept.forEach((one) => {
    const temporary = one.path.endsWith(".tmp");
    total += one.bytes;
    const tooMuch = one.path !== saved && total > limits.artifactTotalBytes;
    if (temporary ? one.modified < now - STALE_MS : one.modified < oldest || tooMuch) rmSync(one.path, { force: true });
  });
  for (const owner of names(folder)) removeEmpty(join(folder, owner));
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? ""))
      throw error;
  }
}

/**
 * Deletes every artifact, the folders of their owners, and the key, which may be the damaged one.
 * @returns how many artifacts, and their bytes.
 */
export function clearArtifacts(base: string): { readonly files: number; readonly bytes: number } {
  const folder = join(base, "artifacts");
  const kept = listArtifacts(folder);
  for (const one of kept) rmSync(one.path, { force: true });
  for (const owner of names(folder)) removeEmpty(join(folder, owner));
  rmSync(join(base, "key"), { force: true });
  return { files: kept.length, bytes: kept.reduce((sum, one) => sum + one.bytes, 0) };
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}
