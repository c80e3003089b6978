import type { Kernel } from "./kernel.js";
import { foldMask, type Needle } from "./needles.js";

const LF = 10;
const CR = 13;
const MAX_RECORDS = 4_096;

/**
 * The kernel in plain TypeScript: what the WebAssembly one is tested against, and what runs where there is no
 * WebAssembly. Written to be read, a byte at a time.
 */
export class TwinKernel implements Kernel {
  window: Uint8Array = new Uint8Array(65_536);
  readonly records = new Uint32Array(MAX_RECORDS * 4);
  readonly maxRecords = MAX_RECORDS;
  next = 0;
  nextLine = 0;
  #needles: readonly { readonly bytes: Uint8Array; readonly masks: Uint8Array }[] = [];

  reserve(bytes: number): void {
    if (bytes <= this.window.length) return;
    const window = new Uint8Array(bytes);
    window.set(this.window);
    this.window = window;
  }

  prepare(needles: readonly Needle[]): void {
    this.#needles = needles.map((needle) => ({
      bytes: needle.bytes,
      masks: needle.bytes.map((_, at) => foldMask(needle, at)),
    }));
  }

  find(from: number, to: number, line: number): number {
    let found = 0;
    let start = from;
    while (found < MAX_RECORDS && start < to) {
      const match = this.#match(start, to);
      if (match === -1) break;
      for (let at = start; at < match; at++) {
        if (this.window[at] !== LF) continue;
        line += 1;
        start = at + 1;
      }
      let end = match;
      while (end < to && this.window[end] !== LF) end += 1;
      this.records.set([line, start, end, match], found * 4);
      found += 1;
      start = end;
      if (end < to) {
        start += 1;
        line += 1;
      }
    }
    this.next = start;
    this.nextLine = line;
    return found;
  }

  countLines(from: number, to: number): number {
    let n = 0;
    for (let at = from; at < to; at++) if (this.window[at] === LF) n += 1;
    return n;
  }

  firstNul(from: number, to: number): number {
    const at = this.window.subarray(from, to).indexOf(0);
    return at === -1 ? to : from + at;
  }

  traits(from: number, to: number): number {
    let found = 0;
    for (let at = from; at < to; at++) {
      const byte = this.window[at] as number;
      if (byte >= 0x80) found |= 1;
      else if (byte === CR) found |= 2;
      else if (byte === 0) found |= 4;
    }
    return found;
  }

  oddFolds(from: number, to: number): boolean {
    for (let at = from; at + 1 < to; at++) {
      const pair = ((this.window[at] as number) << 8) | (this.window[at + 1] as number);
      if (pair === 0xc5bf || pair === 0x84aa) return true;
    }
    return false;
  }

  #match(from: number, to: number): number {
    for (let at = from; at < to; at++) if (this.#needles.some((needle) => this.#holds(needle, at, to))) return at;
    return -1;
  }

  #holds(
    { bytes, masks }: { readonly bytes: Uint8Array; readonly masks: Uint8Array },
    at: number,
    to: number,
  ): boolean {
    if (at + bytes.length > to) return false;
    for (let k = 0; k < bytes.length; k++) {
      if (((this.window[at + k] as number) | (masks[k] as number)) !== bytes[k]) return false;
    }
    return true;
  }
}
