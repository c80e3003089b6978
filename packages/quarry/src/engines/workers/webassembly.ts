/**
 * The part of WebAssembly's JavaScript interface that engines use. The types of Node 20 do not declare it, and it is missing where
 * Node runs without a compiler (`--jitless`).
 * Source: https://webassembly.github.io/spec/js-api/
 */
export interface WasmModule {
  /** Not a real property: tells modules from other objects. */
  readonly wasmModule?: never;
}

export interface WasmMemory {
  /** Replaced by `grow`. */
  readonly buffer: ArrayBuffer;
  /** @throws RangeError where there is not so much memory. */
  grow(pages: number): number;
}

export interface WasmGlobal {
  readonly value: number;
}

export const WASM_PAGE_BYTES = 65_536;

interface WebAssemblyInterface {
  readonly Module: new (bytes: Uint8Array) => WasmModule;
  readonly compile: (bytes: Uint8Array) => Promise<WasmModule>;
  readonly Instance: new (module: WasmModule, imports?: object) => { readonly exports: object };
}

/** null where this process has none. */
export const WEB_ASSEMBLY: WebAssemblyInterface | null =
  (globalThis as { readonly WebAssembly?: WebAssemblyInterface }).WebAssembly ?? null;
