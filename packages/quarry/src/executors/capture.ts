import type { CapturedText } from "./executor.js";

/** Where a buffer can be cut at or before `at` without splitting a UTF-8 sequence. Bytes that are no UTF-8 are cut anywhere. */
export function cutBefore(bytes: Uint8Array, at: number): number {
  if (at >= bytes.length) return bytes.length;
  let start = at;
  while (start > 0 && at - start < 3 && isContinuation(bytes[start])) start -= 1;
  return isContinuation(bytes[start]) ? at : start;
}

/** Where a buffer can be cut at or after `at`. */
export function cutAfter(bytes: Uint8Array, at: number): number {
  let end = at;
  while (end < bytes.length && end - at < 3 && isContinuation(bytes[end])) end += 1;
  return isContinuation(bytes[end]) ? at : end;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Keeps the first `maxBytes` of a stream, at most three bytes fewer where a character would be cut. */
export class HeadCapture {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #seen = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    this.#seen += chunk.length;
    // One byte more than is shown tells where the cut may be.
    const room = this.#maxBytes + 1 - this.#bytes;
    if (room <= 0) return;
    const part = chunk.length > room ? chunk.subarray(0, room) : chunk;
    this.#chunks.push(part);
    this.#bytes += part.length;
  }

  finish(): CapturedText {
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [];
    const truncated = this.#seen > this.#maxBytes;
    return { text: bytes.toString("utf8", 0, truncated ? cutBefore(bytes, this.#maxBytes) : bytes.length), truncated };
  }
}

/** Keeps the last `maxBytes` of a stream, at most three bytes fewer where a character would be cut. */
export class TailCapture {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #seen = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    this.#seen += chunk.length;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    for (
      let first = this.#chunks[0];
      first !== undefined && this.#bytes - first.length >= this.#maxBytes;
      first = this.#chunks[0]
    ) {
      this.#chunks.shift();
      this.#bytes -= first.length;
    }
  }

  finish(): CapturedText {
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [];
    const truncated = this.#seen > this.#maxBytes;
    const from = truncated ? cutAfter(bytes, Math.max(0, bytes.length - this.#maxBytes)) : 0;
    return { text: bytes.toString("utf8", from), truncated };
  }
}
