/** Digits of a name: more files than this allows are never given to one run. */
const DIGITS = 7;

/** The name under which ripgrep sees the file with this number: by name they are in the order of their numbers. */
export function servedName(number: number): string {
  return String(number).padStart(DIGITS, "0");
}

/** The number of a name, as bytes; -1 where it is no such name. */
export function servedNumber(bytes: Uint8Array, from: number, to: number): number {
  if (to - from !== DIGITS) return -1;
  let n = 0;
  for (let at = from; at < to; at++) {
    const digit = (bytes[at] as number) - 48;
    if (digit < 0 || digit > 9) return -1;
    n = n * 10 + digit;
  }
  return n;
}

export const NAME_BYTES = DIGITS;
