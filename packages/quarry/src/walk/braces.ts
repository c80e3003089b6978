import { readClass } from "./segment.js";

/** Alternatives that one glob may stand for, and their text all together. */
const MAX_ALTERNATIVES = 1_000;
const MAX_TEXT = 200_000;
const MAX_NESTING = 16;

/** Why braces cannot be read. */
export class BraceFault extends Error {
  /** True where the braces are in order and stand for too much: they are no plain name. */
  readonly tooMuch: boolean;

  constructor(reason: string, tooMuch: boolean) {
    super(reason);
    this.name = "BraceFault";
    this.tooMuch = tooMuch;
  }
}

/**
 * All globs that `{a,b}` stands for, in order. Alternations nest; an escaped brace or comma and one in a class is plain. An
 * empty alternative is one too: `a{,.md}` is `a` and `a.md` (rg drops it).
 * @throws BraceFault for a brace without its partner or too many alternatives.
 */
export function expandBraces(glob: string): string[] {
  if (!/[{}]/.test(glob)) return [glob];
  return readSequence(glob, 0, 0).texts;
}

function readSequence(glob: string, from: number, nesting: number): { texts: string[]; end: number } {
  let texts = [""];
  let i = from;
  let plainFrom = from;
  const takePlain = (): void => {
    if (i > plainFrom) texts = combine(texts, [glob.slice(plainFrom, i)]);
  };
  while (i < glob.length) {
    const c = glob[i] as string;
    if (c === "\\") i += 2;
    else if (c === "[") {
      const read = readClass(glob, i);
      i = "fault" in read && read.fault === "unclosed" ? i + 1 : read.end;
    } else if (c === "{") {
      takePlain();
      if (nesting === MAX_NESTING) throw new BraceFault(`braces nest deeper than ${MAX_NESTING} levels`, true);
      const alternatives: string[] = [];
      do {
        const read = readSequence(glob, i + 1, nesting + 1);
        alternatives.push(...read.texts);
        if (alternatives.length > MAX_ALTERNATIVES) throw tooMany();
        i = read.end;
        if (i >= glob.length) throw new BraceFault("a { has no }; write \\{ for a plain brace", false);
      } while (glob[i] === ",");
      texts = combine(texts, alternatives);
      plainFrom = ++i;
    } else if (nesting > 0 && (c === "," || c === "}")) break;
    else if (c === "}") throw new BraceFault("a } has no {; write \\} for a plain brace", false);
    else i++;
  }
  i = Math.min(i, glob.length);
  takePlain();
  return { texts, end: i };
}

function combine(left: readonly string[], right: readonly string[]): string[] {
  const out: string[] = [];
  let length = 0;
  if (left.length * right.length > MAX_ALTERNATIVES) throw tooMany();
  for (const a of left) {
    for (const b of right) {
      length += a.length + b.length;
      if (length > MAX_TEXT) throw tooMany();
      out.push(a + b);
    }
  }
  return out;
}

function tooMany(): BraceFault {
  return new BraceFault(`its braces stand for more than ${MAX_ALTERNATIVES} globs, or for very long ones`, true);
}
