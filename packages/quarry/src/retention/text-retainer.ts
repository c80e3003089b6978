import { cutBefore } from "../executors/capture.js";

/** What was kept of a text. */
export interface RetainedText {
  readonly text: string;
  /** Bytes of UTF-8 that are not in `text`. */
  readonly omittedBytes: number;
  readonly truncated: boolean;
}

/** Keeps the first `maxBytes` of UTF-8, fewer where a character would be cut. */
export class TextRetainer {
  readonly #maxBytes: number;
  #text = "";
  #full = false;
  #kept = 0;
  #seen = 0;

  /** `maxBytes` at least 1. */
  constructor(budget: { readonly kind: "head"; readonly maxBytes: number }) {
    this.#maxBytes = budget.maxBytes;
  }

  /** @returns true where all of it was kept. */
  push(text: string): boolean {
    const room = this.#maxBytes - this.#kept;
    const length = Buffer.byteLength(text, "utf8");
    this.#seen += length;
    if (this.#full) return length === 0;
    if (length <= room) {
      this.#text += text;
      this.#kept += length;
      return true;
    }
    this.#full = true;
    // A unit takes at least one byte: what lies behind `room` units cannot fit.
    const bytes = Buffer.from(text.slice(0, room + 1), "utf8");
    const cut = cutBefore(bytes, room);
    this.#text += bytes.toString("utf8", 0, cut);
    this.#kept += cut;
    return false;
  }

  finish(): RetainedText {
    const omittedBytes = this.#seen - this.#kept;
    return { text: this.#text, omittedBytes, truncated: omittedBytes > 0 };
  }
}
