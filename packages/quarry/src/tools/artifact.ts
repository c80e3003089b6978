import type { ArtifactRef } from "../search/values.js";
import type { MaybeStore, SpillWriter } from "../spill/store.js";

/**
 * The complete formatted result as it grows. It begins when the results no longer fit one first page; what was offered
 * before that is held, at most a page of it.
 */
export class GrowingArtifact {
  readonly #store: MaybeStore;
  readonly #maxItems: number;
  readonly #maxBytes: number;
  #held: string[] = [];
  #heldBytes = 0;
  #writer: SpillWriter | null = null;
  #reason: string | null = null;

  constructor(store: MaybeStore, page: { readonly maxItems: number; readonly maxBytes: number }) {
    this.#store = store;
    this.#maxItems = page.maxItems;
    this.#maxBytes = page.maxBytes;
  }

  /** True where the text of every result is wanted, not only of those on the page. */
  get wanted(): boolean {
    return this.#store !== null;
  }

  /** True where results are written, each text as it comes. */
  get grows(): boolean {
    return this.#writer !== null;
  }

  /**
   * The next result's lines, each ended by LF.
   * @param bytes their size on a page, as the page counts it.
   */
  add(text: string, bytes = Buffer.byteLength(text)): void {
    if (this.#store === null) return;
    if (this.#writer !== null) return this.#writer.write(text);
    this.#held.push(text);
    this.#heldBytes += bytes;
    if (this.#held.length <= this.#maxItems && this.#heldBytes <= this.#maxBytes) return;
    this.#writer = this.#store.create();
    for (const one of this.#held) this.#writer.write(one);
    this.#held = [];
  }

  /** More results, where it `grows`: whole lines in UTF-8, and their number. */
  addLines(text: Uint8Array, lines: number): void {
    this.#writer?.writeLines(text, lines);
  }

  /**
   * Keeps it where it began.
   * @param rest what stands behind the last result.
   * @returns the artifact, or null; `reason` is then why a result that is larger than a page could not be saved.
   */
  finish(rest = ""): { readonly artifact: ArtifactRef | null; readonly reason: string | null } {
    if (this.#writer === null) return { artifact: null, reason: this.#reason };
    if (rest !== "") this.#writer.write(rest);
    const outcome = this.#writer.finish();
    return outcome.saved ? { artifact: outcome.artifact, reason: null } : { artifact: null, reason: outcome.reason };
  }

  /** Throws away what was written: the call failed. */
  discard(): void {
    this.#writer?.discard();
    this.#writer = null;
  }
}
