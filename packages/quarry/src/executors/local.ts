import { spawn, type ChildProcess } from "node:child_process";
import { QuarryError } from "../errors/errors.js";
import { HeadCapture, TailCapture } from "./capture.js";
import { commandEnvironment } from "./environment.js";
import type { BashExecutor, BashRequest, BashResult, BashSpec } from "./executor.js";

export interface LocalBashOptions {
  /** Where commands run that name no folder. */
  readonly workdir: string;
  /** Milliseconds for a request that names none. */
  readonly timeoutMs: number;
  /** No request gets more milliseconds than this. */
  readonly maxTimeoutMs: number;
  /** Bytes of stdout for a request that names none. */
  readonly stdoutMaxBytes: number;
  /** Bytes of stderr that are kept, the last ones. */
  readonly stderrMaxBytes: number;
  /** Milliseconds between asking a command to end and killing it. */
  readonly graceMs: number;
  /** Folders with programs, before those of `PATH`. */
  readonly programs: readonly string[];
}

const DEFAULTS: Omit<LocalBashOptions, "workdir"> = {
  timeoutMs: 30_000,
  maxTimeoutMs: 600_000,
  stdoutMaxBytes: 1_000_000,
  stderrMaxBytes: 65_536,
  graceMs: 1_000,
  programs: [],
};

/** How long open pipes are waited for when the command itself has ended but something it started still holds them. */
const DRAIN_MS = 200;

/** Pipes that nobody writes to for this long after that are let go of. */
const QUIET_MS = 500;

type Cause = "timeout" | "abort";

/** Runs `bash -c` on this machine, each command in a process group of its own that ends with it. */
export class LocalBashExecutor implements BashExecutor {
  readonly #options: LocalBashOptions;

  constructor(options: Pick<LocalBashOptions, "workdir"> & Partial<LocalBashOptions>) {
    this.#options = { ...DEFAULTS, ...options };
  }

  /** @throws QuarryError INVALID_ARGUMENT for a time or size that is not a positive number. */
  resolve(request: BashRequest): BashSpec {
    const timeoutMs = positive("timeoutMs", request.timeoutMs ?? this.#options.timeoutMs);
    return {
      ...request,
      workdir: request.workdir ?? this.#options.workdir,
      timeoutMs: Math.min(timeoutMs, this.#options.maxTimeoutMs),
      stdoutMaxBytes: positive("stdoutMaxBytes", request.stdoutMaxBytes ?? this.#options.stdoutMaxBytes),
    };
  }

  /** @throws QuarryError SEARCH_FAILED where bash could not be started, e.g. because the folder does not exist. */
  async run(spec: BashSpec): Promise<BashResult> {
    const stdout = new HeadCapture(spec.stdoutMaxBytes);
    const stderr = new TailCapture(this.#options.stderrMaxBytes);
    const ended = (exitCode: number | null, signal: string | null, cause: Cause | null): BashResult => ({
      exitCode,
      signal,
      timedOut: cause === "timeout",
      aborted: cause === "abort",
      stdout: stdout.finish(),
      stderr: stderr.finish(),
    });
    if (spec.signal?.aborted === true) return ended(null, null, "abort");
    const child = this.#start(spec);
    child.stdout?.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => stderr.push(chunk));
    if (child.stdin !== null) {
      // A command that does not read its stdin to the end is no failure.
      child.stdin.on("error", () => undefined);
      child.stdin.end(spec.stdin);
    }
    let cause: Cause | null = null;
    let kill: NodeJS.Timeout | undefined;
    const stop = (first: Cause): void => {
      if (cause !== null) return;
      cause = first;
      signalGroup(child, "SIGTERM");
      kill = setTimeout(() => signalGroup(child, "SIGKILL"), this.#options.graceMs);
    };
    const onAbort = (): void => stop("abort");
    spec.signal?.addEventListener("abort", onAbort, { once: true });
    const limit = setTimeout(() => stop("timeout"), spec.timeoutMs);
    try {
      const [code, signal] = await finished(child);
      return ended(code, signal, cause);
    } finally {
      clearTimeout(limit);
      clearTimeout(kill);
      spec.signal?.removeEventListener("abort", onAbort);
      signalGroup(child, "SIGKILL");
    }
  }

  #start(spec: BashSpec): ChildProcess {
    try {
      return spawn("bash", ["-c", spec.command], {
        cwd: spec.workdir,
        env: commandEnvironment(process.env, this.#options.programs, spec.env),
        detached: true,
        stdio: [spec.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      });
    } catch (error) {
      // Some reasons, such as a command that is too long, are thrown and not told by an event.
      throw notStarted(error);
    }
  }
}

function notStarted(error: unknown): QuarryError {
  return new QuarryError(
    "SEARCH_FAILED",
    `bash could not be started (${(error as NodeJS.ErrnoException).code ?? "unknown reason"})`,
    {},
    { cause: error },
  );
}

/** Settles when the command has ended and its output is read, or nothing more of it comes. */
function finished(child: ChildProcess): Promise<[number | null, NodeJS.Signals | null]> {
  return new Promise((resolve, reject) => {
    child.once("error", (error) => reject(notStarted(error)));
    child.once("exit", () => {
      let drain: NodeJS.Timeout;
      const letGo = (): void => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      };
      // A timer that is due runs before what lies in the pipes is read: what was written is read as long as it comes.
      const wait = (): void => {
        clearTimeout(drain);
        drain = setTimeout(letGo, QUIET_MS);
      };
      drain = setTimeout(() => {
        signalGroup(child, "SIGKILL");
        child.stdout?.on("data", wait);
        child.stderr?.on("data", wait);
        wait();
      }, DRAIN_MS);
      child.once("close", () => clearTimeout(drain));
    });
    child.once("close", (code, signal) => resolve([code, signal]));
  });
}

/** Signals all processes of the command's group; none may be left. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // macOS says EPERM for a group of which only zombies are left.
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}

function positive(name: string, value: number): number {
  if (Number.isFinite(value) && value > 0) return value;
  throw new QuarryError("INVALID_ARGUMENT", `${name} must be a positive number, not ${value}`, { argument: name });
}
