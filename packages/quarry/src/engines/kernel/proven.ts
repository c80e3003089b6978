/**
 * What of Rust's regex dialect means the same, on a line of ASCII without CR, LF and NUL, as the JavaScript that it is
 * translated to. Everything here has a row in a test that compares it with ripgrep on every ASCII character; what is not here is
 * not translated, and another engine answers.
 *
 * A set of characters is a bigint: bit N stands for the character with the code N, 0 to 127.
 */
export type AsciiSet = bigint;

export const ALL_ASCII: AsciiSet = (1n << 128n) - 1n;

/** The set of these characters; `a-z` in them stands for a range. */
export function setOf(characters: string): AsciiSet {
  let set = 0n;
  for (const [, from, to] of characters.matchAll(/([^])(?:-([^]))?/g))
    set |= range(from as string, to ?? (from as string));
  return set;
}

/** All characters from one to another; both are ASCII. */
export function range(from: string, to: string): AsciiSet {
  let set = 0n;
  for (let code = from.charCodeAt(0); code <= to.charCodeAt(0); code++) set |= 1n << BigInt(code);
  return set;
}

const WORD = setOf("a-zA-Z0-9_");
const DIGIT = setOf("0-9");
/** Unicode's White_Space; of ASCII these. */
const SPACE = setOf("\t\n\v\f\r ");

/** `\d`, `\w`, `\s` and their opposites: Unicode in Rust, and of ASCII exactly these. */
export const CLASS_ESCAPES: Readonly<Record<string, AsciiSet>> = {
  d: DIGIT,
  D: ALL_ASCII & ~DIGIT,
  w: WORD,
  W: ALL_ASCII & ~WORD,
  s: SPACE,
  S: ALL_ASCII & ~SPACE,
};

/** `.` with `--crlf`: everything but the characters of line ends. */
export const DOT: AsciiSet = ALL_ASCII & ~setOf("\r\n");

/** Escapes for one character. */
export const CHARACTER_ESCAPES: Readonly<Record<string, string>> = { t: "\t" };

/** Characters that stand for themselves behind a backslash. (Not `<` and `>`: those are edges of words.) */
export const ESCAPED_PUNCTUATION = "\\.+*?()|[]{}^$#&-~/\"'`!@%,:;=";

/** Characters that stand for themselves outside of classes, as those do that are no operators: `]` and `}` without an opening. */
export const OPERATORS = "\\.+*?()|[{^$";

/**
 * Assertions. A line is asked for itself, so that its edges are the text's. `\b` and `\B` ask Rust for Unicode words, of which ASCII has
 * the same as JavaScript.
 */
export const ASSERTIONS: Readonly<Record<string, string>> = { "^": "^", $: "$", "\\b": "\\b", "\\B": "\\B" };

/** Both cases of the letters in a set. U+017F and U+212A, which Rust adds for `s` and `k`, are not on a line of ASCII. */
export function folded(set: AsciiSet): AsciiSet {
  const upper = range("A", "Z");
  const lower = range("a", "z");
  return set | ((set & upper) << 32n) | ((set & lower) >> 32n);
}

/** The set as a JavaScript class. */
export function classSource(set: AsciiSet): string {
  let out = "";
  for (let code = 0; code < 128; code++) {
    if ((set & (1n << BigInt(code))) === 0n) continue;
    let last = code;
    while (last < 127 && (set & (1n << BigInt(last + 1))) !== 0n) last += 1;
    out += last === code ? hex(code) : `${hex(code)}-${hex(last)}`;
    code = last;
  }
  return `[${out}]`;
}

function hex(code: number): string {
  return `\\x${code.toString(16).padStart(2, "0")}`;
}
