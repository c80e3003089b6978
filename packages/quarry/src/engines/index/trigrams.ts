/**
 * Trigrams: three bytes of a text, each as one of 64 classes, as a number of 18 bits. Letters of either case have one class, so that one
 * index answers both kinds of question; rare characters share some.
 */

/** How many there are. */
export const TRIGRAMS = 262_144;

/** Ones of their own, most common in source code first; those in one string share a class. */
const PUNCTUATION = ["_", " ", "\t", ".", ",", ";", "(", ")", "{", "}", "[", "]|", "<", ">", "=", "+", "-"].concat([
  "*",
  "/",
  "&",
  "!#",
  '"',
  "'`",
  ":",
  "?$%",
  "@^~",
  "\\",
]);
const DIGITS = ["0", "1", "2", "3", "45", "67", "89"];

/** The class of each byte, 0 to 63. Bytes of class 0 (line ends, NUL, other controls) are in no trigram that is kept. */
export const CLASSES: Uint8Array = makeClasses();

function makeClasses(): Uint8Array {
  const classes = new Uint8Array(256);
  let next = 1;
  for (let letter = 0; letter < 26; letter++, next++) classes[0x41 + letter] = classes[0x61 + letter] = next;
  for (const group of [...DIGITS, ...PUNCTUATION]) {
    for (const character of group) classes[character.charCodeAt(0)] = next;
    next += 1;
  }
  // Of UTF-8: bytes that go on, and bytes that begin.
  for (let byte = 0x80; byte < 0x100; byte++) classes[byte] = byte < 0xc0 ? next : next + 1;
  if (next + 1 > 63) throw new RangeError("more than 64 classes");
  return classes;
}

/** True where a byte of class 0 is in it: such ones are not kept. */
export function isEmptyTrigram(trigram: number): boolean {
  return (trigram & 0x3f) === 0 || (trigram & 0xfc0) === 0 || trigram < 0x1000;
}

/** Those of a text that are kept, each once. */
export function trigramsOf(text: Uint8Array): number[] {
  const found = new Set<number>();
  for (let at = 0; at + 2 < text.length; at++) {
    const trigram =
      ((CLASSES[text[at] as number] as number) << 12) |
      ((CLASSES[text[at + 1] as number] as number) << 6) |
      (CLASSES[text[at + 2] as number] as number);
    if (!isEmptyTrigram(trigram)) found.add(trigram);
  }
  return [...found];
}
