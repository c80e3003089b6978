import fs from "node:fs";
import { crc32 } from "node:zlib";
import { QuarryError } from "../../errors/errors.js";
import type { RelPath } from "../../paths/path.js";
import { walk } from "../../walk/walker.js";
import { isPageCached } from "../../workspace/local-files.js";
import type { Mount, Target } from "../../workspace/mount.js";
import type { Lease } from "../workers/lease.js";
import { WorkerPool } from "../workers/pool.js";
import { CHUNK_FILES, CLAIM, joinFiles } from "../kernel/protocol.js";
import { SHARED, type BuildAnswer, type BuildTask } from "./build-protocol.js";
import { encodeHeader, PAGE, pagesOf, writeFully, type IndexMeta, type Part } from "./format.js";
import { STAMP, writeStamps } from "../kernel/stamps.js";
import { rootName, type BuildClaim, type IndexStore } from "./store.js";

const WORKERS = 2;
/** With fewer files one worker is done before another has started. */
const FILES_PER_WORKER = 500;
const CHUNK = 16_000;
/** Between two looks at how far the workers are. */
const TELL_MS = 100;
const HEARTBEAT_MS = 10_000;
/** Workers that were told to stop and do not are ended after this time. */
const GRACE_MS = 500;
const IDLE_MS = 2_000;

export interface BuildOptions {
  readonly mount: Mount;
  readonly store: IndexStore;
  /** Of one index, and of all together. */
  readonly maxBytes: number;
  /** Ends the build; what was there before stays. */
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: { readonly done: number; readonly files: number }) => void;
}

export type BuildOutcome =
  | { readonly built: true; readonly meta: IndexMeta; readonly elapsedMs: number }
  /** `reason` holds no path. */
  | { readonly built: false; readonly reason: string };

/**
 * Builds the index of a mount's folder anew and puts it in the place of the one before. Every file is in it that a walk finds when ignore
 * rules do not count. Never throws for what the disk or another process does: the outcome says it.
 */
export async function buildIndex(options: BuildOptions): Promise<BuildOutcome> {
  const { mount, store, signal } = options;
  const { hostRoot } = mount;
  if (!isPageCached(hostRoot))
    return { built: false, reason: "its file system is not known to keep the times of every change" };
  let claim: BuildClaim | null = null;
  try {
    claim = await store.claim(hostRoot, signal);
    if (claim === null) return { built: false, reason: "another process is building it" };
    const started = performance.now();
    const meta = await write(options, claim);
    if (typeof meta === "string") return { built: false, reason: meta };
    store.accept(hostRoot, claim);
    store.tidy(options.maxBytes, hostRoot);
    return { built: true, meta, elapsedMs: performance.now() - started };
  } catch (error) {
    if (error instanceof QuarryError) return { built: false, reason: error.message };
    if (error instanceof Error && "syscall" in error)
      return { built: false, reason: `the cache folder failed with ${(error as NodeJS.ErrnoException).code}` };
    throw error;
  } finally {
    await claim?.release();
  }
}

/** @returns why nothing was written, in words. */
async function write(options: BuildOptions, claim: BuildClaim): Promise<IndexMeta | string> {
  const { mount, signal, onProgress } = options;
  const builtAt = Date.now();
  const files = await listFiles(mount, signal);
  if (signal.aborted) return ENDED;
  const fd = fs.openSync(claim.temporary, "wx+", 0o600);
  try {
    const job = new BuildJob(mount, files, fd, options.maxBytes);
    const timer = setInterval(() => onProgress?.({ done: job.done, files: files.length }), TELL_MS);
    const heartbeat = setInterval(() => claim.touch(), HEARTBEAT_MS);
    try {
      const fault = await job.run(signal);
      if (fault !== null) return fault;
    } finally {
      clearInterval(timer);
      clearInterval(heartbeat);
    }
    const meta = job.finish({ root: rootName(mount.hostRoot), builtAt });
    if (meta.bytes > options.maxBytes) return tooLarge(options.maxBytes);
    fs.fdatasyncSync(fd);
    return meta;
  } finally {
    fs.closeSync(fd);
  }
}

const ENDED = "it was ended";

function tooLarge(maxBytes: number): string {
  return `it would be larger than indexTotalBytes (${maxBytes})`;
}

async function listFiles(mount: Mount, signal: AbortSignal): Promise<RelPath[]> {
  const target: Target = { mount, path: "", kind: "directory", asked: "" };
  const all = { include: [], exclude: [], types: [], includeIgnored: true, maxFileBytes: 0 };
  const files: RelPath[] = [];
  for await (const batch of walk({ targets: [target], ...all }, signal).batches(CHUNK)) files.push(...batch.files);
  return files;
}

type WorkEnd =
  | Exclude<BuildAnswer, { readonly kind: "segment" | "ready" }>
  | { readonly kind: "failed"; readonly why: string };

/** What one worker does for a build. */
class BuildWork {
  readonly done: Promise<WorkEnd>;
  #lease: Lease | null = null;
  #cancel: (() => void) | null = null;
  #settle: (end: WorkEnd) => void = () => undefined;

  /** @param segments gets what the worker has written. */
  constructor(task: BuildTask, segments: WrittenSegment[]) {
    this.done = new Promise((resolve) => (this.#settle = resolve));
    this.#cancel = pool().request({
      granted: (lease) => {
        this.#lease = lease;
        lease.post(task);
      },
      message: (lease, message) => {
        const answer = message as BuildAnswer;
        if (answer.kind === "segment") segments.push(answer);
        else if (answer.kind !== "ready") {
          lease.release();
          this.#settle(answer);
        }
      },
      wanted: () => undefined,
      lost: (_, why) => {
        Atomics.store(task.shared, SHARED.stop, 1);
        this.#settle({ kind: "failed", why: `a worker of the build was lost (${why})` });
      },
    });
  }

  /** Ends the worker, whatever it does. */
  async end(): Promise<void> {
    this.#cancel?.();
    await this.#lease?.terminate();
    this.#settle({ kind: "stopped" });
  }
}

type WrittenSegment = Extract<BuildAnswer, { readonly kind: "segment" }>;

let shared: WorkerPool | null = null;

/** The workers of this process that build. */
function pool(): WorkerPool {
  const script = new URL("./build-worker.js", import.meta.url);
  return (shared ??= new WorkerPool({ script, size: WORKERS, idleMs: IDLE_MS }));
}

/** One build: workers write segments, and this writes what is about all of them. */
class BuildJob {
  readonly #mount: Mount;
  readonly #files: readonly RelPath[];
  readonly #fd: number;
  readonly #maxBytes: number;
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

  constructor(mount: Mount, files: readonly RelPath[], fd: number, maxBytes: number) {
    this.#mount = mount;
    this.#files = files;
    this.#fd = fd;
    this.#maxBytes = maxBytes;
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

  /** @returns what went wrong, in words; null where nothing did. Nobody writes to the file any more when it settles. */
  async run(signal: AbortSignal): Promise<string | null> {
    if (this.#files.length === 0) return null;
    const names = joinFiles(this.#files, this.#claims);
    const count = Math.min(WORKERS, Math.ceil(this.#files.length / FILES_PER_WORKER));
    const works = Array.from({ length: count }, (_, i) => new BuildWork(this.#task(names, i + 1), this.#segments));
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

  #task(names: SharedArrayBuffer, worker: number): BuildTask {
    return {
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
