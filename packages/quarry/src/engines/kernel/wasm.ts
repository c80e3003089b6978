import { WASM_PAGE_BYTES, WEB_ASSEMBLY, type WasmGlobal, type WasmMemory } from "../workers/webassembly.js";
import { KERNEL_BYTES } from "./kernel-bytes.js";
import { RECORD, type Kernel } from "./kernel.js";
import { foldMask, rarestTwo, type Needle } from "./needles.js";
import { TwinKernel } from "./twin.js";

/** The kernel in WebAssembly; its twin where this process has no WebAssembly with SIMD (`node --jitless`, an old processor). */
export function makeKernel(): Kernel {
  return instantiate() ?? new TwinKernel();
}

/** True where the kernel runs as WebAssembly here. */
export function hasWasmKernel(): boolean {
  return instantiate() !== null;
}

function instantiate(): WasmKernel | null {
  if (WEB_ASSEMBLY === null) return null;
  try {
    const module = new WEB_ASSEMBLY.Module(Buffer.from(KERNEL_BYTES, "base64"));
    return new WasmKernel(new WEB_ASSEMBLY.Instance(module).exports as Exports);
  } catch {
    return null; // It does not compile without SIMD: that is what is asked here, and the twin does the same work.
  }
}

/** What `packages/quarry/kernel/assembly/index.ts` exports. */
interface Exports {
  readonly memory: WasmMemory;
  readonly INDEX: WasmGlobal;
  readonly NEEDLES: WasmGlobal;
  readonly MASKS: WasmGlobal;
  readonly RECORDS: WasmGlobal;
  readonly MAX_RECORDS: WasmGlobal;
  readonly WINDOW: WasmGlobal;
  readonly SLACK: WasmGlobal;
  readonly next: WasmGlobal;
  readonly nextLine: WasmGlobal;
  prepare(needles: number, a: number, b: number): void;
  find(from: number, to: number, line: number): number;
  countLines(from: number, to: number): number;
  firstNul(from: number, to: number): number;
  traits(from: number, to: number): number;
  oddFolds(from: number, to: number): number;
}

class WasmKernel implements Kernel {
  window!: Uint8Array;
  records!: Uint32Array;
  readonly maxRecords: number;
  readonly #wasm: Exports;

  constructor(wasm: Exports) {
    this.#wasm = wasm;
    this.maxRecords = wasm.MAX_RECORDS.value;
    this.#views();
  }

  reserve(bytes: number): void {
    const { memory, WINDOW, SLACK } = this.#wasm;
    const pages = Math.ceil((WINDOW.value + bytes + SLACK.value) / WASM_PAGE_BYTES);
    const missing = pages - memory.buffer.byteLength / WASM_PAGE_BYTES;
    if (missing <= 0) return;
    memory.grow(missing);
    this.#views();
  }

  prepare(needles: readonly Needle[]): void {
    const { memory, INDEX, NEEDLES, MASKS } = this.#wasm;
    const bytes = new Uint8Array(memory.buffer);
    const index = new Uint32Array(memory.buffer, INDEX.value, needles.length * 2);
    let at = 0;
    needles.forEach((needle, i) => {
      index[i * 2] = at;
      index[i * 2 + 1] = needle.bytes.length;
      bytes.set(needle.bytes, NEEDLES.value + at);
      for (let k = 0; k < needle.bytes.length; k++) bytes[MASKS.value + at + k] = foldMask(needle, k);
      at += needle.bytes.length;
    });
    const [a, b] = rarestTwo(needles[0] as Needle);
    this.#wasm.prepare(needles.length, a, b);
  }

  find(from: number, to: number, line: number): number {
    return this.#wasm.find(from, to, line);
  }

  get next(): number {
    return this.#wasm.next.value >>> 0;
  }

  get nextLine(): number {
    return this.#wasm.nextLine.value >>> 0;
  }

  countLines(from: number, to: number): number {
    return this.#wasm.countLines(from, to);
  }

  firstNul(from: number, to: number): number {
    return this.#wasm.firstNul(from, to) >>> 0;
  }

  traits(from: number, to: number): number {
    return this.#wasm.traits(from, to);
  }

  oddFolds(from: number, to: number): boolean {
    return this.#wasm.oddFolds(from, to) !== 0;
  }

  #views(): void {
    const { memory, WINDOW, SLACK, RECORDS } = this.#wasm;
    this.window = new Uint8Array(memory.buffer, WINDOW.value, memory.buffer.byteLength - WINDOW.value - SLACK.value);
    this.records = new Uint32Array(memory.buffer, RECORDS.value, this.maxRecords * RECORD.size);
  }
}
