import { watches, type Watch } from "../engines/index/watches.js";
import { comparePaths, type RelPath } from "../paths/path.js";
import type { FileBatch } from "../search/engine.js";
import { Evidence, EvidenceCheck } from "../walk/evidence.js";
import { stateAboveMount } from "../walk/ignore-files.js";
import type { Walk, WalkEntry, WalkQuery, WalkReport } from "../walk/query.js";
import { walk } from "../walk/walker.js";
import type { Mount } from "../workspace/mount.js";
import { VCS_FOLDERS } from "../workspace/version-control.js";

/** Files and folders of all remembered walks together. */
const MAX_REMEMBERED = 250_000;
const MAX_WALKS = 32;
/** A walk that nobody asked for again for so long (ms) is forgotten, unless its tree is watched. */
const IDLE_MS = 60_000;
/** Milliseconds between two turns of the event loop, in which a signal can arrive. */
const SLICE_MS = 8;

/**
 * As `walk`. A walk that came to its end is remembered, and handed on again where it would come to the same: over a tree that is watched, as
 * long as no name came or went and nothing was written that says which files count; over others, where every folder and every file of rules that it
 * looked at is what it was, which costs one look at each.
 * @param answer as in `SearchJob`.
 */
export function rememberedWalk(query: WalkQuery, signal: AbortSignal, answer?: object): Walk {
  const [target, more] = query.targets;
  const isPlain = target !== undefined && more === undefined && target.kind === "directory";
  if (!isPlain || query.ignoresName !== undefined || query.decides !== undefined || query.maxFileBytes > 0)
    return walk(query, signal);
  // What is in the folders of version control is not watched.
  const isWatched = query.only !== "hidden" && !target.path.split("/").some((name) => VCS_FOLDERS.has(name));
  const watch = isWatched ? watches.get(target.mount.hostRoot) : undefined;
  return new RememberedWalk(query, target.mount, watch?.isReady === true ? watch : null, signal, answer);
}

/** How groups of one form are taken apart. */
interface Form<T> {
  readonly name: string;
  walked(walk: Walk): AsyncIterable<T>;
  sizeOf(group: T): number;
  lastOf(group: T): RelPath;
  /** What of a group comes behind a path. */
  behind(group: T, path: RelPath): T;
}

interface Memory {
  /** The watch that tells whether anything came or went since `listing`. */
  readonly watch: Watch | null;
  readonly listing: number;
  /** Whether a work tree holds the mount, which neither a watch nor evidence tells. */
  readonly inWorkTree: boolean;
  readonly groups: readonly unknown[];
  /** null where it does not say whether the walk would come to the same. */
  readonly evidence: Evidence | null;
  /** Of the evidence: how much of it each group rests on. */
  readonly ends: readonly number[];
  readonly size: number;
  readonly report: WalkReport;
  readonly usedAt: number;
}

class RememberedWalk implements Walk {
  readonly report: WalkReport;
  readonly #walk: Walk;
  readonly #evidence = new Evidence();
  readonly #mount: Mount;
  readonly #watch: Watch | null;
  readonly #signal: AbortSignal;
  readonly #answer: object | undefined;
  readonly #question: string;
  /** All that was remembered is still true, and was handed on. */
  #isWhole = false;

  constructor(query: WalkQuery, mount: Mount, watch: Watch | null, signal: AbortSignal, answer: object | undefined) {
    this.#walk = walk(query, signal, this.#evidence);
    this.report = this.#walk.report;
    this.#mount = mount;
    this.#watch = watch;
    this.#signal = signal;
    this.#answer = answer;
    const { targets, ...rest } = query;
    this.#question = JSON.stringify([targets.map(({ path, asked, below }) => [path, asked, below ?? null]), rest]);
  }

  async *batches(chunkFiles: number): AsyncGenerator<FileBatch> {
    const form: Form<FileBatch> = {
      name: "batches",
      walked: (one) => one.batches(chunkFiles),
      sizeOf: ({ files }) => files.length,
      lastOf: ({ files }) => files.at(-1) as RelPath,
      behind: (batch, path) => {
        const files = batch.files.filter((file) => comparePaths(file, path) > 0);
        return files.length === batch.files.length ? batch : { target: batch.target, files, trees: [] };
      },
    };
    for await (const batch of this.#groups(form)) {
      if (batch.files.length <= chunkFiles) yield batch;
      else yield* partsOf(batch, chunkFiles);
    }
  }

  entries(options: Parameters<Walk["entries"]>[0]): AsyncIterable<readonly WalkEntry[]> {
    return this.#groups({
      name: JSON.stringify(options),
      walked: (one) => one.entries(options),
      sizeOf: (group) => group.length,
      lastOf: (group) => (group.at(-1) as WalkEntry).path,
      behind: (group, path) => group.filter((entry) => comparePaths(entry.path, path) > 0),
    });
  }

  async *#groups<T>(form: Form<T>): AsyncGenerator<T> {
    // Everything that happened before this call is told by then; what happens later makes the number another one.
    const watch = this.#watch !== null && (await this.#watch.flush(this.#answer)) ? this.#watch : null;
    const now = { watch, listing: watch?.listing ?? 0, inWorkTree: stateAboveMount(this.#mount).inWorkTree };
    const key = `${numberOf(this.#mount)} ${form.name} ${this.#question}`;
    const known = memories.get(key);
    let last: RelPath | null = null;
    if (known !== undefined) {
      for await (const group of this.#again(known, now, form as Form<unknown>)) {
        last = form.lastOf(group as T);
        yield group as T;
      }
      if (this.report.stopped) return;
      if (this.#isWhole) {
        remember(key, { ...known, ...now });
        return;
      }
    }
    this.report.files = 0;
    const groups: T[] = [];
    const ends: number[] = [];
    let size = 0;
    for await (const group of form.walked(this.#walk)) {
      size += form.sizeOf(group);
      if (size <= MAX_REMEMBERED) groups.push(group);
      ends.push(this.#evidence.looks.length);
      const rest = last === null ? group : form.behind(group, last);
      if (form.sizeOf(rest) > 0) yield rest;
    }
    const evidence = this.#evidence.isCertain ? this.#evidence : null;
    size += evidence?.looks.length ?? 0;
    if ((watch === null && evidence === null) || size > MAX_REMEMBERED || this.report.stopped) return;
    remember(key, { ...now, groups, evidence, ends, size, report: structuredClone(this.report), usedAt: 0 });
  }

  /** Hands on what is remembered, as far as it is still true; `#isWhole` says whether that was all. */
  async *#again<T>(
    { groups, evidence, ends, report, ...then }: Memory,
    now: Pick<Memory, "watch" | "listing" | "inWorkTree">,
    form: Form<T>,
  ): AsyncGenerator<T> {
    if (then.inWorkTree !== now.inWorkTree) return;
    const isTold = now.watch !== null && then.watch === now.watch && then.listing === now.listing;
    if (!isTold && evidence === null) return;
    const check = isTold || evidence === null ? null : new EvidenceCheck(this.#mount, evidence);
    try {
      for (const [i, group] of (groups as readonly T[]).entries()) {
        if (!(await this.#holds(check, ends[i] as number))) return;
        this.report.files += form.sizeOf(group);
        yield group;
      }
      if (!(await this.#holds(check, evidence?.looks.length ?? 0))) return;
    } finally {
      check?.close();
    }
    this.#isWhole = true;
    const { samples, notes } = this.report;
    this.report.files = report.files;
    this.report.skipped = { ...report.skipped };
    for (const reason of Object.keys(samples) as (keyof typeof samples)[])
      samples[reason].splice(0, Infinity, ...report.samples[reason]);
    notes.splice(0, Infinity, ...report.notes);
  }

  async #holds(check: EvidenceCheck | null, end: number): Promise<boolean> {
    for (;;) {
      const holds = check === null ? true : check.run(end, performance.now() + SLICE_MS);
      if (this.#signal.aborted) {
        this.report.stopped = true;
        return false;
      }
      if (holds !== null) return holds;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** Of a batch that is handed on again and again the parts are the same ones, too: an index knows them by that. */
const parts = new WeakMap<FileBatch, Map<number, readonly FileBatch[]>>();

function partsOf(batch: FileBatch, files: number): readonly FileBatch[] {
  let known = parts.get(batch);
  if (known === undefined) parts.set(batch, (known = new Map()));
  let found = known.get(files);
  if (found === undefined) {
    found = Array.from({ length: Math.ceil(batch.files.length / files) }, (_, i) => ({
      target: batch.target,
      files: batch.files.slice(i * files, (i + 1) * files),
      trees: [],
    }));
    known.set(files, found);
  }
  return found;
}

/** By mount, since rules are a mount's, and question. The one that was used longest ago comes first. */
const memories = new Map<string, Memory>();
let total = 0;
let timer: NodeJS.Timeout | null = null;
const numbers = new WeakMap<Mount, number>();
let mounts = 0;

function numberOf(mount: Mount): number {
  let number = numbers.get(mount);
  if (number === undefined) numbers.set(mount, (number = ++mounts));
  return number;
}

function remember(key: string, memory: Memory): void {
  forget(key);
  memories.set(key, { ...memory, usedAt: performance.now() });
  total += memory.size;
  for (const oldest of memories.keys()) {
    if (memories.size <= MAX_WALKS && total <= MAX_REMEMBERED) break;
    forget(oldest);
  }
  timer ??= setInterval(rest, IDLE_MS).unref();
}

function forget(key: string): void {
  const known = memories.get(key);
  if (known === undefined) return;
  memories.delete(key);
  total -= known.size;
}

function rest(): void {
  const now = performance.now();
  for (const [key, { watch, usedAt }] of memories) if (watch?.isReady !== true && now - usedAt >= IDLE_MS) forget(key);
  if (memories.size > 0 || timer === null) return;
  clearInterval(timer);
  timer = null;
}
