import { watches, type Watch } from "../engines/index/watches.js";
import type { FileBatch } from "../search/engine.js";
import { stateAboveMount } from "../walk/ignore-files.js";
import type { Walk, WalkEntry, WalkQuery, WalkReport } from "../walk/query.js";
import { VCS_FOLDERS } from "../workspace/version-control.js";
import { walk } from "../walk/walker.js";
import type { Mount } from "../workspace/mount.js";

/** Files and folders of all remembered walks together. */
const MAX_REMEMBERED = 400_000;
const MAX_WALKS = 32;

/**
 * As `walk`. Over a tree that is watched, a walk that came to its end is remembered, and handed on again as long as no name came or went and
 * nothing was written that says which files count.
 */
export function rememberedWalk(query: WalkQuery, signal: AbortSignal): Walk {
  const [target, more] = query.targets;
  const isPlain = target !== undefined && more === undefined && target.kind === "directory";
  if (!isPlain || query.ignoresName !== undefined || query.maxFileBytes > 0) return walk(query, signal);
  // What is in the folders of version control is not watched.
  if (query.only === "hidden" || target.path.split("/").some((name) => VCS_FOLDERS.has(name)))
    return walk(query, signal);
  const watch = watches.get(target.mount.hostRoot);
  return watch?.isReady === true ? new RememberedWalk(query, target.mount, watch, signal) : walk(query, signal);
}

interface Memory {
  readonly watch: Watch;
  readonly listing: number;
  /** Whether a work tree holds the mount, which no watch tells. */
  readonly inWorkTree: boolean;
  readonly groups: readonly unknown[];
  readonly size: number;
  readonly report: WalkReport;
}

/** By mount, since rules are a mount's; then by question. The one that was used longest ago comes first. */
const memories = new WeakMap<Mount, Map<string, Memory>>();

class RememberedWalk implements Walk {
  readonly report: WalkReport;
  readonly #walk: Walk;
  readonly #mount: Mount;
  readonly #watch: Watch;
  readonly #signal: AbortSignal;
  readonly #question: string;

  constructor(query: WalkQuery, mount: Mount, watch: Watch, signal: AbortSignal) {
    this.#walk = walk(query, signal);
    this.report = this.#walk.report;
    this.#mount = mount;
    this.#watch = watch;
    this.#signal = signal;
    const { targets, ...rest } = query;
    this.#question = JSON.stringify([targets.map(({ path, asked, below }) => [path, asked, below ?? null]), rest]);
  }

  async *batches(chunkFiles: number): AsyncGenerator<FileBatch> {
    const walked = (): AsyncIterable<FileBatch> => this.#walk.batches(chunkFiles);
    for await (const batch of this.#groups("batches", walked, ({ files }) => files.length)) {
      if (batch.files.length <= chunkFiles) yield batch;
      else yield* partsOf(batch, chunkFiles);
    }
  }

  entries(options: Parameters<Walk["entries"]>[0]): AsyncIterable<readonly WalkEntry[]> {
    return this.#groups(
      JSON.stringify(options),
      () => this.#walk.entries(options),
      (group) => group.length,
    );
  }

  async *#groups<T>(form: string, walked: () => AsyncIterable<T>, sizeOf: (group: T) => number): AsyncGenerator<T> {
    // Everything that happened before this call is told by then; what happens later makes the number another one.
    const isKnown = await this.#watch.flush();
    const { listing } = this.#watch;
    const { inWorkTree } = stateAboveMount(this.#mount);
    const key = `${form} ${this.#question}`;
    const known = memoriesOf(this.#mount).get(key);
    if (isKnown && known?.watch === this.#watch && known.listing === listing && known.inWorkTree === inWorkTree) {
      remember(this.#mount, key, known);
      yield* this.#again(known);
      return;
    }
    const groups: T[] = [];
    let size = 0;
    for await (const group of walked()) {
      size += sizeOf(group);
      if (size <= MAX_REMEMBERED) groups.push(group);
      yield group;
    }
    if (!isKnown || size > MAX_REMEMBERED || this.report.stopped) return;
    const report = structuredClone(this.report);
    remember(this.#mount, key, { watch: this.#watch, listing, inWorkTree, groups, size, report });
  }

  *#again<T>({ groups, report }: Memory): Generator<T> {
    for (const group of groups) {
      if (this.#signal.aborted) {
        this.report.stopped = true;
        return;
      }
      yield group as T;
    }
    const { samples, notes } = this.report;
    this.report.files = report.files;
    this.report.skipped = { ...report.skipped };
    for (const reason of Object.keys(samples) as (keyof typeof samples)[])
      samples[reason].splice(0, Infinity, ...report.samples[reason]);
    notes.splice(0, Infinity, ...report.notes);
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

function memoriesOf(mount: Mount): Map<string, Memory> {
  let known = memories.get(mount);
  if (known === undefined) memories.set(mount, (known = new Map()));
  return known;
}

function remember(mount: Mount, key: string, memory: Memory): void {
  const known = memoriesOf(mount);
  known.delete(key);
  known.set(key, memory);
  let size = [...known.values()].reduce((n, one) => n + one.size, 0);
  for (const [oldest, { size: own }] of known) {
    if (known.size <= MAX_WALKS && size <= MAX_REMEMBERED) break;
    known.delete(oldest);
    size -= own;
  }
}
