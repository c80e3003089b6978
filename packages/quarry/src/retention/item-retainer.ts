/** What was kept of a list and what was not. `truncated` is a budget fact: it says nothing about a search being complete. */
export interface RetainedItems<T> {
  /** The first ones, in the order they came. */
  readonly items: readonly T[];
  /** All that were offered. */
  readonly seen: number;
  /** How many of them are not in `items`. */
  readonly omitted: number;
  readonly truncated: boolean;
}

/** Keeps the first `maxItems` of what it is offered and goes on counting. */
export class ItemRetainer<T> {
  readonly #maxItems: number;
  readonly #items: T[] = [];
  #seen = 0;

  /** `maxItems` at least 1. */
  constructor(budget: { readonly kind: "head"; readonly maxItems: number }) {
    this.#maxItems = budget.maxItems;
  }

  /** @returns true where it was kept. */
  push(item: T): boolean {
    this.#seen += 1;
    if (this.#items.length >= this.#maxItems) return false;
    this.#items.push(item);
    return true;
  }

  finish(): RetainedItems<T> {
    const omitted = this.#seen - this.#items.length;
    return { items: this.#items, seen: this.#seen, omitted, truncated: omitted > 0 };
  }
}
