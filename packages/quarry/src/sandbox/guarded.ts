import { ERROR_CODES, QuarryError, type ErrorCode } from "../errors/errors.js";
import { comparePaths, parentPath } from "../paths/path.js";
import { quote } from "../workspace/refusal.js";
import { belowRoot, namesStrangePath, plainPath } from "./foreign-paths.js";
import {
  SKIP_REASONS,
  type GlobFound,
  type GrepFound,
  type Listed,
  type ReadText,
  type ReplacedText,
  type Sandbox,
  type SandboxCall,
  type SandboxMatch,
  type SearchFacts,
  type Skipped,
  type SkipReason,
  type WrittenFile,
} from "./sandbox.js";

export interface GuardOptions {
  /** Time limit of one call in milliseconds; 30,000 where absent. A provider that does not answer is not waited for. */
  readonly timeoutMs?: number;
  /** Most characters of one file's text, and most entries of one listing. */
  readonly maxText?: number;
  readonly maxEntries?: number;
}

/** Characters of a line, a note, an error's words. */
const MAX_LINE = 200;
const MAX_NOTE = 500;
const MAX_NOTES = 10;
const MAX_COUNT = 1_000_000_000;
/** Of one list; what is behind is not looked at. */
const MAX_ITEMS = 20_000;

/**
 * A provider whose answers are not trusted, as one that can be: of what it returns only that is kept which is a well-formed answer to the
 * question. Paths outside the asked root are dropped and counted (`outside`), so are values of a wrong type; order, duplicates, sizes and
 * the number of results are put right; words of errors and notes that name another path than one below the asked one are not passed on.
 */
export function guardedSandbox(remote: Sandbox, options: GuardOptions = {}): Sandbox {
  const { timeoutMs = 30_000, maxText = 1_000_000, maxEntries = 1_000 } = options;
  const ask = <A>(
    path: string,
    what: string,
    call: SandboxCall,
    work: (call: SandboxCall) => unknown,
    read: (answer: Answer) => A,
  ): Promise<A> => asked({ path, what, timeoutMs }, call, work, read);
  return {
    glob: (question, call = {}) =>
      ask(
        question.path,
        "Search",
        call,
        (own) => remote.glob(question, own),
        (answer) => globFound(answer, question.path, question.maxResults),
      ),
    grep: (question, call = {}) =>
      ask(
        question.path,
        "Search",
        call,
        (own) => remote.grep(question, own),
        (answer) => grepFound(answer, question.path, question.maxResults),
      ),
    ls: (question, call = {}) =>
      ask(
        question.path,
        "Listing",
        call,
        (own) => remote.ls(question, own),
        (answer) => listed(answer, question.path, maxEntries),
      ),
    readFile: (question, call = {}) =>
      ask(
        question.path,
        "Reading",
        call,
        (own) => remote.readFile(question, own),
        (answer) => readText(answer, question, maxText),
      ),
    writeFile: (question, call = {}) =>
      ask(
        question.path,
        "Writing",
        call,
        (own) => remote.writeFile(question, own),
        (answer): WrittenFile => ({
          created: answer.flag("created"),
          notes: notesOf(answer, question.path),
        }),
      ),
    strReplace: (question, call = {}) =>
      ask(
        question.path,
        "Writing",
        call,
        (own) => remote.strReplace(question, own),
        (answer): ReplacedText => ({
          replacements: answer.count("replacements"),
          notes: notesOf(answer, question.path),
        }),
      ),
  };
}

/** What came back, read field by field. A field that decides and is of a wrong type is no answer. */
class Answer {
  readonly #value: Readonly<Record<string, unknown>>;

  constructor(value: unknown) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw malformed("it is not an object");
    this.#value = value as Readonly<Record<string, unknown>>;
  }

  /** At most `MAX_ITEMS` of a list, and how many more there are. */
  list(name: string): { readonly items: readonly unknown[]; readonly more: number } {
    const value = this.#value[name];
    if (!Array.isArray(value)) throw malformed(`${name} is not a list`);
    const items = Array.from({ length: Math.min(value.length, MAX_ITEMS) }, (_, i): unknown => value[i]);
    return { items, more: value.length - items.length };
  }

  flag(name: string): boolean {
    const value = this.#value[name];
    if (typeof value !== "boolean") throw malformed(`${name} is not true or false`);
    return value;
  }

  count(name: string): number {
    const value = this.#value[name];
    if (!isCount(value)) throw malformed(`${name} is not a count`);
    return value;
  }

  text(name: string): string {
    const value = this.#value[name];
    if (typeof value !== "string") throw malformed(`${name} is not a text`);
    return value;
  }

  field(name: string): unknown {
    return this.#value[name];
  }
}

function malformed(what: string): QuarryError {
  return new QuarryError("SEARCH_FAILED", `the sandbox gave an answer that cannot be used: ${what}`);
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= MAX_COUNT;
}

function globFound(answer: Answer, root: string, max: number): GlobFound {
  const given = answer.list("paths");
  const kept = new Set<string>();
  for (const one of given.items) {
    const path = typeof one === "string" ? belowRoot(root, one) : null;
    // The root itself matches nothing.
    if (path !== null && path !== plainPath(root)) kept.add(path);
  }
  const paths = [...kept].sort(comparePaths);
  return {
    paths: paths.slice(0, max),
    ...facts(answer, root, given.items.length - kept.size, given.more > 0 || paths.length > max),
  };
}

function grepFound(answer: Answer, root: string, max: number): GrepFound {
  const given = answer.list("matches");
  const kept = new Map<string, SandboxMatch>();
  for (const one of given.items) {
    const match = matchOf(one, root);
    if (match !== null) kept.set(`${match.path}\0${match.lineNumber}`, match);
  }
  const matches = [...kept.values()].sort((a, b) => comparePaths(a.path, b.path) || a.lineNumber - b.lineNumber);
  return {
    matches: matches.slice(0, max),
    ...facts(answer, root, given.items.length - kept.size, given.more > 0 || matches.length > max),
  };
}

function matchOf(one: unknown, root: string): SandboxMatch | null {
  if (typeof one !== "object" || one === null) return null;
  const { path: given, lineNumber, line } = one as Readonly<Record<string, unknown>>;
  const path = typeof given === "string" ? belowRoot(root, given) : null;
  if (path === null || !isCount(lineNumber) || lineNumber < 1 || typeof line !== "string") return null;
  return { path, lineNumber, line: oneLine(line, MAX_LINE) };
}

function listed(answer: Answer, root: string, max: number): Listed {
  const given = answer.list("entries");
  const kept = new Map<string, Listed["entries"][number]>();
  for (const one of given.items) {
    if (typeof one !== "object" || one === null) continue;
    const { path: at, kind } = one as Readonly<Record<string, unknown>>;
    const path = typeof at === "string" ? belowRoot(root, at) : null;
    if (path === null || !isIn(path, root) || (kind !== "file" && kind !== "directory")) continue;
    kept.set(path, { path, kind });
  }
  const entries = [...kept.values()].sort((a, b) => comparePaths(a.path, b.path));
  return {
    entries: entries.slice(0, max),
    ...facts(answer, root, given.items.length - kept.size, given.more > 0 || entries.length > max),
  };
}

/** Is the path one of what stands in the folder itself? */
function isIn(path: string, folder: string): boolean {
  return `/${parentPath(path.slice(1))}` === plainPath(folder) && path !== "/";
}

function readText(answer: Answer, question: { readonly path: string }, max: number): ReadText {
  const [startLine, endLine, totalLines] = [
    answer.count("startLine"),
    answer.count("endLine"),
    answer.count("totalLines"),
  ];
  if (startLine < 1 || endLine < startLine - 1 || endLine > totalLines)
    throw malformed("its line numbers contradict each other");
  const text = answer.text("text");
  if (text.length > max) throw malformed(`its text is longer than ${max} characters`);
  return { text, startLine, endLine, totalLines, notes: notesOf(answer, question.path) };
}

function facts(answer: Answer, root: string, dropped: number, cut: boolean): SearchFacts {
  const skipped = skippedOf(answer.field("skipped"));
  return {
    truncated: answer.flag("truncated") || cut,
    ...(answer.field("unfinished") === true ? { unfinished: true as const } : {}),
    skipped: { ...skipped, outside: (skipped.outside ?? 0) + dropped },
    notes: notesOf(answer, root),
  };
}

function skippedOf(value: unknown): Skipped {
  if (typeof value !== "object" || value === null) return {};
  const given = value as Readonly<Record<string, unknown>>;
  const counts = SKIP_REASONS.flatMap((reason): [SkipReason, number][] => {
    const count = given[reason];
    return isCount(count) && count > 0 ? [[reason, count]] : [];
  });
  return Object.fromEntries(counts);
}

function notesOf(answer: Answer, root: string): readonly string[] {
  const notes = answer.field("notes");
  if (!Array.isArray(notes)) return [];
  return notes
    .filter((note) => typeof note === "string")
    .slice(0, MAX_NOTES)
    .map((note) => oneLine(note, MAX_NOTE))
    .filter((note) => !namesStrangePath(note, root));
}

/** Without line ends, which would make other lines of it, and not longer than that. */
function oneLine(text: string, max: number): string {
  // oxlint-disable-next-line no-control-regex -- a foreign text may hold any of them
  const plain = text.slice(0, max * 4).replace(/[\u0000-\u0008\u000a-\u001f\u007f\u0085\u2028\u2029]+/g, " ");
  const chars = [...plain];
  return chars.length <= max && text.length <= max * 4 ? plain : `${chars.slice(0, max - 3).join("")}...`;
}

interface Asked {
  readonly path: string;
  readonly what: string;
  readonly timeoutMs: number;
}

/** One call with a time limit of our own: the provider is told to end, and is not waited for. */
async function asked<A>(
  about: Asked,
  call: SandboxCall,
  work: (call: SandboxCall) => unknown,
  read: (answer: Answer) => A,
): Promise<A> {
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let onAbort = (): void => undefined;
  const ended = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new QuarryError("TIMED_OUT", `${about.what} timed out after ${about.timeoutMs / 1_000} s`)),
      about.timeoutMs,
    );
    onAbort = () => reject(new QuarryError("ABORTED", "the call was cancelled"));
    if (call.signal?.aborted === true) onAbort();
    else call.signal?.addEventListener("abort", onAbort, { once: true });
  });
  try {
    const own = { signal: ending.signal, ...(call.onProgress === undefined ? {} : { onProgress: call.onProgress }) };
    // A provider may throw before it returns a promise, and may fail after nobody waits any more.
    const answer = Promise.resolve().then(() => work(own));
    answer.catch(() => undefined);
    return read(new Answer(await Promise.race([answer, ended])));
  } catch (error) {
    throw retold(error, about.path);
  } finally {
    ended.catch(() => undefined);
    clearTimeout(timer);
    call.signal?.removeEventListener("abort", onAbort);
    ending.abort();
  }
}

/** What a provider threw: one of the closed codes, in its words where they name no strange path, and in ours otherwise. */
function retold(error: unknown, path: string): QuarryError {
  const failed = new QuarryError("SEARCH_FAILED", "the sandbox failed", {}, { cause: error });
  if (typeof error !== "object" || error === null) return failed;
  try {
    const { code, message, details } = error as {
      code?: unknown;
      message?: unknown;
      details?: { engineReason?: unknown };
    };
    if (typeof code !== "string" || !Object.hasOwn(ERROR_CODES, code) || code === "INTERNAL") return failed;
    const known = code as ErrorCode;
    const words = usable(message, path) ?? `${quote(path)}: ${ERROR_CODES[known].meaning}`;
    const engineReason = usable(details?.engineReason, path);
    return new QuarryError(known, words, engineReason === null ? {} : { engineReason }, { cause: error });
  } catch {
    return failed; // An object whose properties cannot even be read.
  }
}

function usable(text: unknown, path: string): string | null {
  if (typeof text !== "string" || text === "") return null;
  const words = oneLine(text, MAX_NOTE);
  return namesStrangePath(words, path) ? null : words;
}
