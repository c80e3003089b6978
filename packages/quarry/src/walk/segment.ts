/**
 * One component of a glob (`*`, `?`, `[class]`, `\x`, plain text) and its test. Matching goes back to the last `*` only, so
 * that its cost is bounded by text length times pattern length, whatever the pattern: `*a*a*a*a*b` is as harmless as `*b`.
 */
export type Segment =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "any" }
  | { readonly kind: "suffix"; readonly text: string }
  | { readonly kind: "prefix"; readonly text: string }
  | {
      readonly kind: "tokens";
      readonly tokens: readonly Token[];
      /** The longest plain run: a name without it needs no closer look. */
      readonly run: string;
    };

export type Token = { readonly char: string } | CharClass | typeof ANY_ONE | typeof STAR;

export const ANY_ONE: unique symbol = Symbol("?");
export const STAR: unique symbol = Symbol("*");

/** `[a-z]`. Ranges are of code points, inclusive. */
export interface CharClass {
  readonly negated: boolean;
  readonly ranges: readonly (readonly [number, number])[];
}

/** Where a class ends and what it is, or what is wrong with it. `end` is behind the `]`; for a fault the text goes on there. */
export type ClassReading =
  | { readonly end: number; readonly ranges: CharClass }
  | { readonly end: number; readonly fault: "unclosed" | "range" | "name"; readonly detail: string };

/** Makes the cheapest test for what was read. */
export function makeSegment(tokens: readonly Token[]): Segment {
  const stars = tokens.filter((t) => t === STAR).length;
  const plain = tokens.every((t) => t === STAR || (typeof t === "object" && "char" in t));
  if (plain && stars === 0) return { kind: "literal", text: textOf(tokens) };
  if (stars > 0 && stars === tokens.length) return { kind: "any" };
  if (plain && stars === 1 && tokens[0] === STAR) return { kind: "suffix", text: textOf(tokens.slice(1)) };
  if (plain && stars === 1 && tokens.at(-1) === STAR) return { kind: "prefix", text: textOf(tokens.slice(0, -1)) };
  return { kind: "tokens", tokens, run: longestRun(tokens) };
}

function longestRun(tokens: readonly Token[]): string {
  let longest = "";
  let run = "";
  for (const token of tokens) {
    run = typeof token === "object" && "char" in token ? run + token.char : "";
    if (run.length > longest.length) longest = run;
  }
  return longest;
}

function textOf(tokens: readonly Token[]): string {
  return tokens.map((t) => (typeof t === "object" && "char" in t ? t.char : "")).join("");
}

export function segmentMatches(segment: Segment, text: string): boolean {
  switch (segment.kind) {
    case "literal":
      return segment.text === text;
    case "any":
      return true;
    case "suffix":
      return text.endsWith(segment.text);
    case "prefix":
      return text.startsWith(segment.text);
    case "tokens":
      return text.includes(segment.run) && tokensMatch(segment.tokens, text);
  }
}

function tokensMatch(tokens: readonly Token[], text: string): boolean {
  let t = 0;
  let at = 0;
  let starToken = -1;
  let starAt = 0;
  for (;;) {
    const token = tokens[t];
    if (token === STAR) {
      starToken = t++;
      starAt = at;
      continue;
    }
    if (token === undefined ? at === text.length : at < text.length) {
      if (token === undefined) return true;
      const width = charWidth(text, at);
      if (accepts(token, text, at, width)) {
        t++;
        at += width;
        continue;
      }
    }
    if (starToken === -1 || starAt >= text.length) return false;
    starAt += charWidth(text, starAt);
    at = starAt;
    t = starToken + 1;
  }
}

function accepts(token: Exclude<Token, typeof STAR>, text: string, at: number, width: number): boolean {
  if (token === ANY_ONE) return true;
  if ("char" in token) return token.char.length === width && text.startsWith(token.char, at);
  const code = text.codePointAt(at) as number;
  return token.ranges.some(([low, high]) => code >= low && code <= high) !== token.negated;
}

/** UTF-16 units of the character at `at`: 2 for a surrogate pair. A lone surrogate (a raw byte) is one character. */
function charWidth(text: string, at: number): 1 | 2 {
  const unit = text.charCodeAt(at);
  if (unit < 0xd800 || unit > 0xdbff) return 1;
  const next = text.charCodeAt(at + 1);
  return next >= 0xdc00 && next <= 0xdfff ? 2 : 1;
}

/**
 * Reads `[...]` at `at`: `!` or `^` negates, a `]` in first place is itself, `\` escapes, `a-z` is a range, `[:alpha:]` a POSIX
 * name (git's wildmatch; rg reads that one as plain characters).
 */
export function readClass(text: string, at: number): ClassReading {
  const ranges: [number, number][] = [];
  let fault: { fault: "range" | "name"; detail: string } | null = null;
  let i = at + 1;
  const negated = text[i] === "!" || text[i] === "^";
  if (negated) i++;
  const first = i;
  /** The low end that a following `-` would take; -1 where there is none. */
  let low = -1;
  for (;;) {
    const c = text[i];
    if (c === undefined) return { end: text.length, fault: "unclosed", detail: text.slice(at) };
    if (c === "]" && i > first) break;
    if (c === "[" && text[i + 1] === ":") {
      const close = text.indexOf("]", i + 2);
      if (close === -1) return { end: text.length, fault: "unclosed", detail: text.slice(at) };
      if (text[close - 1] === ":" && close - 1 >= i + 2) {
        const name = text.slice(i + 2, close - 1);
        const posix = POSIX[name];
        if (posix === undefined) fault ??= { fault: "name", detail: `[:${name}:]` };
        else ranges.push(...posix);
        i = close + 1;
        low = -1;
        continue;
      }
    }
    if (c === "-" && low !== -1 && i + 1 < text.length && text[i + 1] !== "]") {
      const high = readChar(text, i + 1);
      if (high === null) return { end: text.length, fault: "unclosed", detail: text.slice(at) };
      if (low > high.code)
        fault ??= { fault: "range", detail: `${String.fromCodePoint(low)}-${String.fromCodePoint(high.code)}` };
      ranges.push([low, high.code]);
      i = high.end;
      low = -1;
      continue;
    }
    const one = readChar(text, i);
    if (one === null) return { end: text.length, fault: "unclosed", detail: text.slice(at) };
    ranges.push([one.code, one.code]);
    low = one.code;
    i = one.end;
  }
  return fault === null ? { end: i + 1, ranges: { negated, ranges } } : { end: i + 1, ...fault };
}

function readChar(text: string, at: number): { code: number; end: number } | null {
  const from = text[at] === "\\" ? at + 1 : at;
  const code = text.codePointAt(from);
  return code === undefined ? null : { code, end: from + charWidth(text, from) };
}

const span = (a: string, b: string): [number, number] => [a.charCodeAt(0), b.charCodeAt(0)];
const POSIX: Readonly<Record<string, [number, number][]>> = {
  __proto__: null as never,
  alnum: [span("0", "9"), span("A", "Z"), span("a", "z")],
  alpha: [span("A", "Z"), span("a", "z")],
  blank: [span(" ", " "), span("\t", "\t")],
  cntrl: [
    [0, 31],
    [127, 127],
  ],
  digit: [span("0", "9")],
  graph: [[33, 126]],
  lower: [span("a", "z")],
  print: [[32, 126]],
  punct: [
    [33, 47],
    [58, 64],
    [91, 96],
    [123, 126],
  ],
  space: [
    [9, 13],
    [32, 32],
  ],
  upper: [span("A", "Z")],
  xdigit: [span("0", "9"), span("A", "F"), span("a", "f")],
};
