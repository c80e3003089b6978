import type { Node } from "./parse.js";
import { ASSERTIONS, classSource, type AsciiSet } from "./proven.js";

/** A pattern for one line of ASCII; for any line without CR, LF and NUL where `anyBytes`. */
export interface LinePattern {
  /** Source of a JavaScript RegExp without flags. */
  readonly source: string;
  /** Bytes of the longest line that it may be asked: beyond, its backtracking is not bounded well enough. */
  readonly maxLineBytes: number;
  /** No byte outside of ASCII can be part of a match, or make one: a line may be given as it is, a character a byte. */
  readonly anyBytes: boolean;
}

/** Steps that a backtracking search may take on one line in the worst case, some 20 ms. */
const MAX_STEPS = 2e7;
const MAX_LINE_BYTES = 65_536;
/** Shorter lines are too few to be worth it. */
const MIN_LINE_BYTES = 200;
const MAX_PATHS = 64;

/**
 * Translates a pattern.
 * @returns null where its backtracking cannot be bounded: a repeat that lies in another one, an alternation in a repeat whose branches
 * start alike, too many loops that can take what follows them.
 */
export function translate(node: Node): LinePattern | null {
  const cost = new Cost();
  cost.add(node, END);
  if (cost.unbounded || cost.paths > MAX_PATHS) return null;
  const starts = startsAtLineStart(node) ? 0 : 1;
  const degree = Math.max(1, starts + cost.ambiguous + (cost.loops > 0 ? 1 : 0));
  const maxLineBytes = Math.min(MAX_LINE_BYTES, Math.floor((MAX_STEPS / cost.paths) ** (1 / degree)));
  return maxLineBytes < MIN_LINE_BYTES ? null : { source: sourceOf(node), maxLineBytes, anyBytes: staysInAscii(node) };
}

function staysInAscii(node: Node): boolean {
  switch (node.kind) {
    case "char":
      return !node.beyond;
    case "assertion":
      return node.source === "^" || node.source === "$";
    case "concat":
      return node.parts.every(staysInAscii);
    case "choice":
      return node.branches.every(staysInAscii);
    case "repeat":
      return staysInAscii(node.body);
  }
}

function sourceOf(node: Node): string {
  switch (node.kind) {
    case "char":
      return node.set === 0n ? "[]" : classSource(node.set);
    case "assertion":
      return ASSERTIONS[node.source] as string;
    case "concat":
      return node.parts.map(sourceOf).join("");
    case "choice":
      return `(?:${node.branches.map(sourceOf).join("|")})`;
    case "repeat":
      return `(?:${sourceOf(node.body)}){${node.min},${node.max === Infinity ? "" : node.max}}`;
  }
}

/** What can come next: the characters, and whether the whole match may end here. */
interface Follow {
  readonly set: AsciiSet;
  readonly end: boolean;
}

const END: Follow = { set: 0n, end: true };

/** Bounds the steps of a backtracking search: at most paths x length ^ (starts + ambiguous loops + 1 where there is any loop). */
class Cost {
  /** Ways through alternations whose branches start alike. */
  paths = 1;
  /** Repeats of more than once. */
  loops = 0;
  /** Those of them that can take what follows, so that where they end is a choice. */
  ambiguous = 0;
  unbounded = false;

  /** Adds a part that `follow` comes after; returns what can come first at its place. */
  add(node: Node, follow: Follow): Follow {
    switch (node.kind) {
      case "char":
        return { set: node.set, end: false };
      case "assertion":
        return follow;
      case "concat":
        return node.parts.reduceRight((next, part) => this.add(part, next), follow);
      case "choice":
        return this.#choice(node.branches, follow);
      case "repeat":
        return this.#repeat(node, follow);
    }
  }

  #choice(branches: readonly Node[], follow: Follow): Follow {
    let set = 0n;
    let end = false;
    let alike = false;
    for (const branch of branches) {
      const first = this.add(branch, follow);
      alike ||= (set & first.set) !== 0n || (end && first.end);
      set |= first.set;
      end ||= first.end;
    }
    if (alike) this.paths *= branches.length;
    return { set, end };
  }

  #repeat({ body, min, max }: Extract<Node, { kind: "repeat" }>, follow: Follow): Follow {
    if (max === 0) return follow;
    const optional = min === 0 ? follow : { set: 0n, end: false };
    if (max === 1) {
      const first = this.add(body, follow);
      if (min === 0 && ((first.set & follow.set) !== 0n || !isOneChar(body))) this.paths *= 2;
      return { set: first.set | optional.set, end: first.end || optional.end };
    }
    if (!isDeterministic(body)) this.unbounded = true;
    const first = firstOf(body);
    if (min !== max || !isOneChar(body)) {
      this.loops += 1;
      if ((first & follow.set) !== 0n) this.ambiguous += 1;
    }
    return { set: first | optional.set, end: optional.end };
  }
}

function isOneChar(node: Node): boolean {
  return node.kind === "char";
}

/** True where there is one way only to match a body, seen from where it starts: no repeats, no empty match, branches told apart by their first character. */
function isDeterministic(node: Node): boolean {
  switch (node.kind) {
    case "char":
      return true;
    case "assertion":
    case "repeat":
      return false;
    case "concat":
      return node.parts.length > 0 && node.parts.every(isDeterministic);
    case "choice": {
      let seen = 0n;
      return node.branches.every((branch) => {
        const first = isDeterministic(branch) ? firstOf(branch) : seen;
        const apart = isDeterministic(branch) && (seen & first) === 0n;
        seen |= first;
        return apart;
      });
    }
  }
}

/** First characters of a deterministic node. */
function firstOf(node: Node): AsciiSet {
  switch (node.kind) {
    case "char":
      return node.set;
    case "concat":
      return firstOf(node.parts[0] as Node);
    case "choice":
      return node.branches.reduce((set, branch) => set | firstOf(branch), 0n);
    case "assertion":
    case "repeat":
      return 0n;
  }
}

function startsAtLineStart(node: Node): boolean {
  if (node.kind === "assertion") return node.source === "^";
  if (node.kind === "concat") return node.parts[0] !== undefined && startsAtLineStart(node.parts[0]);
  return node.kind === "choice" && node.branches.every(startsAtLineStart);
}
