import { QuarryError } from "../../errors/errors.js";
import type { Exit, Launch, RipgrepRun } from "../ripgrep/host.js";
import { Messages } from "../ripgrep/messages.js";
import type { Part } from "../ripgrep/part.js";
import type { WorkerPool } from "../workers/pool.js";
import { WASM_PAGE_BYTES, type WasmModule } from "../workers/webassembly.js";
import { partFiles } from "./places.js";
import { INPUT_BYTES, QUEUE_BYTES, SHARED, type RunTask } from "./protocol.js";
import { Work } from "./work.js";

/**
 * ripgrep in a worker, for which it waits its turn. Where its output waits, nobody has begun to take it and others need a worker (the
 * run whose output is taken first may be among them), it gives its own up, and starts anew when its output is asked for.
 */
export class WasmRun implements RipgrepRun {
  exit: Exit | null = null;
  inputError: unknown = null;
  outOfMemory = false;
  lost = false;
  readonly ended: Promise<void>;
  readonly #launch: Launch;
  readonly #pool: WorkerPool;
  #messages: Messages;
  #end: () => void = () => undefined;
  #waiting: (() => void)[] = [];
  #module: WasmModule | null = null;
  #work: Work | null = null;
  #queue: Buffer[] = [];
  #queued = 0;
  #taken = false;
  #killed = false;
  #input: Iterator<Buffer> | null = null;
  readonly #inputBuffer: Uint8Array | null;
  /** What is left of the last piece of input. */
  #piece: Buffer = Buffer.alloc(0);

  constructor(launch: Launch, pool: WorkerPool, module: Promise<WasmModule>) {
    this.#launch = launch;
    this.#pool = pool;
    this.#messages = new Messages(launch.onComplaint);
    this.#inputBuffer = launch.input === null ? null : new Uint8Array(new SharedArrayBuffer(INPUT_BYTES));
    this.ended = new Promise((resolve) => (this.#end = resolve));
    module.then(
      (compiled) => {
        this.#module = compiled;
        this.#start();
      },
      (error: unknown) =>
        this.#over({ kind: "unstarted", code: error instanceof QuarryError ? error.message : "unknown reason" }),
    );
  }

  get messages(): string {
    return this.#messages.text;
  }

  get exited(): boolean {
    return this.exit !== null;
  }

  get finished(): boolean {
    return this.exit !== null && this.#queue.length === 0;
  }

  get memoryBytes(): number {
    return this.#work === null ? 0 : Atomics.load(this.#work.shared, SHARED.pages) * WASM_PAGE_BYTES;
  }

  take(): Buffer[] | null {
    if (!this.#taken) {
      this.#taken = true;
      this.#start();
    }
    if (this.#queue.length === 0) return null;
    const chunks = this.#queue;
    this.#queue = [];
    this.#work?.taken(this.#queued);
    this.#queued = 0;
    return chunks;
  }

  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  kill(): void {
    if (this.#killed) return;
    this.#killed = true;
    this.#queue = [];
    if (this.exit !== null) return;
    const work = this.#work;
    this.#work = null;
    void (work?.stop() ?? Promise.resolve()).then(() => this.#over({ kind: "signal", signal: "its own engine" }));
  }

  #yield(): void {
    if (this.#taken || this.#killed || this.#queued <= QUEUE_BYTES) return;
    this.#queue = [];
    this.#queued = 0;
    this.#messages = new Messages(this.#launch.onComplaint);
    const work = this.#work;
    this.#work = null;
    void work?.stop();
  }

  /** Where it is not at work: asks for a worker. */
  #start(): void {
    if (this.#module === null || this.#work !== null || this.exit !== null || this.#killed) return;
    const { args, part } = this.#launch;
    const task = { module: this.#module, args, served: part === null ? null : served(part), input: this.#inputBuffer };
    this.#work = new Work(this.#pool, task, {
      answer: (answer) => {
        if (answer.kind === "output") this.#queueUp(answer.bytes);
        else if (answer.kind === "input") this.#supply();
        else this.#messages.push(answer.text);
      },
      exit: ({ code, words }) => {
        this.#messages.push("", true);
        if (words !== null) this.#messages.push(`rg: ${words}\n`);
        this.outOfMemory = code === null && /^memory allocation of \d+ bytes failed/m.test(this.messages);
        this.#over(code === null ? { kind: "signal", signal: words ?? "itself" } : { kind: "status", code });
      },
      wanted: () => this.#yield(),
      lost: (why) => {
        this.lost = true;
        this.#over({ kind: "signal", signal: why });
      },
    });
  }

  #queueUp(bytes: Uint8Array): void {
    this.#queue.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    this.#queued += bytes.byteLength;
    if (this.#pool.waiting > 0) this.#yield();
    this.#changed();
  }

  #supply(): void {
    const into = this.#inputBuffer as Uint8Array;
    try {
      this.#input ??= (this.#launch.input as Iterable<Buffer>)[Symbol.iterator]();
      let filled = 0;
      while (filled < into.length) {
        if (this.#piece.length === 0) {
          const next = this.#input.next();
          if (next.done === true) break;
          this.#piece = next.value;
        }
        const n = Math.min(this.#piece.length, into.length - filled);
        into.set(this.#piece.subarray(0, n), filled);
        this.#piece = this.#piece.subarray(n);
        filled += n;
      }
      this.#work?.supplied(filled);
    } catch (error) {
      this.inputError = error;
      this.kill();
    }
  }

  #over(exit: Exit): void {
    this.#work = null;
    this.exit ??= exit;
    this.#end();
    this.#changed();
  }

  #changed(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
    this.#launch.onChange();
  }
}

function served(part: Part): NonNullable<RunTask["served"]> {
  const files = partFiles(part).map((index) => part.batch.files[index]);
  return { mount: { ...part.batch.target.mount }, files: files.join("\0") };
}
