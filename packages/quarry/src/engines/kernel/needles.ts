/** One literal that is looked for, as bytes of UTF-8. */
export interface Needle {
  readonly bytes: Uint8Array;
  /** ASCII letters match in either case; `bytes` then has them in lower case. */
  readonly fold: boolean;
}

/** What the kernel takes. */
export const MAX_NEEDLES = 64;
export const MAX_NEEDLE_BYTES = 1_024;
/** Of all needles together. */
export const MAX_TABLE_BYTES = 16_384;

/** True where the kernel can look for these. */
export function fitsKernel(needles: readonly Needle[]): boolean {
  const bytes = needles.reduce((n, needle) => n + needle.bytes.length, 0);
  return (
    needles.length > 0 &&
    needles.length <= MAX_NEEDLES &&
    bytes <= MAX_TABLE_BYTES &&
    needles.every(({ bytes: { length } }) => length > 0 && length <= MAX_NEEDLE_BYTES)
  );
}

/** A needle for a text of which the letters may fold. */
export function needleOf(text: string, fold: boolean): Needle {
  return { bytes: Buffer.from(fold ? text.replace(/[A-Z]/g, (c) => c.toLowerCase()) : text), fold };
}

/** What is set in a byte of the text before it is compared: 0x20 for a letter that folds, else 0. */
export function foldMask(needle: Needle, at: number): number {
  const byte = needle.bytes[at] as number;
  return needle.fold && byte >= 0x61 && byte <= 0x7a ? 0x20 : 0;
}

/** True where a letter outside of ASCII folds to one of the needle's: U+017F to `s`, U+212A to `k`. */
export function foldsOddly(needles: readonly Needle[]): boolean {
  return needles.some(({ bytes, fold }) => fold && (bytes.includes(0x6b) || bytes.includes(0x73)));
}

/** The two positions of a needle whose bytes are the rarest in text and source code. */
export function rarestTwo(needle: Needle): readonly [number, number] {
  const order = [...needle.bytes.keys()].sort((a, b) => commonness(needle, a) - commonness(needle, b) || a - b);
  const first = order[0] as number;
  // The same letter twice says less than two.
  const second = order.find((at) => at !== first && needle.bytes[at] !== needle.bytes[first]) ?? order[1] ?? first;
  return [Math.min(first, second), Math.max(first, second)];
}

/** How often a byte is met, as a rank; the larger the more common. From the letters of English text and of C source. */
export function commonness(needle: Needle, at: number): number {
  const byte = needle.bytes[at] as number;
  if (byte >= 0x80) return 2;
  const rank = COMMON.indexOf(String.fromCharCode(byte));
  if (rank === -1) return byte >= 0x20 ? 8 : 1;
  const own = 100 - rank;
  return foldMask(needle, at) === 0 ? own : own + 4;
}

/** Most common first; what is missing is rare. */
const COMMON = " etnisroadclufpm_h\t,g\n;bv-y)(xw*./0=>\"k1E2TRSI:#CADO<NPLqj3M4z8F&U5B6{}GH79VX|![]+W'KYZQJ\\%";
