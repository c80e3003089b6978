import { setTimeout as sleep } from "node:timers/promises";
import { QuarryError } from "../../errors/errors.js";
import type { RelPath } from "../../paths/path.js";
import { graver, type IncompleteReason } from "../../search/coverage.js";
import type { EngineReport, FileBatch, HitSink, LineHit, SearchJob } from "../../search/engine.js";
import type { Target } from "../../workspace/mount.js";
import { complaintTargets } from "./complaints.js";
import { failure, questionError } from "./explain.js";
import { Feed } from "./feed.js";
import type { FoundFile } from "./found.js";
import { Ground } from "./ground.js";
import { JsonReader } from "./json.js";
import type { RipgrepHost } from "./host.js";
import { NOTHING, type Part } from "./part.js";
import { settle } from "./settle.js";
import { startSlot, type Runner, type Slot } from "./slot.js";
import { remainder, Watch } from "./watch.js";

/** Parts that are started or wait with their output, for each process that may run. */
const WINDOW = 4;
/** Codes of a start that will not go better the next time. */
const CANNOT_START: ReadonlySet<string> = new Set(["ENOENT", "EACCES", "EPERM", "ENOEXEC"]);
/** A part that is lost more often is given up. */
const MAX_TRIES = 2;

/** Signals that a terminal or a service manager sends to a whole group of processes. */
const FROM_TERMINAL: ReadonlySet<string> = new Set(["SIGINT", "SIGTERM", "SIGHUP"]);

/** One call of the engine, from its first process to its last. */
export class Search {
  readonly #job: SearchJob;
  readonly #sink: HitSink;
  readonly #ground = new Ground();
  readonly #runner: Runner;
  readonly #watch: Watch;
  /** Started parts in order; the first is being read. */
  readonly #slots: Slot[] = [];
  /** Parts of the batch that was taken last, not started yet. */
  readonly #parts: Part[] = [];
  readonly #feed: Feed;
  #stopped = false;
  #waiting: (() => void)[] = [];
  #ranWell = false;
  #emitted = false;
  #unstarted: string | null = null;
  #filesSearched = 0;
  #binaryFiles = 0;
  readonly #unreadable: { target: Target; path: RelPath }[] = [];
  #incomplete: IncompleteReason | null = null;
  #reason: string | null = null;

  constructor(host: RipgrepHost, job: SearchJob, sink: HitSink) {
    this.#job = job;
    this.#sink = sink;
    this.#runner = { host, query: job.query, ground: this.#ground, live: new Set(), onChange: () => this.#notify() };
    this.#feed = new Feed(job.batches, () => this.#notify());
    this.#watch = new Watch(this.#slots, this.#ground, job.query.multiline);
  }

  async run(): Promise<EngineReport> {
    const onAbort = (): void => this.#abort();
    this.#job.signal.addEventListener("abort", onAbort, { once: true });
    if (this.#job.signal.aborted) onAbort();
    try {
      await this.#readAll();
      if (!this.#stopped && !this.#ranWell && this.#unstarted === null && this.#incomplete !== "engine")
        await this.#tryQuestion();
      if (!this.#stopped) this.#failIfNothingRan();
    } finally {
      this.#job.signal.removeEventListener("abort", onAbort);
      this.#watch.stop();
      this.#stop();
      this.#feed.close();
      await this.#allEnded();
      this.#ground.close();
    }
    return {
      filesSearched: this.#filesSearched,
      binary: this.#binaryFiles,
      unreadable: this.#unreadable,
      incomplete: this.#incomplete,
      reason: this.#reason,
    };
  }

  /** Reads the parts in order; others run meanwhile. */
  async #readAll(): Promise<void> {
    for (;;) {
      this.#startWhatFits();
      const slot = this.#slots[0];
      if (this.#stopped || (slot === undefined && this.#feed.done)) break;
      if (slot === undefined) await this.#change();
      else {
        await this.#read(slot);
        this.#slots.shift();
      }
    }
  }

  /**
   * Starts parts as the walker brings files, as many at once as may run. Called at every change.
   * @throws whatever the walker threw.
   */
  #startWhatFits(): void {
    const { parallel, query } = this.#job;
    this.#feed.check();
    while (!this.#stopped) {
      this.#feed.advance();
      if (this.#slots.length >= parallel * WINDOW || this.#slots.filter((slot) => slot.running).length >= parallel)
        return;
      if (this.#parts.length === 0) {
        const batch = this.#feed.take();
        if (batch === null) return;
        this.#parts.push(...this.#runner.host.cut(batch, 0, batch.files.length, NOTHING, query.multiline));
      }
      const part = this.#parts.shift();
      if (part !== undefined) this.#slots.push(startSlot(this.#runner, part));
    }
  }

  /** Hands on what a part's process prints until it ends. */
  async #read(slot: Slot): Promise<void> {
    while (!this.#stopped) {
      const chunks = slot.process?.take() ?? null;
      if (chunks !== null) {
        for (const chunk of chunks) await this.#handOn(slot, slot.reader.push(chunk));
        if (slot.reader.broken !== null) slot.process?.kill();
      } else if (slot.finished) {
        await this.#finish(slot);
        return;
      } else await this.#change();
      this.#startWhatFits();
    }
    // Ended early: what was handed on is what was searched for certain.
    this.#filesSearched += Math.max(0, slot.done + 1 - slot.part.from);
  }

  async #handOn(slot: Slot, files: readonly FoundFile[]): Promise<void> {
    for (const file of files) {
      if (this.#stopped) return;
      slot.done = file.index;
      const { batch } = slot.part;
      const path = batch.files[file.index] as RelPath;
      const settling = settle(this.#runner, { target: batch.target, path, file, huge: slot.part.huge });
      const settled = settling instanceof Promise ? await settling : settling;
      if (this.#stopped) return;
      if (settled.problem !== null) this.#note(settled.problem.reason, settled.problem.words);
      if (settled.binary) this.#binaryFiles += 1;
      else if (settled.hits.length > 0) {
        const more = this.#emit(batch, path, settled.hits);
        if ((typeof more === "boolean" ? more : await more) === false) this.#stop();
      }
    }
  }

  #emit(batch: FileBatch, path: RelPath, hits: readonly LineHit[]): boolean | Promise<boolean> {
    this.#emitted = true;
    return this.#sink({ target: batch.target, path, hits, guarded: this.#runner.host.guarded });
  }

  async #finish(slot: Slot): Promise<void> {
    const { part, process, reader } = slot;
    if (process?.outOfMemory === true) slot.retry ??= "memory";
    if (process?.lost === true && part.tried < MAX_TRIES) slot.retry ??= "lost";
    const retry = slot.retry;
    const rest = reader.end();
    if (retry !== null) return this.#retry(slot);
    const exit = process?.exit ?? { kind: "status", code: 1 };
    const messages = process?.messages ?? "";
    if (exit.kind === "signal" && FROM_TERMINAL.has(exit.signal)) await this.#stopComing();
    if (this.#stopped) return;
    if (exit.kind === "status" && exit.code === 2) {
      const error = questionError(messages, this.#job.query);
      if (error !== null) throw error;
    }
    await this.#handOn(slot, rest);
    if (this.#stopped) return;

    const complaints = complaintTargets(slot.complaints, part, slot.places);
    const lost = new Set([...slot.places.unreadable, ...complaints.indices]);
    for (const index of [...lost].sort((a, b) => a - b)) {
      this.#unreadable.push({ target: part.batch.target, path: part.batch.files[index] as RelPath });
    }
    if (lost.size > 0) this.#note("unreadable", null);
    if (complaints.unknown !== null) this.#note("engine", complaints.unknown);
    if (reader instanceof JsonReader && reader.tooLong.size > 0)
      this.#note("engine", "a match over more than 16 MiB of text is not shown");

    const why = slot.problem ?? this.#why(slot, exit, messages);
    if (why !== null) this.#note("engine", why);
    if (exit.kind === "unstarted") {
      this.#unstarted = exit.code;
      this.#failIfNothingRan();
    } else if (why === null || onlySomeFiles(messages)) this.#ranWell = true;
    if (why === null || reader.records > 0) {
      this.#filesSearched += part.to - part.from - lost.size - part.without.size;
    }
  }

  /** Why the process did not do its work; null where it did. */
  #why(slot: Slot, exit: NonNullable<NonNullable<Slot["process"]>["exit"]>, messages: string): string | null {
    const { reader } = slot;
    if (slot.process === null) return null;
    if (reader.broken !== null) return `ripgrep's output cannot be understood: ${reader.broken}`;
    if (exit.kind === "status") {
      if (exit.code === 0 && reader.records === 0) return "ripgrep reported a match and printed none";
      // A loader that cannot start the program ends with a status of its own, and with words that are not ripgrep's.
      if (exit.code === 1 && messages !== "" && !/^rg: /m.test(messages)) return "ripgrep cannot be run on this system";
      if (exit.code === 1 && reader.records > 0) return "ripgrep printed matches and reported none";
      if (exit.code === 2 && messages === "" && slot.complaints.length > 0) return null;
    }
    return failure(exit, messages, this.#ground.mounts);
  }

  /** Searches what a process that we ended or lost did not get to, in a way that it can be. */
  #retry(slot: Slot): void {
    const rest = remainder(slot, this.#runner);
    for (const index of rest.unreadable) {
      this.#unreadable.push({ target: slot.part.batch.target, path: slot.part.batch.files[index] as RelPath });
      this.#note("unreadable", null);
    }
    if (rest.words !== null) this.#note("engine", rest.words);
    this.#filesSearched += Math.max(0, slot.done + 1 - slot.part.from);
    // What was lost before it did anything says nothing of the engine yet.
    if (slot.retry !== "lost" || slot.done >= slot.part.from) this.#ranWell = true;
    this.#slots.splice(1, 0, ...rest.parts.map((part) => startSlot(this.#runner, part)));
  }

  /** No file at all: is the question a valid one? */
  async #tryQuestion(): Promise<void> {
    const slot = startSlot(this.#runner, null);
    this.#slots.push(slot);
    await this.#read(slot);
    this.#slots.pop();
    this.#filesSearched = 0;
  }

  #failIfNothingRan(): void {
    if (this.#ranWell || this.#emitted) return;
    if (this.#unstarted !== null && CANNOT_START.has(this.#unstarted)) {
      throw new QuarryError("ENGINE_UNAVAILABLE", `ripgrep cannot be started here (${this.#unstarted})`);
    }
    if (this.#reason !== null) throw new QuarryError("SEARCH_FAILED", this.#reason, { engineReason: this.#reason });
  }

  /** Ctrl-C reaches the whole group: our own interrupt, which says that the caller ended it, may be a moment behind. */
  async #stopComing(): Promise<void> {
    for (let turn = 0; turn < 10 && !this.#stopped; turn++) await sleep(5);
  }

  #note(reason: IncompleteReason, words: string | null): void {
    const before = this.#incomplete;
    this.#incomplete = graver(before, reason);
    if (words !== null && (this.#reason === null || this.#incomplete !== before)) this.#reason = words;
  }

  #abort(): void {
    this.#note("cancelled", null);
    this.#stop();
  }

  #stop(): void {
    this.#stopped = true;
    for (const process of this.#runner.live) process.kill();
    this.#notify();
  }

  async #allEnded(): Promise<void> {
    for (const process of this.#runner.live) await process.ended;
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

/** True where the messages are about single files, such as one on which PCRE2 gave up: the others were searched. */
function onlySomeFiles(messages: string): boolean {
  return (
    messages !== "" &&
    messages
      .trimEnd()
      .split("\n")
      .every((line) => /^rg: (?:\.\/|\/(?:proc\/self|dev)\/fd\/)/.test(line))
  );
}
