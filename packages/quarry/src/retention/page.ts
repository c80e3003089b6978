/**
 * What is kept inline. Results are offered in order; the page keeps those from `offset` on until one of its limits is
 * met, and goes on counting. A page is cut between results, and its first result is kept whatever its size.
 */
export class Page<T> {
  readonly items: T[] = [];
  readonly #offset: number;
  readonly #maxItems: number;
  readonly #maxBytes: number;
  #bytes = 0;
  #total = 0;
  #closed = false;

  /** `offset` from 0, in results; `maxItems` at least 1; `maxBytes` of UTF-8. */
  constructor(limits: { readonly offset: number; readonly maxItems: number; readonly maxBytes: number }) {
    this.#offset = limits.offset;
    this.#maxItems = limits.maxItems;
    this.#maxBytes = limits.maxBytes;
  }

  /** True where the next result would be looked at: its content is worth having. */
  get wantsNext(): boolean {
    return !this.#closed && this.#total >= this.#offset;
  }

  /** How many of the next `n` results come before the page, and how many of those behind may still find a place on it. */
  window(n: number): { readonly before: number; readonly wanted: number } {
    const before = Math.min(n, Math.max(0, this.#offset - this.#total));
    const room = this.#closed ? 0 : this.#maxItems - this.items.length;
    return { before, wanted: Math.min(n - before, room) };
  }

  /** Counts results whose content nobody needs: those before the page, and those behind a page that has no room left. */
  skip(n: number): void {
    this.#total += n;
    if (n > 0 && this.#total > this.#offset) this.#closed = true;
  }

  /**
   * Offers the next result.
   * @param bytes its size on the page, line end included.
   * @returns true where it was kept.
   */
  offer(item: T, bytes: number): boolean {
    const wanted = this.wantsNext;
    this.#total += 1;
    if (!wanted) return false;
    const fits =
      this.items.length === 0 || (this.items.length < this.#maxItems && this.#bytes + bytes <= this.#maxBytes);
    if (!fits) {
      this.#closed = true;
      return false;
    }
    this.items.push(item);
    this.#bytes += bytes;
    return true;
  }

  /** Results offered or skipped so far. */
  get total(): number {
    return this.#total;
  }

  /** True where results exist after the page. Exactly as many as the limit is not cut. */
  get truncated(): boolean {
    return this.#total > this.#offset + this.items.length && this.#total > this.#offset;
  }

  /** Where the next page begins. */
  get nextOffset(): number {
    return this.#offset + this.items.length;
  }

  /** True where the page lies behind the last result. */
  get pastEnd(): boolean {
    return this.#offset > 0 && this.#total <= this.#offset;
  }
}
