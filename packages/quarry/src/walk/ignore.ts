import { toHostBytes, type RelPath } from "../paths/path.js";
import { BraceFault, expandBraces } from "./braces.js";
import { readPattern } from "./pattern.js";
import { RuleSet } from "./rule-set.js";

/** Read of one ignore file at most; what lies behind is left unread, with a note. */
export const MAX_IGNORE_BYTES = 2 * 1024 * 1024;
/** Rules of one ignore file at most; further ones do not count, with a note. */
export const MAX_IGNORE_RULES = 20_000;

/** Whose reading of the syntax counts: git's for `.gitignore` and `info/exclude`, ripgrep's for its own `.ignore` and `.rgignore`. */
export type IgnoreDialect = "git" | "rg";

/** The rules of one ignore file. */
export interface IgnoreRules {
  readonly rules: RuleSet;
  /** By rule: true where it takes back (`!`). */
  readonly negated: readonly boolean[];
  /** Rules that did not count because there were too many. */
  readonly dropped: number;
  /** Lines that ripgrep's syntax does not allow (in git's everything is allowed, and such a line matches nothing). */
  readonly faulty: number;
}

/**
 * Reads an ignore file. Everything is bytes, held as Latin-1, as git has it: `?` is one byte. Sources: gitignore(5), git's
 * dir.c (`parse_path_pattern`, `trim_trailing_spaces`) and wildmatch.c; for rg the `ignore` and `globset` crates. The
 * differences: in `rg` braces alternate and all white space at a line's end is trimmed.
 */
export function readIgnore(content: Buffer, dialect: IgnoreDialect): IgnoreRules {
  const rules = new RuleSet();
  const negated: boolean[] = [];
  let dropped = 0;
  let faulty = 0;
  let text = content.toString("latin1");
  if (text.startsWith("\xef\xbb\xbf")) text = text.slice(3);
  for (let from = 0; from < text.length;) {
    const end = text.indexOf("\n", from);
    const line = text.slice(from, end === -1 ? text.length : end).replace(/\r$/, "");
    from = end === -1 ? text.length : end + 1;
    const rule = readLine(line, dialect);
    if (rule === null) continue;
    if (negated.length === MAX_IGNORE_RULES) {
      dropped++;
      continue;
    }
    const patterns = readGlobs(rule.glob, dialect);
    if (patterns === null) {
      faulty++;
      continue;
    }
    const number = negated.push(rule.negated) - 1;
    for (const pattern of patterns) rules.add(number, pattern);
  }
  return { rules, negated, dropped, faulty };
}

function readLine(line: string, dialect: IgnoreDialect): { glob: string; negated: boolean } | null {
  if (line.startsWith("#")) return null;
  const trimmed = dialect === "git" ? trimSpaces(line) : line.endsWith("\\ ") ? line : line.trimEnd();
  const negated = trimmed.startsWith("!");
  const glob = negated ? trimmed.slice(1) : trimmed;
  return glob === "" || glob === "/" || glob.includes("\0") ? null : { glob, negated };
}

/** Trailing spaces go unless escaped; tabs stay. */
function trimSpaces(line: string): string {
  let end = 0;
  for (let i = 0; i < line.length; i++) {
    if (line[i] === "\\") {
      i++;
      end = i + 1;
    } else if (line[i] !== " ") end = i + 1;
  }
  return line.slice(0, end);
}

/** The patterns of one line; null where its syntax is at fault. */
function readGlobs(glob: string, dialect: IgnoreDialect): ReturnType<typeof readPattern>["pattern"][] | null {
  if (dialect === "git") {
    const { pattern, fault } = readPattern(glob, { plainToo: false, gitStars: true });
    return fault === null ? [pattern] : null;
  }
  try {
    const anchored = glob.slice(0, -1).includes("/");
    const read = expandBraces(glob)
      .filter((text) => text !== "" && text !== "/")
      .map((text) => readPattern(text, { plainToo: false, gitStars: false, anchored }));
    return read.some((r) => r.fault !== null) ? null : read.map((r) => r.pattern);
  } catch (error) {
    if (error instanceof BraceFault) return null;
    throw error;
  }
}

const NOT_ASCII = /[^\x00-\x7f]/;

/** A path as ignore rules see it: its bytes, as Latin-1. */
export function asBytes(path: RelPath): string {
  if (!NOT_ASCII.test(path)) return path;
  const host = toHostBytes(path);
  return (typeof host === "string" ? Buffer.from(host, "utf8") : host).toString("latin1");
}

/** One ignore file where it counts. */
export interface Level {
  readonly file: IgnoreRules;
  /** Its folder; the rules are relative to it. */
  readonly folder: RelPath;
  /** Components of `folder`. */
  readonly depth: number;
  /** True where it stands above the searched folder. */
  readonly above: boolean;
}

/** What the ignore rules say of one entry. `by` is null where no rule matches. */
export interface Verdict {
  readonly ignored: boolean;
  readonly by: Level | null;
}

const NO_RULE: Verdict = { ignored: false, by: null };

/**
 * The ignore files that count in one folder, by rank: every `.rgignore` before every `.ignore` before every `.gitignore` before
 * `.git/info/exclude`, and in each kind the deeper folder first (ripgrep's order; git knows the last two).
 */
export class IgnoreChain {
  static readonly EMPTY = new IgnoreChain([], [], [], []);
  readonly #kinds: readonly [readonly Level[], readonly Level[], readonly Level[], readonly Level[]];
  readonly #ranked: readonly Level[];

  private constructor(
    rgignore: readonly Level[],
    ignore: readonly Level[],
    gitignore: readonly Level[],
    exclude: readonly Level[],
  ) {
    this.#kinds = [rgignore, ignore, gitignore, exclude];
    this.#ranked = this.#kinds.flat();
  }

  get empty(): boolean {
    return this.#ranked.length === 0;
  }

  /** With the files of one more folder, deeper than all before. */
  with(found: {
    rgignore: Level | null;
    ignore: Level | null;
    gitignore: Level | null;
    exclude: Level | null;
  }): IgnoreChain {
    const [rgignore, ignore, gitignore, exclude] = this.#kinds;
    const front = (level: Level | null, levels: readonly Level[]): readonly Level[] =>
      level === null ? levels : [level, ...levels];
    return new IgnoreChain(
      front(found.rgignore, rgignore),
      front(found.ignore, ignore),
      front(found.gitignore, gitignore),
      front(found.exclude, exclude),
    );
  }

  /** At the root of a repository: git's rules from outside do not count in it. */
  enterRepository(): IgnoreChain {
    const [rgignore, ignore, gitignore, exclude] = this.#kinds;
    return gitignore.length + exclude.length === 0 ? this : new IgnoreChain(rgignore, ignore, [], []);
  }

  /**
   * The verdict on one entry; that its folder is not ignored is known.
   * @param depth components of `path`.
   */
  judge(path: RelPath, name: string, isDir: boolean, depth: number): Verdict {
    const bytes = asBytes(name);
    for (const level of this.#ranked) {
      const { rules, negated } = level.file;
      const below = depth - level.depth;
      const relative =
        below <= rules.pathDepth ? asBytes(level.folder === "" ? path : path.slice(level.folder.length + 1)) : null;
      const rule = rules.last(relative, bytes, isDir);
      if (rule !== -1) return { ignored: !(negated[rule] as boolean), by: level };
    }
    return NO_RULE;
  }
}
