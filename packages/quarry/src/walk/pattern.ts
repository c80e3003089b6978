import { ANY_ONE, STAR, makeSegment, readClass, segmentMatches, type Segment, type Token } from "./segment.js";

/** Zero or more whole folders: a `**` that is a component of its own. */
export const FOLDERS: unique symbol = Symbol("**");

/** One glob without alternations, for paths that are relative to where it counts. */
export interface PathPattern {
  /** False: the one segment is tested against base names at any depth. */
  readonly anchored: boolean;
  /** Only directories match. */
  readonly dirOnly: boolean;
  /** What the path begins with, compared as text before the segments are asked about the rest; nearly always `""`. */
  readonly strip: string;
  readonly segments: readonly PathSegment[];
  /** Components of the longest path that can match; Infinity with `**`. */
  readonly maxDepth: number;
}

/** Any of several readings of one component is enough. */
export type PathSegment = typeof FOLDERS | readonly [Segment, ...Segment[]];

export interface Fault {
  readonly kind: "unclosed" | "range" | "name" | "escape";
  /** The part of the glob that is at fault. */
  readonly detail: string;
}

export interface PatternReading {
  readonly pattern: PathPattern;
  /** What cannot be understood; null where all is well. The pattern then holds the plain-text readings alone, or nothing. */
  readonly fault: Fault | null;
}

export interface ReadOptions {
  /**
   * Names win over syntax: `[id]` also matches a component that is spelled `[id]`. For what people and models ask; an ignore
   * file means what git makes of it.
   */
  readonly plainToo: boolean;
  /** `a/foo**\/b` is read as git reads it: `**` straight after plain text crosses folders. */
  readonly gitStars: boolean;
  /** Where given, this decides whether the pattern is anchored, in place of a `/` in the text. */
  readonly anchored?: boolean;
}

/** Reads one glob (no alternation, no leading `!`). */
export function readPattern(glob: string, options: ReadOptions): PatternReading {
  let text = glob;
  const dirOnly = text.endsWith("/");
  if (dirOnly) text = text.slice(0, -1);
  const anchored = options.anchored ?? text.includes("/");
  if (text.startsWith("/")) text = text.slice(1);

  let strip = "";
  if (options.gitStars && anchored) {
    const stars = /^([^*?[\\]*[^*?[\\/])(?=\*\*+(?:\/|$))/.exec(text);
    if (stars !== null) {
      strip = stars[1] as string;
      text = text.slice(strip.length);
    }
  }

  // An escaped `/` separates like any other.
  const parts = splitComponents(text.replaceAll(/\\(.)/gs, (pair, c) => (c === "/" ? c : pair)));
  let fault: Fault | null = null;
  let segments: PathSegment[] = [];
  for (const part of parts) {
    if (anchored && /^\*\*+$/.test(part)) {
      if (segments.at(-1) !== FOLDERS) segments.push(FOLDERS);
      continue;
    }
    const read = readSegment(part, options.plainToo);
    fault ??= read.fault;
    segments.push(read.segments);
  }
  // `a/**` is everything in `a`, and not `a`.
  if (segments.at(-1) === FOLDERS) segments.push([{ kind: "any" }]);
  const base = anchored && strip === "" && segments.length === 2 && segments[0] === FOLDERS;
  if (base) segments = segments.slice(1);
  return {
    fault,
    pattern: {
      anchored: anchored && !base,
      dirOnly,
      strip,
      segments,
      maxDepth: strip !== "" || segments.includes(FOLDERS) ? Infinity : segments.length,
    },
  };
}

/** For a pattern that is not anchored: true where it matches the base name. */
export function nameMatches(pattern: PathPattern, name: string): boolean {
  return componentMatches(pattern.segments[0], name);
}

/**
 * For an anchored pattern: true where it matches. The cost is bounded by the product of the lengths.
 * @param name the path's last component.
 */
export function pathMatches(pattern: PathPattern, path: string, name: string): boolean {
  if (pattern.strip === "" && !componentMatches(pattern.segments.at(-1), name)) return false;
  if (!path.startsWith(pattern.strip)) return false;
  const parts = (pattern.strip === "" ? path : path.slice(pattern.strip.length)).split("/");
  const { segments } = pattern;
  if (parts.length > pattern.maxDepth) return false;
  let s = 0;
  let p = 0;
  let starSegment = -1;
  let starPart = 0;
  for (;;) {
    const segment = segments[s];
    if (segment === FOLDERS) {
      starSegment = s++;
      starPart = p;
      continue;
    }
    const part = parts[p];
    if (segment === undefined && part === undefined) return true;
    if (segment !== undefined && part !== undefined && componentMatches(segment, part)) {
      s++;
      p++;
      continue;
    }
    if (starSegment === -1 || starPart >= parts.length) return false;
    p = ++starPart;
    s = starSegment + 1;
  }
}

function componentMatches(segment: PathSegment | undefined, text: string): boolean {
  if (segment === undefined || segment === FOLDERS) return false;
  for (const one of segment) if (segmentMatches(one, text)) return true;
  return false;
}

/** Components of a glob; a `/` inside a class separates nothing (and never matches). */
function splitComponents(text: string): string[] {
  if (!text.includes("[")) return text.split("/");
  const parts: string[] = [];
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === "\\") i++;
    else if (c === "/") {
      parts.push(text.slice(from, i));
      from = i + 1;
    } else if (c === "[") {
      const read = readClass(text, i);
      if (!("fault" in read) || read.fault !== "unclosed") i = read.end - 1;
    }
  }
  parts.push(text.slice(from));
  return parts;
}

function readSegment(text: string, plainToo: boolean): { segments: [Segment, ...Segment[]]; fault: Fault | null } {
  const asGlob = readTokens(text, false);
  const plain: Segment[] = [];
  if (plainToo && /[[\\]/.test(text)) {
    const withPlainBrackets = readTokens(text, true);
    if (withPlainBrackets.fault === null) plain.push(makeSegment(withPlainBrackets.tokens));
    plain.push({ kind: "literal", text });
  }
  if (asGlob.fault === null) return { segments: [makeSegment(asGlob.tokens), ...plain], fault: null };
  const [first, ...others] = plain;
  // Nothing matches a segment without tokens that is asked for a non-empty name.
  return { segments: first === undefined ? [{ kind: "literal", text: "" }] : [first, ...others], fault: asGlob.fault };
}

function readTokens(text: string, plainBrackets: boolean): { tokens: Token[]; fault: Fault | null } {
  const tokens: Token[] = [];
  let fault: Fault | null = null;
  let i = 0;
  while (i < text.length) {
    const c = text[i] as string;
    if (c === "*") {
      if (tokens.at(-1) !== STAR) tokens.push(STAR);
      i++;
    } else if (c === "?") {
      tokens.push(ANY_ONE);
      i++;
    } else if (c === "[" && !plainBrackets) {
      const read = readClass(text, i);
      if ("fault" in read) fault ??= { kind: read.fault, detail: read.detail };
      else tokens.push(read.ranges);
      i = read.end;
    } else {
      if (c === "\\") {
        i++;
        if (i === text.length) {
          fault ??= { kind: "escape", detail: "\\" };
          break;
        }
      }
      const char = String.fromCodePoint(text.codePointAt(i) as number);
      tokens.push({ char });
      i += char.length;
    }
  }
  return { tokens, fault };
}
