/** A piece of a text that was replaced: `[from, to)` before, `[start, end)` after; all in code units. */
export interface Change {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
}

/** A span of the text as it is now, and the length of what takes its place. */
export interface Step {
  readonly from: number;
  readonly to: number;
  readonly length: number;
}

/**
 * What two rounds of changes come to: `first` leads from the original to a middle text, `then` from that to the last one.
 * @param first ascending, apart from each other.
 * @param then ascending, apart from each other, in places of the middle text.
 * @returns ascending; changes that touch have become one.
 */
export function compose(first: readonly Change[], then: readonly Step[]): Change[] {
  const out: Change[] = [];
  let i = 0;
  let j = 0;
  // How far a place of the middle text lies behind its place in the original, and in the last text.
  let original = 0;
  let last = 0;
  while (i < first.length || j < then.length) {
    const low = Math.min(first[i]?.start ?? Number.POSITIVE_INFINITY, then[j]?.from ?? Number.POSITIVE_INFINITY);
    let high = low;
    const from = low - original;
    const start = low + last;
    for (;;) {
      const a = first[i];
      const b = then[j];
      if (a !== undefined && a.start <= high) {
        high = Math.max(high, a.end);
        original += a.end - a.start - (a.to - a.from);
        i += 1;
      } else if (b !== undefined && b.from <= high) {
        high = Math.max(high, b.to);
        last += b.length - (b.to - b.from);
        j += 1;
      } else break;
    }
    out.push({ from, to: high - original, start, end: high + last });
  }
  return out;
}
