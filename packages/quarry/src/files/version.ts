import { createHash, type Hash } from "node:crypto";
import type { OpenFile } from "../workspace/guard.js";
import { BLOCK_BYTES } from "./decode.js";

/** Hex characters of a version. 64 bits: two contents of one file never meet by accident. */
const VERSION_LENGTH = 16;

/**
 * Names the content of a file: the first 16 hex characters of the SHA-256 of its bytes, as they are on disk. The same
 * content has the same version, whatever its times say; `if_version` compares it.
 */
export class VersionHash {
  readonly #hash: Hash = createHash("sha256");

  add(bytes: Uint8Array): void {
    this.#hash.update(bytes);
  }

  /** Ends the hash. */
  version(): string {
    return this.#hash.digest("hex").slice(0, VERSION_LENGTH);
  }
}

/** The version of an open file's content, in bounded memory. */
export function fileVersion(file: OpenFile): string {
  const hash = new VersionHash();
  const buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  let at = 0;
  for (;;) {
    const got = file.read(buffer, at);
    hash.add(buffer.subarray(0, got));
    at += got;
    if (got < buffer.length) return hash.version();
  }
}

/** The version of content in memory. */
export function contentVersion(content: Uint8Array): string {
  const hash = new VersionHash();
  hash.add(content);
  return hash.version();
}
