import { QuarryError } from "../errors/errors.js";
import { readShownPath } from "../paths/path.js";
import { BraceFault, expandBraces } from "./braces.js";
import { readPattern, type Fault, type PathPattern } from "./pattern.js";
import { RuleSet } from "./rule-set.js";

/** Longer globs are refused: no path of that length can be named to the system. */
const MAX_GLOB = 8_192;

/**
 * The include or exclude globs of a query. ripgrep's syntax: `*`, `?`, `[class]`, `\` escapes, `{a,b}`, `**` for any
 * folders; without `/` a base name at any depth, otherwise from the searched folder on; a trailing `/` means folders
 * only. Case counts. `?` and a class are one character (in rg they are one byte). A name that is spelled like the glob
 * matches as well, part by part: `app/[id]/*.ts` finds `app/[id]/p.ts`. No `!`, no comments, nothing is trimmed.
 */
export class GlobList {
  readonly #rules = new RuleSet();
  /** By rule: the error of a glob that holds only if no file is spelled like it. */
  readonly #doubtful: (QuarryError | null)[] = [];

  /**
   * @param globs an empty string counts as not given.
   * @throws QuarryError INVALID_GLOB, which says what is wrong.
   */
  constructor(globs: readonly string[], argument: "glob" | "exclude" = "glob") {
    const read = globs.filter((g) => g !== "").map((g) => readGlob(g, argument));
    // Doubtful globs last: a path that one of them matches is then reported as theirs.
    for (const { patterns, doubt } of [
      ...read.filter((r) => r.doubt === null),
      ...read.filter((r) => r.doubt !== null),
    ]) {
      const rule = this.#doubtful.push(doubt) - 1;
      for (const pattern of patterns) this.#rules.add(rule, pattern);
    }
  }

  get size(): number {
    return this.#doubtful.length;
  }

  /** @param path relative to the searched folder. */
  matches(path: string, name: string, isDir: boolean): boolean {
    const rule = this.#rules.last(path, name, isDir);
    if (rule === -1) return false;
    this.#doubtful[rule] = null;
    return true;
  }

  /** To be asked when a walk is over: the error of a glob that can only be a name, where nothing had that name. */
  doubt(): QuarryError | null {
    return this.#doubtful.find((d) => d !== null) ?? null;
  }
}

/** Tests a single glob. Throws as `GlobList`. */
export function globMatcher(glob: string): (path: string, isDir?: boolean) => boolean {
  const list = new GlobList([glob]);
  return (path, isDir = false) => list.matches(path, path.slice(path.lastIndexOf("/") + 1), isDir);
}

function readGlob(given: string, argument: string): { patterns: PathPattern[]; doubt: QuarryError | null } {
  const refuse = (reason: string): QuarryError => invalidGlob(given, reason, argument);
  if (given.includes("\0")) throw refuse("it holds a NUL character");
  if (given.length > MAX_GLOB) throw refuse(`it is longer than ${MAX_GLOB} characters`);
  if (given.startsWith("!")) {
    throw refuse(
      argument === "exclude"
        ? "an exclude glob leaves out what it matches; write it without the !, or \\! for a plain one"
        : "a leading ! is not an include glob; give it as an exclude glob without the !, or write \\! for a plain one",
    );
  }
  const glob = given.replace(/^(?:\.\/+)+/, "").replaceAll(/\/{2,}/g, "/");
  if (/^\/?\.?\/?$/.test(glob)) throw refuse("it names no file; leave it out for every file");
  if (glob.split("/").some((part) => part === ".." || part === ".")) {
    throw refuse(
      "it holds . or .. as a folder; a glob stays inside the searched path, which is an argument of its own",
    );
  }

  let alternatives: string[];
  try {
    alternatives = expandBraces(glob);
  } catch (error) {
    if (!(error instanceof BraceFault)) throw error;
    // A plain name with an odd brace may exist; a glob with wildcards is a slip of the pen.
    if (error.tooMuch || /[*?]/.test(glob)) throw refuse(error.message);
    return { patterns: plainReadings(glob), doubt: refuse(error.message) };
  }

  const patterns: PathPattern[] = [];
  const anchored = glob.slice(0, -1).includes("/");
  let doubt: QuarryError | null = null;
  for (const text of alternatives) {
    if (text === "" || text === "/") continue;
    const { pattern, fault } = readPattern(text, { plainToo: true, gitStars: false, anchored });
    patterns.push(pattern);
    if (fault === null) continue;
    const error = refuse(explain(fault));
    if (fault.kind === "escape" || (fault.kind === "unclosed" && /[*?]/.test(glob))) throw error;
    doubt ??= error;
  }
  if (alternatives.length > 1 || alternatives[0] !== glob) patterns.push(...plainReadings(glob));
  else patterns.push(...shownReading(glob));
  return { patterns, doubt };
}

/** The glob with its braces as plain characters, and with `\xNN` as the byte that `showPath` shows so. */
function plainReadings(glob: string): PathPattern[] {
  const { pattern } = readPattern(glob, { plainToo: true, gitStars: false });
  return [pattern, ...shownReading(glob)];
}

function shownReading(glob: string): PathPattern[] {
  const bytes = readShownPath(glob);
  return bytes === glob ? [] : [readPattern(bytes, { plainToo: true, gitStars: false }).pattern];
}

function explain(fault: Fault): string {
  const part = JSON.stringify(fault.detail.slice(0, 100));
  switch (fault.kind) {
    case "unclosed":
      return `the [ at ${part} has no ]; write \\[ for a plain bracket`;
    case "range":
      return `the range ${part} in a [class] runs backwards`;
    case "name":
      return `${part} is not a class of characters; known are [:alpha:], [:digit:], [:alnum:] and the other POSIX names`;
    case "escape":
      return "it ends in a \\, which escapes nothing";
  }
}

/** Names the glob (its first 200 characters) and says what is wrong with it. */
function invalidGlob(glob: string, reason: string, argument: string): QuarryError {
  const shown = glob.length > 200 ? `${glob.slice(0, 200)}...` : glob;
  return new QuarryError("INVALID_GLOB", `the glob ${JSON.stringify(shown)} cannot be understood: ${reason}`, {
    argument,
  });
}
