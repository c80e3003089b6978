import fs from "node:fs";
import { crc32 } from "node:zlib";
import type { RelPath } from "../../paths/path.js";
import type { Mount } from "../../workspace/mount.js";
import { CHUNK_FILES, CLAIM, joinFiles } from "../kernel/protocol.js";
import { STAMP, writeStamps } from "../kernel/stamps.js";
import { SHARED, type BuildTask, type CopyTask } from "./build-protocol.js";
import { BuildWork, WORKERS, type WrittenSegment } from "./build-work.js";
import { encodeHeader, PAGE, pagesOf, writeFully, type IndexMeta, type Part } from "./format.js";
import type { BuildUpdate } from "./build-update.js";

/** With fewer files one worker is done before another has started. */
const FILES_PER_WORKER = 500;
/** Workers that were told to stop and do not are ended after this time. */
const GRACE_MS = 500;

/** Why a build came to no end. */
export const ENDED = "it was ended";
/** The index that was to be brought up to date is no good. */
export const DAMAGED = "the index that was there is damaged";

export function tooLarge(maxBytes: number): string {
  return `it would be larger than indexTotalBytes (${maxBytes})`;
}

/** The file that is written, and how large it may become. */
export interface BuildTarget {
  readonly fd: number;
  readonly maxBytes: number;
}

/** One build: workers write segments, and this writes what is about all of them. */
export class BuildJob {
  readonly #mount: Mount;
  readonly #files: readonly RelPath[];
  readonly #fd: number;
  readonly #maxBytes: number;
  readonly #update: BuildUpdate | null;
  readonly #claims: Int32Array;
  readonly #shared = new Int32Array(new SharedArrayBuffer(SHARED.size * 4));
  readonly #end = new BigInt64Array(new SharedArrayBuffer(8));
  /** The stamps, those of the root behind them, and the flags. */
  readonly #memory: SharedArrayBuffer;
  readonly #stamps: BigInt64Array;
  readonly #flags: Uint8Array;
  readonly #segments: WrittenSegment[] = [];
  #indexed = 0;
  #textBytes = 0;

  /** @param update what is taken from the index that is there; null where every file is read. */
  constructor(mount: Mount, files: readonly RelPath[], target: BuildTarget, update: BuildUpdate | null) {
    this.#mount = mount;
    this.#files = files;
    this.#fd = target.fd;
    this.#maxBytes = target.maxBytes;
    this.#update = update;
    this.#claims = new Int32Array(new SharedArrayBuffer(Math.ceil(files.length / CHUNK_FILES) * CLAIM.size * 4));
    const numbers = (files.length + 1) * STAMP.numbers;
    this.#memory = new SharedArrayBuffer(numbers * 8 + files.length);
    this.#stamps = new BigInt64Array(this.#memory, 0, numbers);
    this.#flags = new Uint8Array(this.#memory, numbers * 8);
    writeStamps(this.#stamps, files.length, fs.statSync(mount.hostRoot, { bigint: true }));
    this.#end[0] = BigInt(PAGE);
  }

  /** Files that are done. */
  get done(): number {
    return Atomics.load(this.#shared, SHARED.filesDone);
  }

  /** Files that were opened to be read. */
  get read(): number {
    return Atomics.load(this.#shared, SHARED.filesRead);
  }

  /** @returns what went wrong, in words; null where nothing did. Nobody writes to the file any more when it settles. */
  async run(signal: AbortSignal): Promise<string | null> {
    if (this.#files.length === 0) return null;
    const names = joinFiles(this.#files, this.#claims);
    const count = Math.min(WORKERS, Math.ceil(this.#files.length / FILES_PER_WORKER));
    const tasks = Array.from({ length: count }, (_, i) => this.#task(names, i + 1));
    const fault = await this.#work(tasks, signal);
    return fault ?? (this.#update === null ? null : await this.#work(this.#copies(this.#update), signal));
  }

  async #work(tasks: readonly (BuildTask | CopyTask)[], signal: AbortSignal): Promise<string | null> {
    const works = tasks.map((task) => new BuildWork(task, this.#segments));
    let timer: NodeJS.Timeout | undefined;
    const onAbort = (): void => {
      Atomics.store(this.#shared, SHARED.stop, 1);
      // One that the system holds does not look at the flag.
      timer = setTimeout(() => works.forEach((work) => void work.end()), GRACE_MS);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      const ends = await Promise.all(works.map((work) => work.done));
      if (signal.aborted) return ENDED;
      for (const end of ends) {
        if (end.kind === "failed") return end.why;
        if (end.kind === "tooLarge") return tooLarge(this.#maxBytes);
        if (end.kind === "damaged") return DAMAGED;
        if (end.kind === "stopped") continue;
        this.#indexed += end.indexed;
        this.#textBytes += end.textBytes;
      }
      return ends.every((end) => end.kind === "done") ? null : ENDED;
    } finally {
      signal.removeEventListener("abort", onAbort);
      clearTimeout(timer);
    }
  }

  #copies(update: BuildUpdate): CopyTask[] {
    const renumbered = update.renumbered();
    return Array.from({ length: Math.min(WORKERS, update.segments.length) }, (_, n) => ({
      kind: "copy",
      from: update.from,
      segments: update.segments.filter((__, i) => i % WORKERS === n),
      renumbered,
      shared: this.#shared,
      end: this.#end,
      fd: this.#fd,
      maxBytes: this.#maxBytes,
    }));
  }

  #task(names: SharedArrayBuffer, worker: number): BuildTask {
    return {
      kind: "build",
      known: this.#update?.known ?? null,
      mount: { ...this.#mount },
      names,
      claims: this.#claims,
      files: this.#files.length,
      stamps: this.#stamps,
      flags: this.#flags,
      shared: this.#shared,
      end: this.#end,
      fd: this.#fd,
      maxBytes: this.#maxBytes,
      worker,
    };
  }

  /** Writes everything but the segments. */
  finish(about: Pick<IndexMeta, "root" | "builtAt">): IndexMeta {
    let end = Number(this.#end[0]);
    const put = (bytes: Uint8Array): Part => {
      const part = { at: end, bytes: bytes.length, crc: crc32(bytes) };
      writeFully(this.#fd, bytes, end);
      end += pagesOf(bytes.length) * PAGE;
      return part;
    };
    const stampBytes = this.#files.length * STAMP.numbers * 8;
    const stamps = new Uint8Array(stampBytes + this.#files.length);
    stamps.set(new Uint8Array(this.#memory, 0, stampBytes));
    stamps.set(this.#flags, stampBytes);
    const text = this.#files.join("\0");
    const encoding: IndexMeta["paths"]["encoding"] = /[^\0-\xff]/.test(text) ? "utf16le" : "latin1";
    const checksums = Buffer.concat(this.#segments.map(({ checksums: { buffer } }) => new Uint8Array(buffer)));
    const parts = {
      stamps: put(stamps),
      paths: { ...put(Buffer.from(text, encoding)), encoding },
      pages: put(checksums),
    };
    const facts = {
      ...about,
      files: this.#files.length,
      indexed: this.#indexed,
      textBytes: this.#textBytes,
      segments: this.#segments.map(({ place }) => place),
      ...parts,
    } as const;
    const meta: IndexMeta = sized(facts, end);
    const json = Buffer.from(JSON.stringify(meta));
    writeFully(this.#fd, json, end);
    writeFully(this.#fd, encodeHeader(json, end), 0);
    return meta;
  }
}

/** With the length of the whole file, of which the JSON with that number is the last part. */
function sized(facts: Omit<IndexMeta, "bytes">, at: number): IndexMeta {
  let bytes = 0;
  for (;;) {
    const meta = { ...facts, bytes };
    const length = at + Buffer.byteLength(JSON.stringify(meta));
    if (length === bytes) return meta;
    bytes = length;
  }
}
