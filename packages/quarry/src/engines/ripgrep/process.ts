import { spawn, type ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { searchEnvironment } from "./arguments.js";

/** Output that waits to be read; above this the process is left to wait too. */
const QUEUE_BYTES = 4_194_304;
/** What is kept of messages that are about no single file. */
const MESSAGE_BYTES = 8_192;

/** How a process ended. */
export type Exit =
  | { readonly kind: "status"; readonly code: number }
  | { readonly kind: "signal"; readonly signal: string }
  /** It never ran; the system's code, such as ENOENT. */
  | { readonly kind: "unstarted"; readonly code: string };

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

/** One running ripgrep: its output is queued, and held back while nobody takes it. */
export class RipgrepProcess {
  exit: Exit | null = null;
  /** Messages that are no complaint about one place; their start. */
  messages = "";
  readonly pid: number | undefined;
  /** What went wrong where its input comes from; null where nothing did. */
  inputError: unknown = null;
  readonly #child: ChildProcess | null;
  readonly #options: ProcessOptions;
  /** Settles when it is gone. */
  readonly ended: Promise<void>;
  #end: () => void = () => undefined;
  #waiting: (() => void)[] = [];
  #queue: Buffer[] = [];
  #queued = 0;
  #open = false;
  #killed = false;
  #errorTail = "";

  constructor(options: ProcessOptions) {
    this.#options = options;
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
      this.#complain(true);
      this.#changed();
    });
    if (child.pid === undefined) return;
    this.#open = true;
    child.stdout?.on("data", (chunk: Buffer) => this.#queueUp(chunk));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#errorTail += text;
      this.#complain(false);
    });
    if (options.input !== null && child.stdin !== null) this.#feed(child.stdin, options.input);
  }

  /** True when it has ended; its output may still wait to be taken. */
  get exited(): boolean {
    return this.exit !== null;
  }

  /** True when it has ended and all its output was taken. */
  get finished(): boolean {
    return this.exit !== null && !this.#open && this.#queue.length === 0;
  }

  /** What it has printed since the last call; null where there is nothing. */
  take(): Buffer[] | null {
    if (this.#queue.length === 0) return null;
    const chunks = this.#queue;
    this.#queue = [];
    this.#queued = 0;
    if (!this.#killed) this.#child?.stdout?.resume();
    return chunks;
  }

  /** Settles with the next piece of output or the end. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Ends it at once. What it has printed and nobody took is lost. */
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

  #complain(ended: boolean): void {
    const lines = this.#errorTail.split("\n");
    this.#errorTail = ended ? "" : (lines.pop() as string).slice(-65_536);
    for (const line of lines) {
      if (/^rg: .*\(os error \d+\)$/s.test(line)) this.#options.onComplaint(line.slice(4));
      else if (line !== "" && this.messages.length < MESSAGE_BYTES) this.messages += `${line.slice(0, MESSAGE_BYTES)}\n`;
    }
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
