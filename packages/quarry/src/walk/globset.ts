import { FOLDERS, type PathPattern, type PathSegment } from "./pattern.js";
import { ANY_ONE, STAR, makeSegment, type CharClass, type Token } from "./segment.js";

/** Globs that one may stand for, and their tokens all together. */
const MAX_ALTERNATIVES = 1_000;
const MAX_TOKENS = 200_000;

/** Why ripgrep does not take a glob, in its words. */
export class GlobsetFault extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "GlobsetFault";
  }
}

type Tokens = readonly Token[];

/**
 * Reads one glob as ripgrep's `globset` does (`src/glob.rs`, literal separators): bytes as Latin-1 characters, `?` and a class are one
 * byte, no escapes and no names in a class, and an alternative that is empty is none.
 * @param anchored false: the base name at any depth is meant.
 * @throws GlobsetFault
 */
export function readGlobset(glob: string, anchored: boolean, dirOnly: boolean): PathPattern[] {
  return new Reader(glob).read().map((tokens) => patternOf(tokens, anchored, dirOnly));
}

class Reader {
  readonly #glob: string;
  #at = 0;

  constructor(glob: string) {
    this.#glob = glob;
  }

  read(): readonly Tokens[] {
    const all = this.#sequence(0);
    if (this.#at < this.#glob.length)
      throw new GlobsetFault("unopened alternate group; missing '{' (maybe escape '}' with '[}]'?)");
    return all;
  }

  #sequence(nesting: number): readonly Tokens[] {
    let all: readonly Tokens[] = [[]];
    for (; this.#at < this.#glob.length;) {
      const c = this.#glob[this.#at] as string;
      if (c === "}" || (c === "," && nesting > 0)) break;
      this.#at++;
      if (c === "{") all = combine(all, this.#alternatives(nesting + 1));
      else all = combine(all, [[this.#one(c)]]);
    }
    return all;
  }

  #alternatives(nesting: number): readonly Tokens[] {
    if (nesting > 100) throw new GlobsetFault("alternate groups nest too deep");
    const all: Tokens[] = [];
    for (;;) {
      all.push(...this.#sequence(nesting).filter((tokens) => tokens.length > 0));
      const c = this.#glob[this.#at++];
      if (c === undefined)
        throw new GlobsetFault("unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)");
      if (c === "}") return all.length === 0 ? [[]] : all;
    }
  }

  #one(c: string): Token {
    if (c === "?") return ANY_ONE;
    if (c === "*") return STAR;
    if (c === "[") return this.#class();
    if (c !== "\\") return { char: c };
    const escaped = this.#glob[this.#at++];
    if (escaped === undefined) throw new GlobsetFault("dangling '\\'");
    return { char: escaped };
  }

  #class(): CharClass {
    const negated = this.#glob[this.#at] === "!" || this.#glob[this.#at] === "^";
    if (negated) this.#at++;
    const ranges: [number, number][] = [];
    let open = false;
    for (let first = true; ; first = false) {
      const c = this.#glob[this.#at++];
      if (c === undefined) throw new GlobsetFault("unclosed character class; missing ']'");
      const code = c.charCodeAt(0);
      const last = ranges.at(-1);
      if (c === "]" && !first) break;
      if (open && last !== undefined) {
        if (code < last[0]) throw new GlobsetFault(`invalid range; '${String.fromCharCode(last[0])}' > '${c}'`);
        last[1] = code;
        open = false;
      } else if (c === "-" && !first) open = true;
      else ranges.push([code, code]);
    }
    if (open) ranges.push([45, 45]);
    return { negated, ranges };
  }
}

function combine(left: readonly Tokens[], right: readonly Tokens[]): readonly Tokens[] {
  const [only] = right;
  if (left.length === 1 && right.length === 1 && only !== undefined) {
    const [first = []] = left;
    return [[...first, ...only]];
  }
  const all =
    left.length * right.length > MAX_ALTERNATIVES ? null : left.flatMap((a) => right.map((b) => [...a, ...b]));
  if (all === null || all.reduce((sum, tokens) => sum + tokens.length, 0) > MAX_TOKENS)
    throw new GlobsetFault(`its braces stand for more than ${MAX_ALTERNATIVES} globs, or for very long ones`);
  return all;
}

function patternOf(tokens: Tokens, anchored: boolean, dirOnly: boolean): PathPattern {
  const parts: Token[][] = [[]];
  for (const token of tokens) {
    if (token !== STAR && token !== ANY_ONE && "char" in token && token.char === "/") parts.push([]);
    else (parts.at(-1) as Token[]).push(token);
  }
  let segments: PathSegment[] = [];
  for (const part of parts) {
    // `**` as a whole component crosses folders.
    if (part.length === 2 && part.every((token) => token === STAR)) {
      if (segments.at(-1) !== FOLDERS) segments.push(FOLDERS);
    } else segments.push([makeSegment(part.filter((token, i) => token !== STAR || part[i - 1] !== STAR))]);
  }
  if (segments.at(-1) === FOLDERS) segments.push([makeSegment([STAR])]);
  if (segments.length === 2 && segments[0] === FOLDERS) segments = segments.slice(1);
  else if (anchored)
    return {
      anchored,
      dirOnly,
      strip: "",
      segments,
      maxDepth: segments.includes(FOLDERS) ? Infinity : segments.length,
    };
  return { anchored: false, dirOnly, strip: "", segments, maxDepth: 1 };
}
