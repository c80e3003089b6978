import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
  type BigIntStats,
} from "node:fs";
import { QuarryError } from "../errors/errors.js";
import type { Settings } from "../config/tunables.js";
import type { AuditEvent, AuditSink } from "./event.js";

/** A lock that is older than this was left by a process that died while it rotated. */
const STALE_LOCK_MS = 10_000;

const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);

/**
 * Events as JSON lines, one write each at the end of the file, so that several processes can share it. When it would outgrow
 * `auditMaxBytes` it becomes `FILE.1`, that `FILE.2` and so on; `auditFiles` are kept, this one included.
 *
 * A file that cannot be opened fails the start; a write that fails later is told once (`warn`) and never fails a call.
 */
export class AuditFile implements AuditSink {
  readonly #path: string;
  readonly #limits: Pick<Settings, "auditMaxBytes" | "auditFiles">;
  readonly #warn: (line: string) => void;
  #fd: number;
  #warned = false;
  #torn = false;

  private constructor(
    path: string,
    limits: Pick<Settings, "auditMaxBytes" | "auditFiles">,
    warn: (line: string) => void,
    fd: number,
  ) {
    this.#path = path;
    this.#limits = limits;
    this.#warn = warn;
    this.#fd = fd;
  }

  /**
   * Opens the file, or makes it, readable by its owner alone.
   * @throws QuarryError INVALID_ARGUMENT where it cannot be opened or is no regular file.
   */
  static open(
    path: string,
    limits: Pick<Settings, "auditMaxBytes" | "auditFiles">,
    warn: (line: string) => void,
  ): AuditFile {
    try {
      return new AuditFile(path, limits, warn, openForAppend(path));
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? "it is no regular file";
      throw new QuarryError(
        "INVALID_ARGUMENT",
        `the audit file cannot be opened (${code})`,
        { argument: "audit", remedy: "Name a file in a folder that you may write to." },
        { cause: error },
      );
    }
  }

  record(event: AuditEvent): void {
    try {
      const line = Buffer.from(`${this.#torn ? "\n" : ""}${JSON.stringify(event)}\n`);
      this.#follow(line.length);
      const written = writeSync(this.#fd, line);
      this.#torn = written > 0 && written < line.length;
      if (written < line.length) throw new Error("short write");
    } catch (error) {
      if (this.#warned) return;
      this.#warned = true;
      this.#warn(
        `audit events are being lost: the audit file cannot be written (${(error as NodeJS.ErrnoException).code ?? "short write"})`,
      );
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** Goes on in the file that bears the name now, and in a new one where that is full. */
  #follow(bytes: number): void {
    let named = statOf(this.#path);
    if (
      named !== null &&
      Number(named.size) + bytes > this.#limits.auditMaxBytes &&
      named.size > 0n &&
      this.#rotate(bytes)
    )
      named = statOf(this.#path);
    const held = fstatSync(this.#fd, { bigint: true });
    if (named !== null && named.ino === held.ino && named.dev === held.dev) return;
    const next = openForAppend(this.#path);
    closeSync(this.#fd);
    this.#fd = next;
    this.#torn = false;
  }

  /** @returns false where another process is doing it; then the file grows a little over its limit. */
  #rotate(bytes: number): boolean {
    const lock = `${this.#path}.lock`;
    if (!takeLock(lock)) return false;
    try {
      const now = statOf(this.#path);
      if (now === null || Number(now.size) + bytes <= this.#limits.auditMaxBytes) return true;
      const last = this.#limits.auditFiles - 1;
      for (let n = last; n >= 2; n--) renameIfThere(`${this.#path}.${n - 1}`, `${this.#path}.${n}`);
      if (last === 0) rmSync(this.#path, { force: true });
      else renameIfThere(this.#path, `${this.#path}.1`);
      return true;
    } finally {
      rmSync(lock, { force: true });
    }
  }
}

/** The files of one log that exist, oldest first. */
export function auditFiles(path: string): string[] {
  const older: string[] = [];
  for (let n = 1; statOf(`${path}.${n}`) !== null; n++) older.push(`${path}.${n}`);
  return [...older.reverse(), path];
}

function openForAppend(path: string): number {
  const fd = openSync(path, APPEND, 0o600);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw new Error("no regular file");
}

function takeLock(lock: string): boolean {
  try {
    closeSync(openSync(lock, "wx", 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const left = statOf(lock);
    if (left !== null && Date.now() - Number(left.mtimeMs) > STALE_LOCK_MS) rmSync(lock, { force: true });
    return false;
  }
}

function renameIfThere(from: string, to: string): void {
  if (statOf(from) !== null) renameSync(from, to);
}

function statOf(path: string): BigIntStats | null {
  return statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null;
}
