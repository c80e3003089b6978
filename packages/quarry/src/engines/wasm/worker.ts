import { parentPort } from "node:worker_threads";
import type { RelPath } from "../../paths/path.js";
import { FileOpener } from "../../workspace/guard.js";
import type { Mount } from "../../workspace/mount.js";
import { WEB_ASSEMBLY, type WasmMemory } from "../workers/webassembly.js";
import { QUEUE_BYTES, SHARED, type Answer, type RunTask } from "./protocol.js";
import { Exited, Wasi, type WasiHost } from "./wasi.js";

/** A worker: runs ripgrep's WebAssembly over files that it opens through the guard. Nothing else of the product runs here. */

/** Output is sent when there is so much of it, or some of it is so old. */
const SEND_BYTES = 262_144;
const SEND_AFTER_MS = 12;

const STOPPED = Symbol("stopped");

parentPort?.on("message", (task: RunTask) => {
  const run = new Run(task);
  const exit = run.toItsEnd();
  send({ kind: "exit", run: task.run, ...exit });
});
// The pool waits for this: work can be taken.
parentPort?.postMessage(null);

function send(answer: Answer): void {
  parentPort?.postMessage(answer, answer.kind === "output" ? [answer.bytes.buffer as ArrayBuffer] : []);
}

class Run implements WasiHost {
  readonly args: readonly string[];
  readonly #task: RunTask;
  readonly #files: readonly RelPath[];
  readonly #opener: FileOpener | null;
  readonly #wasi: Wasi;
  #out = Buffer.allocUnsafeSlow(SEND_BYTES);
  #filled = 0;
  #since = 0;
  #words: string | null = null;
  /** What is left of the last piece of input. */
  #piece: { at: number; readonly end: number } = { at: 0, end: 0 };

  constructor(task: RunTask) {
    this.#task = task;
    this.args = task.args;
    this.#files = task.served === null ? [] : task.served.files.split("\0");
    this.#opener = task.served === null ? null : new FileOpener(task.served.mount as Mount);
    this.#wasi = new Wasi(this);
  }

  get count(): number {
    return this.#files.length;
  }

  /** Runs it; nothing of it is open any more when this returns. */
  toItsEnd(): { readonly code: number | null; readonly words: string | null } {
    let code: number | null = 0;
    try {
      this.#start();
    } catch (error) {
      if (error instanceof Exited) code = error.code;
      else {
        code = null;
        this.#words = error === STOPPED ? "stopped" : trapWords(error);
      }
    } finally {
      this.#wasi.close();
      this.#opener?.close();
    }
    this.#sendOutput();
    return { code, words: this.#words };
  }

  #start(): void {
    if (WEB_ASSEMBLY === null) throw new Error("no WebAssembly");
    const instance = new WEB_ASSEMBLY.Instance(this.#task.module, { wasi_snapshot_preview1: this.#wasi.imports() });
    const { memory, _start } = instance.exports as { readonly memory: WasmMemory; readonly _start: () => void };
    this.#wasi.use(memory);
    _start();
  }

  open(number: number): ReturnType<FileOpener["open"]> {
    return (this.#opener as FileOpener).open(this.#files[number] as RelPath);
  }

  check(): void {
    const { shared } = this.#task;
    if (Atomics.load(shared, SHARED.stop) !== 0) throw STOPPED;
    Atomics.store(shared, SHARED.pages, this.#wasi.pages);
    if (this.#filled > 0 && performance.now() - this.#since > SEND_AFTER_MS) this.#sendOutput();
  }

  problem(words: string): void {
    this.#words ??= words;
  }

  message(bytes: Uint8Array): void {
    send({ kind: "messages", run: this.#task.run, text: Buffer.from(bytes).toString("utf8") });
  }

  output(bytes: Uint8Array): void {
    if (this.#filled === 0) this.#since = performance.now();
    for (let at = 0; at < bytes.length;) {
      const n = Math.min(bytes.length - at, SEND_BYTES - this.#filled);
      this.#out.set(bytes.subarray(at, at + n), this.#filled);
      this.#filled += n;
      at += n;
      if (this.#filled === SEND_BYTES) this.#sendOutput();
    }
  }

  #sendOutput(): void {
    if (this.#filled === 0) return;
    const { shared, run } = this.#task;
    const bytes =
      this.#filled === SEND_BYTES ? this.#out : Buffer.from(new Uint8Array(this.#out.subarray(0, this.#filled)).buffer);
    if (bytes === this.#out) this.#out = Buffer.allocUnsafeSlow(SEND_BYTES);
    let waiting = Atomics.add(shared, SHARED.waitingBytes, this.#filled) + this.#filled;
    this.#filled = 0;
    send({ kind: "output", run, bytes });
    while (waiting > QUEUE_BYTES) {
      Atomics.wait(shared, SHARED.waitingBytes, waiting);
      if (Atomics.load(shared, SHARED.stop) !== 0) return;
      waiting = Atomics.load(shared, SHARED.waitingBytes);
    }
  }

  input(into: Uint8Array): number {
    const { input, shared, run } = this.#task;
    if (input === null || into.length === 0) return 0;
    const piece = this.#piece;
    if (piece.at === piece.end) {
      this.#sendOutput();
      Atomics.store(shared, SHARED.input, -1);
      send({ kind: "input", run });
      while (Atomics.load(shared, SHARED.input) === -1) {
        if (Atomics.load(shared, SHARED.stop) !== 0) throw STOPPED;
        Atomics.wait(shared, SHARED.input, -1);
      }
      this.#piece = { at: 0, end: Atomics.load(shared, SHARED.input) };
    }
    const n = Math.min(into.length, this.#piece.end - this.#piece.at);
    into.set(input.subarray(this.#piece.at, this.#piece.at + n));
    this.#piece.at += n;
    return n;
  }
}

/** A machine that broke off: its own words, without a path of ours. */
function trapWords(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 100) : "unknown";
}
