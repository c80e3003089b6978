import { QuarryError } from "../errors/errors.js";
import type { LineQuery } from "./query.js";

/** Longest pattern, in bytes of UTF-8: what a process takes as one argument (Linux: 128 KiB), with room to spare. */
export const MAX_PATTERN_BYTES = 100_000;

/** A question as it is put to an engine, and what has to be said about it. */
export interface ResolvedQuery {
  readonly query: LineQuery;
  /** Sentences for the answer. */
  readonly notes: readonly string[];
}

/**
 * The dialect's own checks, once and before any engine: what no engine can answer is refused with a way out, a pattern
 * that names a line end is searched across lines, and one that names the text's ends is read for a line.
 * @throws QuarryError INVALID_PATTERN
 */
export function resolveQuery(query: LineQuery): ResolvedQuery {
  checkPattern(query);
  if (query.multiline) return { query, notes: [] };
  if (!namesLineEnd(query)) return withLineAnchors(query);
  return {
    query: { ...query, multiline: true },
    notes: ["The pattern names a line end, so it was searched across lines (as with multiline: true)."],
  };
}

/**
 * Refuses what the dialect does not have. What else is wrong with a pattern only an engine can say.
 * @throws QuarryError INVALID_PATTERN
 */
export function checkPattern(query: LineQuery): void {
  if (query.pattern.includes("\0")) {
    throw invalidPattern(
      "it holds a NUL byte, and files with NUL bytes are binary",
      "Remove the NUL byte from the pattern.",
    );
  }
  const bytes = Buffer.byteLength(query.pattern);
  if (bytes > MAX_PATTERN_BYTES) {
    throw invalidPattern(
      `it is ${bytes} bytes long and at most ${MAX_PATTERN_BYTES} are accepted`,
      "Search for a shorter, distinctive part of it.",
    );
  }
  if (query.literal || query.pcre2 || query.bare === true) return;
  for (const token of tokens(query.pattern)) {
    const feature = unsupported(token);
    if (feature !== null) throw invalidPattern(`${feature} (${token.text}) cannot be used: ${LINEAR}`, WITHOUT_PCRE2);
  }
}

/**
 * An INVALID_PATTERN error in the words all engines share; `reason` completes "The pattern is not valid: ...".
 * @param said all that the engine said, as it stands.
 */
export function invalidPattern(reason: string, remedy?: string, said?: string): QuarryError {
  return new QuarryError(
    "INVALID_PATTERN",
    `the pattern is not valid: ${reason}`,
    { argument: "pattern", engineReason: reason, ...(remedy === undefined ? {} : { remedy }) },
    said === undefined ? {} : { cause: new Error(said) },
  );
}

/**
 * The better next step for a pattern that an engine refused with `reason`, or undefined where the general one is best.
 */
export function patternRemedy(pattern: string, reason: string): string | undefined {
  if (/look-around|backreference/.test(reason)) return WITHOUT_PCRE2;
  if (/quantifier|counted repetition|repetition operator|repetition count/.test(reason)) {
    if (/^(\*\*?\/|\*)/.test(pattern)) {
      return "The pattern is a regular expression, not a glob: pass file names as `glob`, write `.*` for any text, or pass literal: true.";
    }
    if (pattern.includes("{"))
      return "Write `\\{` (and `\\}`) for a plain brace, or pass literal: true to search for the pattern as plain text.";
    return "Write a backslash before a plain `*`, `+` or `?`, or pass literal: true to search for the pattern as plain text.";
  }
  if (/unclosed character class/.test(reason)) return "Write `\\[` for a plain bracket, or pass literal: true.";
  if (/unclosed group/.test(reason) && /(?:^|[^\\])(?:\\\\)*\\$/.test(pattern)) {
    return "The pattern ends in a single backslash: write `\\\\` for a plain one, or pass literal: true.";
  }
  if (/unclosed group|unopened group/.test(reason))
    return "Write `\\(` and `\\)` for plain parentheses, or pass literal: true.";
  if (/unrecognized escape|hexadecimal/.test(reason))
    return "Write `\\\\` for a plain backslash, or pass literal: true.";
  if (/size limit/.test(reason))
    return "Use smaller repeat counts, or search for a distinctive part and narrow the path.";
  return undefined;
}

/**
 * What the pattern may have been meant as where nothing was found: one sentence each, saying how it was understood and what
 * to write instead. Never an error: the pattern is valid.
 */
export function dialectHints(query: Pick<LineQuery, "pattern" | "literal">): string[] {
  const { pattern } = query;
  if (query.literal) {
    return /[*+?|^$()[\]\\]/.test(pattern)
      ? [
          "literal: true takes every character of the pattern as it stands; leave it out to search with a regular expression.",
        ]
      : [];
  }
  const hints: string[] = [];
  const basic = /(?<!\\)(?:\\\\)*\\([|+?(){}])/g;
  const operators = [...new Set([...pattern.matchAll(basic)].map((m) => m[1] as string))];
  if (operators.includes("|")) {
    hints.push("`\\|` was read as a plain bar; alternatives are written with a bare bar: `foo|bar`.");
  }
  if (operators.includes("(") && operators.includes(")") && operators.includes("|")) {
    hints.push("`\\(` and `\\)` were read as plain parentheses; a group is written `(...)`.");
  }
  if (/^\.?\*{1,2}[./]|^[\w./-]*\*\.\w+$|^\*\*/.test(pattern)) {
    hints.push(
      "The pattern was read as a regular expression on lines, not as a glob; to choose files by name use the glob argument.",
    );
  }
  if (/\\\\[.()[\]{}|*+?^$wdsbWDSB]/.test(pattern)) {
    hints.push(
      "`\\\\` was read as one plain backslash in the text; if it was meant to escape the next character, write a single backslash.",
    );
  }
  if (/\+\+|\*\+|\?\+/.test(pattern)) {
    hints.push(
      "A `+` after a repeat was read as one more repeat; write `\\+` for a plain plus (`c\\+\\+`), or pass literal: true.",
    );
  }
  if (/^\/.+\/[gimsuy]*$/.test(pattern)) {
    hints.push(
      "The slashes around the pattern were read as plain slashes; leave them and the flags out, or write flags as `(?i)`.",
    );
  }
  return hints;
}

const LINEAR =
  "the dialect is Rust regex, as ripgrep uses it, which has no look-around, backreferences or atomic groups";
const WITHOUT_PCRE2 =
  "Search for the part without it and narrow with a more specific pattern or glob; or allow it where Quarry is started (--pcre2, or pcre2: true in the library).";

interface Token {
  readonly text: string;
  /** Where it begins in the pattern. */
  readonly at: number;
  /** Inside a bracket class that is not negated, one that is, or none. */
  readonly in: "class" | "negated class" | "none";
}

/** The pattern's escapes and group openings, outside of everything that only looks like them. */
function* tokens(pattern: string): Generator<Token> {
  const classes: boolean[] = [];
  for (let at = 0; at < pattern.length;) {
    const rest = pattern.slice(at, at + 24);
    const inside = classes.length > 0;
    const where = !inside ? "none" : classes.includes(true) ? "negated class" : "class";
    let text = /^\\(?:[xuU]\{[0-9a-fA-F]*\}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|k[<{']|[\s\S])/u.exec(
      rest,
    )?.[0];
    if (text !== undefined) yield { text, at, in: where };
    else if (rest.startsWith("[")) {
      text = /^\[\^?\]?/.exec(rest)?.[0] as string;
      classes.push(text.startsWith("[^"));
    } else if (inside && rest.startsWith("]")) {
      text = "]";
      classes.pop();
    } else if (!inside && rest.startsWith("(?")) {
      text = /^\(\?(?:<[=!]|P=|[=!>|(R&#]|[+-]?\d)?/.exec(rest)?.[0] as string;
      yield { text, at, in: where };
    } else if (rest === "\n" || rest.startsWith("\n") || rest.startsWith("\r")) {
      text = rest.charAt(0);
      yield { text, at, in: where };
    }
    at += Math.max(1, text?.length ?? 1);
  }
}

function unsupported(token: Token): string | null {
  if (token.in !== "none") return null;
  if (/^\(\?<?[=!]/.test(token.text)) return "look-around";
  if (/^\\[1-9]|^\\k|^\(\?P=/.test(token.text)) return "a backreference";
  if (token.text === "(?>") return "an atomic group";
  if (/^\(\?(?:\(|R|&|[+-]?\d|\|)/.test(token.text)) return "a conditional or recursive group";
  return null;
}

/**
 * The same question with CR LF allowed at each LF that the pattern names outside of brackets; null where it names none, or names
 * CR itself. In the dialect `\n` is LF alone, so that a pattern of two lines never matches in a file whose lines end in CR LF.
 */
export function withCrlf(query: LineQuery): LineQuery | null {
  const { pattern } = query;
  if (query.literal) {
    if (!pattern.includes("\n") || pattern.includes("\r")) return null;
    const lines = pattern.split("\n").map((line) => line.replaceAll(/[\\.+*?()|[\]{}^$#&~-]/g, "\\$&"));
    return { ...query, literal: false, pattern: lines.join("\\r?\\n") };
  }
  let out = "";
  let from = 0;
  for (const { text, at, in: where } of tokens(pattern)) {
    if (/^(?:\r|\\r|\\[xuU]\{?0*[dD]\}?)$/.test(text)) return null;
    if (where !== "none" || !/^(?:\n|\\n|\\[xuU]\{?0*[aA]\}?)$/.test(text)) continue;
    out += `${pattern.slice(from, at)}(?:\\r?\\n)`;
    from = at + text.length;
  }
  return from === 0 ? null : { ...query, pattern: out + pattern.slice(from) };
}

/**
 * Lines are searched one at a time, so that the text's ends are a line's. ripgrep finds the same lines, but the column that it tells depends on
 * where its buffer began when it came there (an alternative may match further on).
 */
function withLineAnchors(query: LineQuery): ResolvedQuery {
  const { pattern } = query;
  if (query.literal || query.pcre2 || !/\\[Az]/.test(pattern)) return { query, notes: [] };
  let out = "";
  let from = 0;
  for (const { text, at, in: where } of tokens(pattern)) {
    if (where !== "none" || !/^\\[Az]$/.test(text)) continue;
    out += pattern.slice(from, at) + (text === "\\A" ? "^" : "$");
    from = at + text.length;
  }
  if (from === 0) return { query, notes: [] };
  return {
    query: { ...query, pattern: out + pattern.slice(from) },
    notes: [
      "`\\A` and `\\z` were read as the ends of a line, since lines are searched one at a time; multiline: true means those of a file.",
    ],
  };
}

/** The line ends that ripgrep refuses outside of multiline. In a negated class they are harmless, and common. */
function namesLineEnd(query: LineQuery): boolean {
  if (query.literal) return /[\r\n]/.test(query.pattern);
  if (!/[\r\n]|\\[nrxuU]/.test(query.pattern)) return false;
  for (const token of tokens(query.pattern)) {
    if (token.in !== "negated class" && /^(?:[\r\n]|\\[nr]|\\[xuU]\{?0*[aAdD]\}?)$/.test(token.text)) return true;
  }
  return false;
}
