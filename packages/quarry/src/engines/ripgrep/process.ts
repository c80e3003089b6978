import { spawn, type ChildProcess } from "node:child_process";
import fs from "node:fs";
import type { Readable, Writable } from "node:stream";
import { searchEnvironment } from "./arguments.js";
import type { Exit, RipgrepRun } from "./host.js";
import { Messages } from "./messages.js";

/** Output that waits to be read; above this the process is left to wait too. */
const QUEUE_BYTES = 4_194_304;
const PAGE_BYTES = 4_096;

export interface ProcessOptions {
  readonly binary: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Descriptors it inherits as 3, 4, ... */
  readonly inherit: readonly number[];
  /** What it reads as its input; null closes its input. */
  readonly input: Iterable<Buffer> | null;
  /** Told of every piece of output and of the end. */
  readonly onChange: () => void;
  /** Told of each complaint about one place: `path: reason (os error N)`. */
  readonly onComplaint: (complaint: string) => void;
}

/** ripgrep as a child process. */
export class RipgrepProcess implements RipgrepRun {
  exit: Exit | null = null;
  readonly pid: number | undefined;
  inputError: unknown = null;
  /** The kernel does not say for whose want of memory it ends a process, and a signal may be meant for this one. */
  readonly outOfMemory = false;
  readonly lost = false;
  readonly #child: ChildProcess | null;
  readonly #options: ProcessOptions;
  readonly #messages: Messages;
  readonly ended: Promise<void>;
  #end: () => void = () => undefined;
  #waiting: (() => void)[] = [];
  #queue: Buffer[] = [];
  #queued = 0;
  #open = false;
  #killed = false;

  constructor(options: ProcessOptions) {
    this.#options = options;
    this.#messages = new Messages(options.onComplaint);
    this.ended = new Promise((resolve) => (this.#end = resolve));
    let child: ChildProcess;
    try {
      child = spawn(options.binary, [...options.args], {
        cwd: options.cwd,
        env: searchEnvironment(),
        stdio: [options.input === null ? "ignore" : "pipe", "pipe", "pipe", ...options.inherit],
        windowsHide: true,
      });
    } catch (error) {
      this.#child = null;
      this.exit = { kind: "unstarted", code: (error as NodeJS.ErrnoException).code ?? "unknown reason" };
      this.#end();
      return;
    }
    this.#child = child;
    this.pid = child.pid;
    child.on("error", (error: NodeJS.ErrnoException) => {
      // A child that could not be killed or written to reports here too; only a failed start has no process id.
      if (child.pid !== undefined) return;
      this.#open = false;
      this.exit ??= { kind: "unstarted", code: error.code ?? "unknown reason" };
      this.#end();
      this.#changed();
    });
    child.on("exit", (code, signal) => {
      this.exit ??= signal === null ? { kind: "status", code: code ?? -1 } : { kind: "signal", signal };
      this.#end();
      this.#changed();
    });
    child.on("close", () => {
      this.#open = false;
      this.#messages.push("", true);
      this.#changed();
    });
    if (child.pid === undefined) return;
    this.#open = true;
    child.stdout?.on("data", (chunk: Buffer) => this.#queueUp(chunk));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => this.#messages.push(text));
    if (options.input !== null && child.stdin !== null) this.#feed(child.stdin, options.input);
  }

  get messages(): string {
    return this.#messages.text;
  }

  get memoryBytes(): number {
    if (this.pid === undefined || this.exit !== null || process.platform !== "linux") return 0;
    try {
      return Number(fs.readFileSync(`/proc/${this.pid}/statm`, "latin1").split(" ")[1] ?? 0) * PAGE_BYTES;
    } catch {
      // It has ended meanwhile.
      return 0;
    }
  }

  get exited(): boolean {
    return this.exit !== null;
  }

  get finished(): boolean {
    return this.exit !== null && !this.#open && this.#queue.length === 0;
  }

  take(): Buffer[] | null {
    if (this.#queue.length === 0) return null;
    const chunks = this.#queue;
    this.#queue = [];
    this.#queued = 0;
    if (!this.#killed) this.#child?.stdout?.resume();
    return chunks;
  }

  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  kill(): void {
    if (this.#killed) return;
    this.#killed = true;
    this.#queue = [];
    const child = this.#child;
    if (child === null) return;
    if (this.exit === null) child.kill("SIGKILL");
    for (const stream of [child.stdin, child.stdout, child.stderr] as (Readable | Writable | null)[]) stream?.destroy();
  }

  #changed(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
    this.#options.onChange();
  }

  #queueUp(chunk: Buffer): void {
    if (this.#killed) return;
    this.#queue.push(chunk);
    this.#queued += chunk.length;
    if (this.#queued > QUEUE_BYTES) this.#child?.stdout?.pause();
    this.#changed();
  }

  /** Writes as fast as it is read. A process that ends early closes its input; that is no failure of ours. */
  #feed(stdin: Writable, input: Iterable<Buffer>): void {
    const pieces = input[Symbol.iterator]();
    const write = (): void => {
      try {
        while (!stdin.destroyed) {
          const piece = pieces.next();
          if (piece.done === true) return void stdin.end();
          if (!stdin.write(piece.value)) return void stdin.once("drain", write);
        }
      } catch (error) {
        this.inputError = error;
        this.kill();
      }
    };
    stdin.on("error", () => stdin.destroy());
    write();
  }
}
