import { createHash, type Hash } from "node:crypto";

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

/** The version of content in memory. */
export function contentVersion(content: Uint8Array): string {
  const hash = new VersionHash();
  hash.add(content);
  return hash.version();
}
