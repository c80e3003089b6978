import { FOLDERS, nameMatches, pathMatches, type PathPattern } from "./pattern.js";
import type { Segment } from "./segment.js";

/** For one bucket: the last rule that matches a file, and the last that matches a folder (`dir/` rules among them). */
interface Last {
  file: number;
  dir: number;
}

/**
 * Many patterns, asked at once which is the last to match. Names, extensions and whole paths are looked up; only what is
 * left is tried, from the last on. 100 rules against 80,000 paths cost about 20 ms.
 */
export class RuleSet {
  readonly #any: Last = { file: -1, dir: -1 };
  readonly #names = new Map<string, Last>();
  readonly #extensions = new Map<string, Last>();
  readonly #paths = new Map<string, Last>();
  /** Base name patterns that fit no bucket, ascending by rule. */
  readonly #nameRules: { readonly rule: number; readonly pattern: PathPattern }[] = [];
  readonly #pathRules: { readonly rule: number; readonly pattern: PathPattern; readonly start: string }[] = [];
  #pathDepth = 0;
  #count = 0;

  /** Adds a pattern for rule number `rule`; numbers must not descend. */
  add(rule: number, pattern: PathPattern): void {
    this.#count++;
    const only = singleReading(pattern);
    if (!pattern.anchored) {
      if (only?.kind === "any") note(this.#any, rule, pattern.dirOnly);
      else if (only?.kind === "literal") note(bucket(this.#names, only.text), rule, pattern.dirOnly);
      else if (only?.kind === "suffix" && /^\.[^.]+$/.test(only.text)) {
        note(bucket(this.#extensions, only.text.slice(1)), rule, pattern.dirOnly);
      } else this.#nameRules.push({ rule, pattern });
      return;
    }
    this.#pathDepth = Math.max(this.#pathDepth, pattern.maxDepth);
    const start = literalStart(pattern);
    if (start.whole) note(bucket(this.#paths, start.text), rule, pattern.dirOnly);
    else this.#pathRules.push({ rule, pattern, start: start.text });
  }

  get size(): number {
    return this.#count;
  }

  /** Components of the longest path that a pattern with a `/` can match: deeper ones need not be asked by path. */
  get pathDepth(): number {
    return this.#pathDepth;
  }

  /**
   * The number of the last rule that matches, or -1.
   * @param path relative to where the rules count; may be `null` where it has more components than `pathDepth`.
   */
  last(path: string | null, name: string, isDir: boolean): number {
    let best = isDir ? this.#any.dir : this.#any.file;
    if (this.#names.size > 0) best = Math.max(best, pick(this.#names.get(name), isDir));
    if (this.#extensions.size > 0) {
      const dot = name.lastIndexOf(".");
      if (dot !== -1) best = Math.max(best, pick(this.#extensions.get(name.slice(dot + 1)), isDir));
    }
    for (let i = this.#nameRules.length - 1; i >= 0; i--) {
      const { rule, pattern } = this.#nameRules[i] as { rule: number; pattern: PathPattern };
      if (rule <= best) break;
      if ((isDir || !pattern.dirOnly) && nameMatches(pattern, name)) best = rule;
    }
    if (path === null) return best;
    if (this.#paths.size > 0) best = Math.max(best, pick(this.#paths.get(path), isDir));
    for (let i = this.#pathRules.length - 1; i >= 0; i--) {
      const { rule, pattern, start } = this.#pathRules[i] as { rule: number; pattern: PathPattern; start: string };
      if (rule <= best) break;
      if ((isDir || !pattern.dirOnly) && path.startsWith(start) && pathMatches(pattern, path, name)) best = rule;
    }
    return best;
  }
}

function note(last: Last, rule: number, dirOnly: boolean): void {
  if (!dirOnly) last.file = rule;
  last.dir = rule;
}

function bucket(map: Map<string, Last>, key: string): Last {
  let last = map.get(key);
  if (last === undefined) {
    last = { file: -1, dir: -1 };
    map.set(key, last);
  }
  return last;
}

function pick(last: Last | undefined, isDir: boolean): number {
  return last === undefined ? -1 : isDir ? last.dir : last.file;
}

function singleReading(pattern: PathPattern): Segment | null {
  const [segment, ...more] = pattern.segments;
  return more.length === 0 && segment !== undefined && segment !== FOLDERS && segment.length === 1 ? segment[0] : null;
}

/** The plain folders that every matching path begins with (`src/lib/`), or the whole path where all is plain. */
function literalStart(pattern: PathPattern): { text: string; whole: boolean } {
  const names: string[] = [];
  if (pattern.strip !== "") return { text: pattern.strip, whole: false };
  for (const segment of pattern.segments) {
    const only = segment !== FOLDERS && segment.length === 1 ? segment[0] : null;
    if (only?.kind !== "literal") return { text: names.map((n) => `${n}/`).join(""), whole: false };
    names.push(only.text);
  }
  return { text: names.join("/"), whole: true };
}
