import { randomFillSync } from "node:crypto";
import { QuarryError } from "../../errors/errors.js";
import type { OpenFile } from "../../workspace/guard.js";
import type { WasmMemory } from "../workers/webassembly.js";
import { NAME_BYTES, servedName, servedNumber } from "./names.js";

/**
 * The part of WASI that ripgrep asks for, over nothing but a list of files: one folder, in which each file has its number for a name,
 * an input, an output and messages. No path, no clock of the machine's, no environment.
 * Source: https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md
 */
export interface WasiHost {
  readonly args: readonly string[];
  /** Files in the folder. */
  readonly count: number;
  /** @throws QuarryError where the guard refuses. */
  open(number: number): OpenFile;
  /** Fills the buffer with input; 0 at its end. */
  input(into: Uint8Array): number;
  /** May wait until there is room. The bytes are only valid until it returns. */
  output(bytes: Uint8Array): void;
  message(bytes: Uint8Array): void;
  /** Called often; throws to end the machine. */
  check(): void;
  /** Told of what is wrong on our side and not with one file. */
  problem(words: string): void;
}

/** Thrown by `proc_exit`. */
export class Exited {
  readonly code: number;

  constructor(code: number) {
    this.code = code;
  }
}

const ERRNO = {
  success: 0,
  acces: 2,
  badf: 8,
  inval: 28,
  io: 29,
  isdir: 31,
  loop: 32,
  mfile: 33,
  noent: 44,
  notdir: 54,
  notsup: 58,
  spipe: 70,
} as const;
const FILE_TYPE = { character: 2, directory: 3, regular: 4 } as const;
const OPEN_DIRECTORY = 2;
/** Creating, exclusive, truncating. */
const OPEN_WRITING = 1 | 4 | 8;
const FOLDER_FD = 3;
const DIRENT_BYTES = 24;
const PAGE_BYTES = 65_536;

type Opened =
  | { readonly kind: "folder" }
  | { readonly kind: "file"; readonly file: OpenFile; position: number; ended: boolean };
type Imports = Record<string, (...args: never[]) => number>;

export class Wasi {
  readonly #host: WasiHost;
  readonly #args: readonly Buffer[];
  readonly #opened: (Opened | null)[] = [null, null, null, { kind: "folder" }];
  #memory: WasmMemory | null = null;
  #bytes = new Uint8Array();
  #view = new DataView(new ArrayBuffer(0));

  constructor(host: WasiHost) {
    this.#host = host;
    this.#args = ["rg", ...host.args].map((arg) => Buffer.from(`${arg}\0`));
  }

  /** The machine's memory, once there is one. */
  use(memory: WasmMemory): void {
    this.#memory = memory;
    this.#refresh();
  }

  /** Pages that the machine has. */
  get pages(): number {
    return this.#memory === null ? 0 : this.#memory.buffer.byteLength / PAGE_BYTES;
  }

  close(): void {
    for (const opened of this.#opened) if (opened?.kind === "file") opened.file.close();
    this.#opened.length = 0;
  }

  /** What the module imports from `wasi_snapshot_preview1`. Offsets, sizes and descriptors are unsigned 32-bit numbers. */
  imports(): Imports {
    return {
      args_sizes_get: (count: number, bytes: number) => {
        this.#put32(count, this.#args.length);
        return this.#put32(
          bytes,
          this.#args.reduce((sum, arg) => sum + arg.length, 0),
        );
      },
      args_get: (list: number, into: number) => {
        for (const [i, arg] of this.#args.entries()) {
          this.#put32(list + 4 * i, into);
          this.#u8().set(arg, into);
          into += arg.length;
        }
        return ERRNO.success;
      },
      environ_sizes_get: (count: number, bytes: number) => this.#put32(count, 0) | this.#put32(bytes, 0),
      environ_get: () => ERRNO.success,
      clock_time_get: (_clock: number, _precision: bigint, into: number) => {
        this.#dv().setBigUint64(into, BigInt(Math.round(performance.now() * 1e6)), true);
        return ERRNO.success;
      },
      random_get: (into: number, length: number) => {
        randomFillSync(this.#u8(), into, length);
        return ERRNO.success;
      },
      sched_yield: () => ERRNO.success,
      poll_oneoff: () => ERRNO.notsup,
      proc_exit: (code: number) => {
        throw new Exited(code);
      },
      fd_prestat_get: (fd: number, into: number) => {
        if (fd !== FOLDER_FD) return ERRNO.badf;
        this.#put32(into, 0);
        return this.#put32(into + 4, 1);
      },
      fd_prestat_dir_name: (fd: number, into: number, length: number) => {
        if (fd !== FOLDER_FD || length < 1) return ERRNO.badf;
        this.#u8()[into] = 0x2e;
        return ERRNO.success;
      },
      fd_fdstat_get: (fd: number, into: number) => this.#fdstat(fd, into),
      fd_fdstat_set_flags: () => ERRNO.notsup,
      fd_filestat_get: (fd: number, into: number) => {
        const opened = this.#opened[fd];
        if (fd > 2 && (opened === null || opened === undefined)) return ERRNO.badf;
        if (opened?.kind === "file") return this.#filestat(into, FILE_TYPE.regular, opened.file.size);
        return this.#filestat(into, fd > 2 ? FILE_TYPE.directory : FILE_TYPE.character, 0);
      },
      fd_read: (fd: number, list: number, count: number, got: number) => this.#read(fd, list, count, got),
      fd_write: (fd: number, list: number, count: number, written: number) => this.#write(fd, list, count, written),
      fd_seek: (fd: number, offset: bigint, whence: number, into: number) => this.#seek(fd, offset, whence, into),
      fd_close: (fd: number) => {
        const opened = this.#opened[fd];
        if (opened === null || opened === undefined) return ERRNO.badf;
        if (opened.kind === "file") opened.file.close();
        this.#opened[fd] = null;
        return ERRNO.success;
      },
      fd_readdir: (fd: number, into: number, length: number, cookie: bigint, used: number) =>
        this.#readdir(fd, into, length, cookie, used),
      path_filestat_get: (fd: number, _flags: number, path: number, length: number, into: number) => {
        const number = this.#lookup(fd, path, length);
        if (number === null) return ERRNO.noent;
        return this.#filestat(into, number === -1 ? FILE_TYPE.directory : FILE_TYPE.regular, 0);
      },
      path_open: (
        fd: number,
        _flags: number,
        path: number,
        length: number,
        how: number,
        _rights: bigint,
        _inherited: bigint,
        _fdflags: number,
        into: number,
      ) => this.#openPath(fd, path, length, how, into),
      path_readlink: () => ERRNO.inval,
    } satisfies Imports;
  }

  #refresh(): void {
    this.#bytes = new Uint8Array((this.#memory as WasmMemory).buffer);
    this.#view = new DataView(this.#bytes.buffer);
  }

  #u8(): Uint8Array {
    if (this.#bytes.length === 0) this.#refresh();
    return this.#bytes;
  }

  #dv(): DataView {
    // A memory that has grown has left its old buffer empty.
    if (this.#bytes.length === 0) this.#refresh();
    return this.#view;
  }

  #put32(at: number, value: number): 0 {
    this.#dv().setUint32(at, value, true);
    return ERRNO.success;
  }

  #fdstat(fd: number, into: number): number {
    const opened = this.#opened[fd];
    if (fd > 2 && (opened === null || opened === undefined)) return ERRNO.badf;
    const view = this.#dv();
    const type = fd <= 2 ? FILE_TYPE.character : opened?.kind === "folder" ? FILE_TYPE.directory : FILE_TYPE.regular;
    view.setUint32(into, type, true);
    view.setUint32(into + 4, 0, true);
    view.setBigUint64(into + 8, ~0n, true);
    view.setBigUint64(into + 16, ~0n, true);
    return ERRNO.success;
  }

  #filestat(into: number, type: number, size: number): number {
    const view = this.#dv();
    this.#u8().fill(0, into, into + 64);
    view.setUint8(into + 16, type);
    view.setBigUint64(into + 24, 1n, true);
    view.setBigUint64(into + 32, BigInt(size), true);
    return ERRNO.success;
  }

  /** The number of the file that a path means; -1 for the folder, null for what is not there. */
  #lookup(fd: number, path: number, length: number): number | null {
    if (this.#opened[fd]?.kind !== "folder") return null;
    const bytes = this.#u8();
    let from = path;
    const to = path + length;
    while (bytes[from] === 0x2e && bytes[from + 1] === 0x2f && from < to) from += 2;
    if (from >= to || (to - from === 1 && bytes[from] === 0x2e)) return -1;
    const number = servedNumber(bytes, from, to);
    return number === -1 || number >= this.#host.count ? null : number;
  }

  #openPath(fd: number, path: number, length: number, how: number, into: number): number {
    this.#host.check();
    const number = this.#lookup(fd, path, length);
    if (number === null) return ERRNO.noent;
    if ((how & OPEN_WRITING) !== 0) return ERRNO.acces;
    if (number === -1) return this.#put32(into, this.#add({ kind: "folder" }));
    if ((how & OPEN_DIRECTORY) !== 0) return ERRNO.notdir;
    try {
      return this.#put32(into, this.#add({ kind: "file", file: this.#host.open(number), position: 0, ended: false }));
    } catch (error) {
      return this.#refused(error);
    }
  }

  #add(opened: Opened): number {
    let fd = FOLDER_FD + 1;
    while (this.#opened[fd] !== null && this.#opened[fd] !== undefined) fd += 1;
    this.#opened[fd] = opened;
    return fd;
  }

  /** What ripgrep is told where the guard or the system refuses; it reports the file. */
  #refused(error: unknown): number {
    if (!(error instanceof QuarryError)) throw error;
    if (error.code === "SEARCH_FAILED") {
      this.#host.problem(error.message);
      return ERRNO.mfile;
    }
    if (error.code === "NOT_FOUND") return ERRNO.noent;
    if (error.code === "OUTSIDE_WORKSPACE") return ERRNO.loop;
    return error.code === "NOT_A_FILE" ? ERRNO.inval : ERRNO.acces;
  }

  #read(fd: number, list: number, count: number, got: number): number {
    this.#host.check();
    const opened = this.#opened[fd];
    if (fd !== 0 && opened?.kind !== "file") return opened?.kind === "folder" ? ERRNO.isdir : ERRNO.badf;
    const view = this.#dv();
    let total = 0;
    for (let i = 0; i < count; i++) {
      const at = view.getUint32(list + 8 * i, true);
      const into = this.#u8().subarray(at, at + view.getUint32(list + 8 * i + 4, true));
      let n: number;
      try {
        n = opened?.kind === "file" ? readOn(opened, into) : this.#host.input(into);
      } catch (error) {
        if (error instanceof QuarryError) return ERRNO.io;
        throw error;
      }
      total += n;
      if (n < into.length) break;
    }
    return this.#put32(got, total);
  }

  #write(fd: number, list: number, count: number, written: number): number {
    if (fd !== 1 && fd !== 2) return ERRNO.badf;
    this.#host.check();
    const view = this.#dv();
    let total = 0;
    for (let i = 0; i < count; i++) {
      const at = view.getUint32(list + 8 * i, true);
      const length = view.getUint32(list + 8 * i + 4, true);
      const bytes = this.#u8().subarray(at, at + length);
      if (fd === 1) this.#host.output(bytes);
      else this.#host.message(bytes);
      total += length;
    }
    return this.#put32(written, total);
  }

  #seek(fd: number, offset: bigint, whence: number, into: number): number {
    const opened = this.#opened[fd];
    if (opened?.kind !== "file") return fd <= 2 ? ERRNO.spipe : ERRNO.badf;
    const base = whence === 0 ? 0 : whence === 1 ? opened.position : opened.file.size;
    const position = base + Number(offset);
    if (position < 0) return ERRNO.inval;
    opened.position = position;
    opened.ended = false;
    this.#dv().setBigUint64(into, BigInt(position), true);
    return ERRNO.success;
  }

  /** Each entry is a head of 24 bytes and its name; one that does not fit is cut, which says that there is more. */
  #readdir(fd: number, into: number, length: number, cookie: bigint, used: number): number {
    if (this.#opened[fd]?.kind !== "folder") return ERRNO.badf;
    const view = this.#dv();
    const bytes = this.#u8();
    const entry = Buffer.alloc(DIRENT_BYTES + NAME_BYTES);
    let at = 0;
    for (let number = Number(cookie); number < this.#host.count && at < length; number++) {
      entry.writeBigUInt64LE(BigInt(number + 1), 0);
      entry.writeBigUInt64LE(BigInt(number + 1), 8);
      entry.writeUInt32LE(NAME_BYTES, 16);
      entry.writeUInt32LE(FILE_TYPE.regular, 20);
      entry.write(servedName(number), DIRENT_BYTES, "latin1");
      bytes.set(entry.subarray(0, Math.min(entry.length, length - at)), into + at);
      at = Math.min(length, at + entry.length);
    }
    view.setUint32(used, at, true);
    return ERRNO.success;
  }
}

/** Reads on; a file whose end was seen is not asked again. */
function readOn(opened: Extract<Opened, { kind: "file" }>, into: Uint8Array): number {
  if (opened.ended || into.length === 0) return 0;
  const n = opened.file.read(into, opened.position);
  opened.position += n;
  opened.ended = n < into.length;
  return n;
}
