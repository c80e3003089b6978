import { QuarryError } from "../../errors/errors.js";
import type { BashExecutor, BashResult } from "../../executors/executor.js";
import type { RelPath } from "../../paths/path.js";
import { graver, type IncompleteReason } from "../../search/coverage.js";
import type { EngineReport, EngineStatus, FileBatch, HitSink, SearchEngine, SearchJob } from "../../search/engine.js";
import { checkPattern } from "../../search/pattern.js";
import type { Target } from "../../workspace/mount.js";
import { cutFiles, questionCommand, searchCommand } from "./command.js";
import { readOutcome, type RunOutcome } from "./outcome.js";

/** Bytes of output that one command may give; more, and its files are asked in two halves. */
const OUTPUT_BYTES = 33_554_432;
/** Milliseconds for one command; the executor may allow less. The call's own limit comes by its signal. */
const COMMAND_MS = 600_000;
/** Files of one command. */
interface Some {
  readonly target: Target;
  readonly paths: readonly RelPath[];
}

/** A command that was started. */
interface Run extends Some {
  readonly result: Promise<BashResult>;
}

/**
 * ripgrep through a `BashExecutor`: the same search wherever commands can be run. The executor's shell has to find `rg`, 13 or
 * later, and to see each mount's folder under the same path. It opens files by itself, so its hits are proposals.
 */
export class BashEngine implements SearchEngine {
  readonly name = "bash";
  readonly #executor: BashExecutor;

  constructor(executor: BashExecutor) {
    this.#executor = executor;
  }

  async status(): Promise<EngineStatus> {
    try {
      const { exitCode, stdout } = await this.#executor.run(
        this.#executor.resolve({ command: "rg --no-config --version", timeoutMs: 5_000 }),
      );
      const version = /^ripgrep (\S+)/.exec(stdout.text)?.[1];
      if (exitCode === 0 && version !== undefined)
        return { available: true, detail: `ripgrep ${version} through bash` };
      return {
        available: false,
        detail: exitCode === 127 ? "the shell finds no ripgrep (rg)" : "ripgrep does not run in the shell",
      };
    } catch (error) {
      return {
        available: false,
        detail: `the shell cannot run commands${error instanceof QuarryError ? `: ${error.message}` : ""}`,
      };
    }
  }

  /**
   * @throws QuarryError INVALID_PATTERN; INVALID_ARGUMENT for an unknown encoding; SEARCH_FAILED where no command did its work. An
   * error of the sink or the walker is thrown on.
   */
  async search(job: SearchJob, sink: HitSink): Promise<EngineReport> {
    checkPattern(job.query);
    const search = new Search(this.#executor, job, sink);
    return search.run();
  }
}

/** One call of the engine. */
class Search {
  readonly #executor: BashExecutor;
  readonly #job: SearchJob;
  readonly #sink: HitSink;
  readonly #stop = new AbortController();
  /** Ends when the caller's signal fires; never before. */
  readonly #aborted: Promise<"aborted">;
  readonly #unreadable: { target: Target; path: RelPath }[] = [];
  #filesSearched = 0;
  #binary = 0;
  #incomplete: IncompleteReason | null = null;
  #reason: string | null = null;
  #worked = false;

  constructor(executor: BashExecutor, job: SearchJob, sink: HitSink) {
    this.#executor = executor;
    this.#job = job;
    this.#sink = sink;
    this.#aborted = new Promise((resolve) => {
      const fire = (): void => {
        this.#stop.abort();
        resolve("aborted");
      };
      if (job.signal.aborted) fire();
      else job.signal.addEventListener("abort", fire, { once: true });
    });
  }

  async run(): Promise<EngineReport> {
    const batches = this.#job.batches[Symbol.asyncIterator]();
    const waiting: Some[] = [];
    const runs: Run[] = [];
    let ended = false;
    try {
      while (!this.#stop.signal.aborted) {
        for (let some = waiting[0]; some !== undefined && runs.length < this.#job.parallel; some = waiting[0]) {
          waiting.shift();
          runs.push(this.#start(some));
        }
        if (!ended && waiting.length === 0 && runs.length < this.#job.parallel) {
          const batch = await Promise.race([batches.next(), this.#aborted]);
          if (batch === "aborted") break;
          if (batch.done === true) ended = true;
          else waiting.push(...this.#cut(batch.value));
          continue;
        }
        const run = runs[0];
        if (run === undefined) break;
        if (!(await this.#finish(run))) this.#stop.abort();
        runs.shift();
      }
      if (ended && !this.#worked && this.#reason === null && !this.#stop.signal.aborted) await this.#tryQuestion();
    } finally {
      if (this.#job.signal.aborted) this.#note("cancelled", null);
      this.#stop.abort();
      // A walker that is busy ends by its own signal; nobody waits for it.
      if (!ended) batches.return?.().catch(() => undefined);
      await Promise.allSettled(runs.map((run) => run.result));
    }
    if (!this.#worked && this.#reason !== null && this.#incomplete === "engine") {
      throw new QuarryError("SEARCH_FAILED", this.#reason, { engineReason: this.#reason });
    }
    return {
      filesSearched: this.#filesSearched,
      binary: this.#binary,
      unreadable: this.#unreadable,
      incomplete: this.#incomplete,
      reason: this.#reason,
    };
  }

  #cut({ target, files }: FileBatch): Some[] {
    return cutFiles(this.#job.query, files).map(({ from, to }) => ({ target, paths: files.slice(from, to) }));
  }

  #start({ target, paths }: Some): Run {
    const result = this.#command(searchCommand(this.#job.query, paths), target.mount.hostRoot);
    // Whoever reads it is told; until then it must not count as unhandled.
    result.catch(() => undefined);
    return { target, paths, result };
  }

  async #command(command: string, workdir: string): Promise<BashResult> {
    const request = {
      command,
      workdir,
      timeoutMs: COMMAND_MS,
      stdoutMaxBytes: OUTPUT_BYTES,
      signal: this.#stop.signal,
    };
    return this.#executor.run(this.#executor.resolve(request));
  }

  /** Hands on what a run found. @returns false where the sink has enough. */
  async #finish({ target, paths, result }: Run): Promise<boolean> {
    let ended: BashResult;
    try {
      ended = await result;
    } catch (error) {
      this.#note("engine", error instanceof QuarryError ? error.message : "the shell could not run the command");
      return true;
    }
    if (ended.aborted) return true;
    if (ended.timedOut) {
      this.#note("timeout", "the shell's own time limit ended a part of the search");
      return true;
    }
    const outcome = readOutcome(ended, this.#job.query, paths, target.mount);
    if (outcome !== null) return this.#handOn(target, paths, outcome);
    if (paths.length === 1) {
      this.#note("engine", `one file's matches take more than ${OUTPUT_BYTES} bytes to report`);
      return true;
    }
    for (const half of [paths.slice(0, paths.length >> 1), paths.slice(paths.length >> 1)]) {
      if (!(await this.#finish(this.#start({ target, paths: half })))) return false;
    }
    return true;
  }

  async #handOn(target: Target, paths: readonly RelPath[], outcome: RunOutcome): Promise<boolean> {
    const { files, binary, unreadable, problem } = outcome;
    if (problem?.reason !== "engine") this.#worked = true;
    if (problem !== null) this.#note(problem.reason, problem.words);
    this.#binary += binary;
    this.#unreadable.push(...unreadable.map((path) => ({ target, path })));
    this.#filesSearched += problem?.reason === "engine" ? files.length : paths.length - unreadable.length;
    for (const { path, hits } of files) {
      this.#worked = true;
      if (this.#stop.signal.aborted || !(await this.#sink({ target, path, hits, guarded: false }))) return false;
    }
    return true;
  }

  /** No file at all: is the question a valid one? */
  async #tryQuestion(): Promise<void> {
    const result = await this.#executor.run(
      this.#executor.resolve({
        command: questionCommand(this.#job.query),
        signal: this.#stop.signal,
        timeoutMs: COMMAND_MS,
      }),
    );
    readOutcome(result, this.#job.query, [], { hostRoot: "", name: "" } as Target["mount"]);
  }

  #note(reason: IncompleteReason, words: string | null): void {
    const before = this.#incomplete;
    this.#incomplete = graver(before, reason);
    if (words !== null && (this.#reason === null || this.#incomplete !== before)) this.#reason = words;
  }
}
