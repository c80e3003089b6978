import type { RelPath } from "../../paths/path.js";
import { graver, type IncompleteReason } from "../../search/coverage.js";
import type { EngineReport, FileBatch, FileHits, HitSink, SearchEngine, SearchJob } from "../../search/engine.js";
import { shortReadsEnd } from "../../workspace/local-files.js";
import type { Mount } from "../../workspace/mount.js";
import type { WorkerPool } from "../workers/pool.js";
import { Crew } from "./crew.js";
import { searchElsewhere, type Place } from "./elsewhere.js";
import { OUTCOME, unpack, type PackedFile } from "./packed.js";
import { anyCaseOf, type KernelPlan } from "./plan.js";
import { Portion } from "./portion.js";
import type { Skips } from "./protocol.js";

/** Portions on their way at once: the walker is not let run further ahead. */
const MAX_PORTIONS = 6;

export type SkipsOf = (batch: FileBatch) => Skips | null;

/** A file's results, in the order of the search. */
type Result = Place & { readonly file: PackedFile; readonly order: number };

/** One call of the engine: portions go to the workers as the walker brings them, results come back in order. */
export class Search {
  readonly #job: SearchJob;
  readonly #sink: HitSink;
  readonly #fallback: SearchEngine;
  readonly #crew: Crew;
  readonly #skipsOf: SkipsOf | null;
  readonly #portions: Portion[] = [];
  /** Ends what other engines do for this search. */
  #ending: AbortController | null = null;
  #fed = false;
  #feedError: { readonly error: unknown } | null = null;
  #stopped = false;
  #waiting: (() => void)[] = [];
  #filesSearched = 0;
  #binary = 0;
  readonly #unreadable: (Place & { readonly order: number })[] = [];
  readonly #nulHeads: Place[] = [];
  /** null where nobody looks for it. */
  readonly #otherCase: Place[] | null;
  /** Files of which it is still asked. */
  #otherCaseLeft: number;
  /** False once files went elsewhere that no worker has looked into. */
  #seesAll = true;
  /** What `shortReadsEnd` says of each mount. */
  readonly #known = new Map<string, boolean>();
  /** Results so far. */
  #results = 0;
  #incomplete: IncompleteReason | null = null;
  #reason: string | null = null;

  /** @param skipsOf which files of a batch need not be looked into; all are where it is absent or says null. */
  constructor(
    pool: WorkerPool,
    fallback: SearchEngine,
    plan: KernelPlan,
    job: SearchJob,
    sink: HitSink,
    skipsOf: SkipsOf | null = null,
  ) {
    this.#skipsOf = skipsOf;
    this.#job = job;
    this.#sink = sink;
    this.#fallback = fallback;
    this.#otherCaseLeft = job.otherCaseFiles ?? 0;
    const otherCase = this.#otherCaseLeft === 0 ? null : (anyCaseOf(job.query)?.plan.needles ?? null);
    this.#otherCase = otherCase === null ? null : [];
    this.#crew = new Crew(pool, { ...plan, otherCase }, job.parallel, {
      found: ({ portion: number, numbers, text, progress, nulHeads, otherCase: others, words }) => {
        if (words !== null) this.#note("engine", words);
        const portion = this.#portions.find((one) => one.number === number);
        for (const index of nulHeads) addPlace(this.#nulHeads, portion?.batch, index);
        for (const index of others) addPlace(this.#otherCase, portion?.batch, index);
        const late = portion?.add(unpack(numbers, text), progress);
        this.#crew.handedOn(late ?? numbers.byteLength + text.byteLength);
      },
      change: () => this.#notify(),
    });
  }

  async run(): Promise<EngineReport> {
    const onAbort = (): void => {
      this.#note("cancelled", null);
      this.#stop();
    };
    this.#job.signal.addEventListener("abort", onAbort, { once: true });
    if (this.#job.signal.aborted) onAbort();
    const feeding = this.#feed();
    let seesWhole = false;
    try {
      await this.#handOnAll();
      seesWhole = !this.#stopped;
      if (this.#feedError !== null) throw this.#feedError.error;
    } finally {
      this.#job.signal.removeEventListener("abort", onAbort);
      this.#stop();
      await feeding;
      await this.#crew.end();
    }
    return {
      filesSearched: this.#filesSearched,
      binary: this.#binary,
      unreadable: this.#unreadable.sort((a, b) => a.order - b.order).map(({ target, path }) => ({ target, path })),
      incomplete: this.#incomplete,
      reason: this.#reason,
      ...(this.#seesAll ? { nulHeads: this.#nulHeads } : {}),
      ...(this.#seesAll && seesWhole && this.#otherCase !== null && !this.#crew.found
        ? { otherCase: this.#otherCase }
        : {}),
    };
  }

  /** Gives portions to the workers as the walker brings files. Its errors are kept for `run`. */
  async #feed(): Promise<void> {
    const batches = this.#job.batches[Symbol.asyncIterator]();
    try {
      while (!this.#stopped) {
        const next = batches.next();
        const step = await Promise.race([next, this.#untilStopped()]);
        // A walker that is still busy ends by the same signal; nobody waits for what it brings.
        if (step === null) next.catch(() => undefined);
        if (step === null || step.done === true) break;
        const skips = this.#skipsOf?.(step.value) ?? null;
        const otherCaseFiles = Math.min(this.#otherCaseLeft, step.value.files.length);
        this.#otherCaseLeft -= otherCaseFiles;
        const portion = new Portion(step.value, this.#shortReadsEnd(step.value.target.mount), skips, otherCaseFiles);
        this.#portions.push(portion);
        this.#crew.add(portion);
        this.#notify();
        while (!this.#stopped && this.#portions.length >= MAX_PORTIONS) await this.#change();
      }
    } catch (error) {
      this.#feedError = { error };
    } finally {
      this.#fed = true;
      if (this.#stopped) batches.return?.().catch(() => undefined);
      this.#notify();
    }
  }

  async #handOnAll(): Promise<void> {
    while (!this.#stopped) {
      const results = this.#takeInOrder();
      if (results.length > 0) await this.#handOn(results);
      else if (this.#fed && this.#portions.length === 0) return;
      else await this.#change();
    }
  }

  /** All results that are next. */
  #takeInOrder(): Result[] {
    const out: Result[] = [];
    let finished = 0;
    for (const portion of this.#portions) {
      const { results, files } = portion.take();
      this.#filesSearched += files;
      const { target, files: paths } = portion.batch;
      for (const result of results) {
        out.push({ target, path: paths[result.index] as RelPath, file: result, order: this.#results++ });
      }
      if (!portion.finished) break;
      if (portion.gaveAway) this.#seesAll = false;
      finished += 1;
    }
    if (finished > 0) {
      this.#portions.splice(0, finished);
      this.#notify();
    }
    return out;
  }

  #shortReadsEnd({ hostRoot }: Mount): boolean {
    let known = this.#known.get(hostRoot);
    if (known === undefined) this.#known.set(hostRoot, (known = shortReadsEnd(hostRoot)));
    return known;
  }

  /** Hands on results; those that have to be found elsewhere are found by one call of another engine. */
  async #handOn(results: readonly Result[]): Promise<void> {
    const missing = results.filter((result) => result.file.outcome === OUTCOME.elsewhere);
    let at = 0;
    const upTo = async (found: FileHits | null): Promise<void> => {
      for (; at < results.length && !this.#stopped; at++) {
        const result = results[at] as Result;
        if (found !== null && result.target === found.target && result.path === found.path) break;
        const settling = this.#settle(result);
        if (settling !== null) await settling;
      }
    };
    if (missing.length > 0) {
      this.#filesSearched -= missing.length;
      const ending = (this.#ending ??= new AbortController());
      if (this.#stopped) ending.abort();
      const report = await searchElsewhere(this.#fallback, this.#job, ending.signal, missing, async (found) => {
        await upTo(found);
        if (!this.#stopped) await this.#emit(found);
        return !this.#stopped;
      });
      this.#add(report, missing);
    }
    await upTo(null);
  }

  /** @returns null where it is done. */
  #settle({ target, path, file, order }: Result): Promise<void> | null {
    const { outcome } = file;
    if (outcome === OUTCOME.binary) this.#binary += 1;
    if (outcome === OUTCOME.nulBehind) this.#note("nul-byte", null);
    if (outcome === OUTCOME.unreadable) {
      this.#unreadable.push({ target, path, order });
      this.#note("unreadable", null);
    }
    if (outcome === OUTCOME.failed) this.#note("engine", null);
    if (outcome === OUTCOME.unreadable || outcome === OUTCOME.failed) this.#filesSearched -= 1;
    const emitting = file.count === 0 ? null : this.#emit(foundIn(target, path, file));
    if (emitting !== null) return emitting.then(() => this.#crew.handedOn(file.bytes));
    this.#crew.handedOn(file.bytes);
    return null;
  }

  /** @returns null where it is taken. */
  #emit(found: FileHits): Promise<void> | null {
    const taken = (more: boolean): void => {
      if (!more) this.#stop();
    };
    const more = this.#sink(found);
    if (typeof more !== "boolean") return more.then(taken);
    taken(more);
    return null;
  }

  /** Adds another engine's report. That it was ended with the search is no news. */
  #add(report: EngineReport, asked: readonly Result[]): void {
    this.#filesSearched += report.filesSearched;
    this.#binary += report.binary;
    for (const { target, path } of report.unreadable) {
      const order = asked.find((result) => result.path === path && result.target === target)?.order ?? this.#results;
      this.#unreadable.push({ target, path, order });
    }
    if (report.incomplete !== null && !(report.incomplete === "cancelled" && this.#stopped))
      this.#note(report.incomplete, report.reason);
  }

  #note(reason: IncompleteReason, words: string | null): void {
    const before = this.#incomplete;
    this.#incomplete = graver(before, reason);
    if (words !== null && (this.#reason === null || this.#incomplete !== before)) this.#reason = words;
  }

  #stop(): void {
    this.#stopped = true;
    this.#ending?.abort();
    this.#notify();
  }

  async #untilStopped(): Promise<null> {
    while (!this.#stopped) await this.#change();
    return null;
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #notify(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

function addPlace(places: Place[] | null, batch: FileBatch | undefined, index: number): void {
  const path = batch?.files[index];
  if (batch !== undefined && path !== undefined) places?.push({ target: batch.target, path });
}

/** Lines are unpacked when they are asked for. */
function foundIn(target: Place["target"], path: RelPath, file: PackedFile): FileHits {
  return {
    target,
    path,
    packed: file.packed,
    guarded: true,
    get hits() {
      return file.hits;
    },
  };
}
