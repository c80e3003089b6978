import type { Node } from "./parse.js";

const MAX_TEXTS = 16;
const MAX_TEXT_CHARS = 64;

/** The texts that a pattern is an alternation of, in no order; null where it is something else. */
export function literalsOf(node: Node): readonly string[] | null {
  switch (node.kind) {
    case "char":
      return node.text === null ? null : [node.text];
    case "concat":
      return product(node.parts.map(literalsOf));
    case "choice": {
      const all = node.branches.map(literalsOf);
      return all.includes(null) ? null : all.flatMap((texts) => texts as readonly string[]);
    }
    case "assertion":
    case "repeat":
      return null;
  }
}

/**
 * Texts of which every match of the pattern holds at least one; null where there are none that are worth looking for
 * (each of two characters at least).
 */
export function requiredTexts(node: Node): readonly string[] | null {
  const best = required(node);
  return best === null || best.some((text) => text.length < 2) ? null : withoutCovered(best);
}

/**
 * Sets of texts, of each of which every match holds at least one: all that are seen, the ones that are of no use for searching alone
 * included. May be empty.
 */
export function allRequiredTexts(node: Node): readonly (readonly string[])[] {
  if (node.kind === "concat") return runs(node.parts);
  const one = required(node);
  return one === null ? [] : [one];
}

function required(node: Node): readonly string[] | null {
  switch (node.kind) {
    case "char":
      return node.text === null ? null : [node.text];
    case "assertion":
      return null;
    case "repeat":
      return node.min === 0 ? null : required(node.body);
    case "choice": {
      const all = node.branches.map(required);
      const texts = all.flatMap((some) => some ?? []);
      return all.includes(null) || texts.length > MAX_TEXTS ? null : texts;
    }
    case "concat":
      return best(runs(node.parts));
  }
}

/** Of a sequence: what its parts require, and the texts that neighbours make together. */
function runs(parts: readonly Node[]): (readonly string[])[] {
  const found: (readonly string[])[] = [];
  let run: readonly string[] = [""];
  const close = (): void => {
    if (!run.includes("")) found.push(run);
    run = [""];
  };
  for (const part of parts) {
    // An assertion takes no room: the text goes on behind it.
    if (part.kind === "assertion") continue;
    const own = literalsOf(part);
    const longer = own === null ? null : product([run, own]);
    if (longer !== null) {
      run = longer;
      continue;
    }
    close();
    if (own !== null && own.length <= MAX_TEXTS) run = own;
    const inside = own === null ? required(part) : null;
    if (inside !== null) found.push(inside);
  }
  close();
  return found;
}

function product(all: readonly (readonly string[] | null)[]): readonly string[] | null {
  let texts: readonly string[] = [""];
  for (const some of all) {
    if (some === null || texts.length * some.length > MAX_TEXTS) return null;
    texts = texts.flatMap((text) => some.map((next) => text + next));
    if (texts.some((text) => text.length > MAX_TEXT_CHARS)) return null;
  }
  return texts;
}

/** The set that is likely to be met the least: long texts, few of them. */
function best(sets: readonly (readonly string[])[]): readonly string[] | null {
  const worth = (texts: readonly string[]): number =>
    Math.min(...texts.map((text) => Math.min(text.length, 12))) * 8 - texts.length;
  return sets.reduce<readonly string[] | null>((a, b) => (a === null || worth(b) > worth(a) ? b : a), null);
}

/** A text that holds another one of them adds nothing. */
function withoutCovered(texts: readonly string[]): readonly string[] {
  const all = [...new Set(texts)];
  return all.filter((text) => !all.some((other) => other !== text && text.includes(other)));
}
