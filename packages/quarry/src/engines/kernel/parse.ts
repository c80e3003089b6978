import {
  ALL_ASCII,
  ASSERTIONS,
  CHARACTER_ESCAPES,
  CLASS_ESCAPES,
  DOT,
  ESCAPED_PUNCTUATION,
  folded,
  OPERATORS,
  range,
  type AsciiSet,
} from "./proven.js";

/** A pattern of the proven part of the dialect. */
export type Node =
  /**
   * One character: which ones of ASCII, and the literal one where the pattern has that (perhaps outside of ASCII: then `set` is empty).
   * `beyond`: it may be one outside of ASCII.
   */
  | { readonly kind: "char"; readonly set: AsciiSet; readonly text: string | null; readonly beyond: boolean }
  /** A key of `ASSERTIONS`. */
  | { readonly kind: "assertion"; readonly source: string }
  | { readonly kind: "concat"; readonly parts: readonly Node[] }
  | { readonly kind: "choice"; readonly branches: readonly Node[] }
  /** Lazy or greedy makes no difference for where the first match of a line starts. */
  | { readonly kind: "repeat"; readonly body: Node; readonly min: number; readonly max: number };

export interface Parsed {
  readonly node: Node;
  /** Letters match in either case. */
  readonly fold: boolean;
  /** For smart case. */
  readonly anyLiteral: boolean;
  readonly anyUpper: boolean;
}

const MAX_PATTERN_CHARS = 1_000;
const MAX_DEPTH = 16;
/** Product of counted repeats that lie in each other: larger ones may be over ripgrep's size limit. */
const MAX_COUNT = 64;

/**
 * Reads a pattern. What it accepts is valid in Rust too.
 * @returns null where anything in it is not proven: that says nothing of whether it is valid.
 */
export function parsePattern(pattern: string, fold: boolean): Parsed | null {
  if (pattern.length > MAX_PATTERN_CHARS) return null;
  const flag = pattern.startsWith("(?i)");
  const reader = new Reader(flag ? pattern.slice(4) : pattern, fold || flag);
  try {
    const node = reader.choice(0, 1);
    if (!reader.done) return null;
    return { node, fold: fold || flag, anyLiteral: reader.anyLiteral, anyUpper: reader.anyUpper };
  } catch (error) {
    if (error === UNPROVEN) return null;
    throw error;
  }
}

const UNPROVEN = new Error("not proven");

class Reader {
  anyLiteral = false;
  anyUpper = false;
  readonly #chars: readonly string[];
  readonly #fold: boolean;
  #at = 0;

  constructor(pattern: string, fold: boolean) {
    this.#chars = [...pattern];
    this.#fold = fold;
  }

  get done(): boolean {
    return this.#at === this.#chars.length;
  }

  choice(depth: number, count: number): Node {
    if (depth > MAX_DEPTH) throw UNPROVEN;
    const branches = [this.#concat(depth, count)];
    while (this.#take("|")) branches.push(this.#concat(depth, count));
    return branches.length === 1 ? (branches[0] as Node) : { kind: "choice", branches };
  }

  #concat(depth: number, count: number): Node {
    const parts: Node[] = [];
    while (!this.done && this.#peek() !== "|" && this.#peek() !== ")") parts.push(this.#repeated(depth, count));
    return parts.length === 1 ? (parts[0] as Node) : { kind: "concat", parts };
  }

  #repeated(depth: number, count: number): Node {
    const start = this.#at;
    const first = this.#atom(depth, count);
    const times = this.#quantifier();
    if (times === null) return first;
    if (first.kind === "assertion") throw UNPROVEN;
    const [min, max] = times;
    const inner = count * (max === Infinity ? Math.max(1, min) : Math.max(1, max));
    if (inner > MAX_COUNT) throw UNPROVEN;
    // Once more, for what lies in it is now known to be repeated.
    const end = this.#at;
    this.#at = start;
    const body = this.#atom(depth, inner);
    this.#at = end;
    return { kind: "repeat", body, min, max };
  }

  /** Least and most times; null where there is none. Two in a row are not proven. */
  #quantifier(): readonly [number, number] | null {
    const rest = this.#chars.slice(this.#at, this.#at + 12).join("");
    const match = /^(?:[*+?]|\{(\d{1,4})(?:(,)(\d{1,4})?)?\})\??/.exec(rest);
    if (match === null) {
      if (rest.startsWith("{")) throw UNPROVEN;
      return null;
    }
    this.#at += match[0].length;
    if (/^[*+?{]/.test(this.#peek())) throw UNPROVEN;
    if (match[1] === undefined) return rest[0] === "*" ? [0, Infinity] : rest[0] === "+" ? [1, Infinity] : [0, 1];
    const min = Number(match[1]);
    const max = match[2] === undefined ? min : match[3] === undefined ? Infinity : Number(match[3]);
    if (max < min) throw UNPROVEN;
    return [min, max];
  }

  #atom(depth: number, count: number): Node {
    const c = this.#next();
    if (c === "(") {
      if (this.#peek() === "?" && !(this.#next() === "?" && this.#next() === ":")) throw UNPROVEN;
      const node = this.choice(depth + 1, count);
      if (!this.#take(")")) throw UNPROVEN;
      return node;
    }
    if (c === "[") return this.#class();
    if (c === ".") return { kind: "char", set: DOT, text: null, beyond: true };
    if (Object.hasOwn(ASSERTIONS, c)) return { kind: "assertion", source: c };
    if (c === "\\") {
      const escape = this.#next();
      if (Object.hasOwn(ASSERTIONS, `\\${escape}`)) return { kind: "assertion", source: `\\${escape}` };
      const set = this.#classEscape(escape);
      return set === null
        ? this.#literal(this.#escaped(escape))
        : { kind: "char", set: set & DOT, text: null, beyond: true };
    }
    if (OPERATORS.includes(c) || isControl(c)) throw UNPROVEN;
    return this.#literal(c);
  }

  #class(): Node {
    const negated = this.#take("^");
    let set = 0n;
    let members = 0;
    let only: string | null = null;
    // Letters may fold to some outside of ASCII.
    let beyond = negated || this.#fold;
    for (; ; members++) {
      const c = this.#next();
      if (c === "]" && members > 0) break;
      if (c === "[" || c === "&" || c === "~") throw UNPROVEN;
      if (c === "-" && (members > 0 ? this.#peek() !== "]" : this.#peek() === "-")) throw UNPROVEN;
      const escape = c === "\\" ? this.#next() : null;
      const named = escape === null ? null : this.#classEscape(escape);
      if (named !== null) {
        if (this.#peek() === "-") throw UNPROVEN;
        set |= named;
        beyond = true;
        only = null;
        continue;
      }
      const from = this.#member(c, escape, negated);
      const to = this.#rangeEnd(negated) ?? from;
      if (to < from) throw UNPROVEN;
      set |= range(from, to);
      only = members === 0 && from === to ? from : null;
    }
    if (this.#fold) set = folded(set);
    if (negated) set = ALL_ASCII & ~set;
    return { kind: "char", set: set & DOT, text: negated || members > 1 ? null : only, beyond };
  }

  /** The end of a range, where a `-` that is not the last of the class stands here. */
  #rangeEnd(negated: boolean): string | null {
    if (this.#peek() !== "-" || this.#chars[this.#at + 1] === "]") return null;
    this.#at += 1;
    const c = this.#next();
    if (c === "[" || c === "]" || c === "-" || c === "&" || c === "~") throw UNPROVEN;
    const escape = c === "\\" ? this.#next() : null;
    if (escape !== null && this.#classEscape(escape) !== null) throw UNPROVEN;
    return this.#member(c, escape, negated);
  }

  #member(c: string, escape: string | null, negated: boolean): string {
    // Line ends: ripgrep refuses them in a class, and they make no difference in a negated one.
    if (negated && (escape === "n" || escape === "r")) return this.#seen(escape === "n" ? "\n" : "\r");
    const member = escape === null ? c : this.#escaped(escape);
    if (member > "\x7f" || (member !== "\t" && isControl(member))) throw UNPROVEN;
    return this.#seen(member);
  }

  #classEscape(escape: string): AsciiSet | null {
    return Object.hasOwn(CLASS_ESCAPES, escape) ? (CLASS_ESCAPES[escape] as AsciiSet) : null;
  }

  #escaped(escape: string): string {
    if (Object.hasOwn(CHARACTER_ESCAPES, escape)) return CHARACTER_ESCAPES[escape] as string;
    if (!ESCAPED_PUNCTUATION.includes(escape)) throw UNPROVEN;
    return escape;
  }

  #literal(c: string): Node {
    this.#seen(c);
    if (c > "\x7f") {
      // Letters outside of ASCII may fold to some inside.
      if (this.#fold || /\p{Surrogate}/u.test(c)) throw UNPROVEN;
      return { kind: "char", set: 0n, text: c, beyond: true };
    }
    const set = range(c, c);
    return { kind: "char", set: this.#fold ? folded(set) : set, text: c, beyond: this.#fold };
  }

  #seen(c: string): string {
    this.anyLiteral = true;
    this.anyUpper ||= /\p{Uppercase}/u.test(c);
    return c;
  }

  #peek(): string {
    return this.#chars[this.#at] ?? "";
  }

  #take(c: string): boolean {
    if (this.#peek() !== c) return false;
    this.#at += 1;
    return true;
  }

  #next(): string {
    const c = this.#chars[this.#at];
    if (c === undefined) throw UNPROVEN;
    this.#at += 1;
    return c;
  }
}

function isControl(c: string): boolean {
  return (c < " " && c !== "\t") || c === "\x7f";
}
