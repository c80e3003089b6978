import fs from "node:fs";
import { QuarryError } from "../../errors/errors.js";
import type { RelPath } from "../../paths/path.js";
import { walk } from "../../walk/walker.js";
import type { Mount, Target } from "../../workspace/mount.js";
import { BuildJob, DAMAGED, ENDED, tooLarge } from "./build-job.js";
import { planUpdate } from "./build-update.js";
import type { IndexMeta } from "./format.js";
import { whyNotIndexed } from "./watchable.js";
import { rootName, type BuildClaim, type IndexStore, type OpenIndex } from "./store.js";

const CHUNK = 16_000;
/** Between two looks at how far the workers are. */
const TELL_MS = 100;
const HEARTBEAT_MS = 10_000;

export interface BuildOptions {
  readonly mount: Mount;
  readonly store: IndexStore;
  /** Of one index, and of all together. */
  readonly maxBytes: number;
  /** Ends the build; what was there before stays. */
  readonly signal: AbortSignal;
  /** Reads every file, also where the index that is there knows it as it is. */
  readonly anew?: boolean;
  readonly onProgress?: (progress: { readonly done: number; readonly files: number }) => void;
}

export type BuildOutcome =
  /** `read`: files that were opened; the others were in the index before, as they are. */
  | { readonly built: true; readonly meta: IndexMeta; readonly read: number; readonly elapsedMs: number }
  /** `reason` holds no path. */
  | { readonly built: false; readonly reason: string };

/**
 * Builds the index of a mount's folder and puts it in the place of the one before, of which it takes what is still so: files that are what
 * they were are not read again. Every file is in it that a walk finds when ignore rules do not count. Never throws for what the disk or
 * another process does: the outcome says it.
 */
export async function buildIndex(options: BuildOptions): Promise<BuildOutcome> {
  const { mount, store, signal } = options;
  const { hostRoot } = mount;
  const unbuildable = whyNotIndexed(hostRoot);
  if (unbuildable !== null) return { built: false, reason: unbuildable };
  let claim: BuildClaim | null = null;
  try {
    claim = await store.claim(hostRoot, signal);
    if (claim === null) return { built: false, reason: "another process is building it" };
    const started = performance.now();
    const old = options.anew === true ? null : store.open(hostRoot);
    let written = await write(options, claim, old);
    // What is taken along may be damaged, or be what makes it too large.
    if (old !== null && (written === DAMAGED || written === tooLarge(options.maxBytes)))
      written = await write(options, claim, null);
    if (typeof written === "string") return { built: false, reason: written };
    store.accept(hostRoot, claim);
    store.tidy(options.maxBytes, hostRoot);
    return { built: true, ...written, elapsedMs: performance.now() - started };
  } catch (error) {
    if (error instanceof QuarryError) return { built: false, reason: error.message };
    if (error instanceof Error && "syscall" in error)
      return { built: false, reason: `the cache folder failed with ${(error as NodeJS.ErrnoException).code}` };
    throw error;
  } finally {
    await claim?.release();
  }
}

interface Written {
  readonly meta: IndexMeta;
  readonly read: number;
}

/**
 * @param old the index that is there; it is closed.
 * @returns why nothing was written, in words.
 */
async function write(options: BuildOptions, claim: BuildClaim, old: OpenIndex | null): Promise<Written | string> {
  const { mount, signal, onProgress, maxBytes } = options;
  let fd: number | null = null;
  try {
    const builtAt = Date.now();
    const files = await listFiles(mount, signal);
    if (signal.aborted) return ENDED;
    fs.rmSync(claim.temporary, { force: true });
    fd = fs.openSync(claim.temporary, "wx+", 0o600);
    const job = new BuildJob(mount, files, { fd, maxBytes }, old === null ? null : planUpdate(old.file, files));
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
    if (meta.bytes > maxBytes) return tooLarge(maxBytes);
    fs.fdatasyncSync(fd);
    return { meta, read: job.read };
  } finally {
    if (fd !== null) fs.closeSync(fd);
    old?.file.close();
  }
}

async function listFiles(mount: Mount, signal: AbortSignal): Promise<RelPath[]> {
  const target: Target = { mount, path: "", kind: "directory", asked: "" };
  const all = { include: [], exclude: [], types: [], includeIgnored: true, maxFileBytes: 0 };
  const files: RelPath[] = [];
  for await (const batch of walk({ targets: [target], ...all }, signal).batches(CHUNK)) files.push(...batch.files);
  return files;
}
