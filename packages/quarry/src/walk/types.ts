import { QuarryError } from "../errors/errors.js";
import { expandBraces } from "./braces.js";
import { readPattern } from "./pattern.js";
import { RuleSet } from "./rule-set.js";
import { TYPE_GLOBS } from "./type-table.js";

export interface TypeRules {
  /** To be asked about base names; null where no type is set. */
  readonly rules: RuleSet | null;
  readonly notes: readonly string[];
}

/** One or several dotted parts: `ts`, `d.ts`, `tar.gz`. */
const EXTENSION = /^[A-Za-z0-9_+-]{1,20}(?:\.[A-Za-z0-9_+-]{1,20}){0,2}$/;

/**
 * File types of a query: ripgrep's type names (`ts`, `py`, `make`) and plain extensions (`tsx`, `.tsx`, `*.tsx`). An empty string
 * counts as not given.
 * @throws QuarryError INVALID_ARGUMENT for what is neither, with near names.
 */
export function typeRules(types: readonly string[]): TypeRules {
  const asked = types.map((t) => t.trim()).filter((t) => t !== "");
  if (asked.length === 0) return { rules: null, notes: [] };
  const rules = new RuleSet();
  const notes: string[] = [];
  let rule = 0;
  for (const type of asked) {
    for (const glob of globsOf(type, notes)) {
      for (const text of expandBraces(glob))
        rules.add(rule++, readPattern(text, { plainToo: false, gitStars: false, anchored: false }).pattern);
    }
  }
  return { rules, notes };
}

function globsOf(type: string, notes: string[]): readonly string[] {
  const named = byName(type) ?? byName(type.toLowerCase());
  if (named !== null) return named;
  const extension = type.replace(/^\*?\./, "");
  if (!EXTENSION.test(extension)) {
    const near = nearTypes(extension);
    throw new QuarryError(
      "INVALID_ARGUMENT",
      `${JSON.stringify(type.slice(0, 100))} is neither a file type nor an extension${near.length > 0 ? `; near are ${near.join(", ")}` : ""}`,
      {
        argument: "type",
        nearNames: near,
        remedy: "Give a ripgrep type name such as ts, py, cpp, or a plain extension such as tsx.",
      },
    );
  }
  const glob = `*.${extension}`;
  if (!type.startsWith(".") && !type.startsWith("*") && !knownGlobs().has(glob)) {
    const near = nearTypes(extension);
    notes.push(
      `${JSON.stringify(type)} is no file type that ripgrep knows: it was taken for the extension .${extension}` +
        (near.length > 0 ? ` (types with a near name: ${near.join(", ")})` : ""),
    );
  }
  return [glob];
}

function byName(type: string): readonly string[] | null {
  return Object.hasOwn(TYPE_GLOBS, type) ? (TYPE_GLOBS[type] as readonly string[]) : null;
}

let known: Set<string> | null = null;
function knownGlobs(): Set<string> {
  known ??= new Set(Object.values(TYPE_GLOBS).flat());
  return known;
}

/** At most 5 type names that begin alike or differ in few letters, best first. */
function nearTypes(type: string): string[] {
  const wanted = type.toLowerCase().slice(0, 40);
  return Object.keys(TYPE_GLOBS)
    .map((name) => ({ name, far: farness(wanted, name) }))
    .filter(({ far, name }) => far <= Math.max(1, Math.floor(name.length / 3)))
    .sort((a, b) => a.far - b.far || b.name.length - a.name.length || (a.name < b.name ? -1 : 1))
    .slice(0, 5)
    .map(({ name }) => name);
}

function farness(wanted: string, name: string): number {
  if (wanted.length > 1 && name.startsWith(wanted)) return 0.5;
  return name.length > 3 && wanted.startsWith(name) ? 1 : distance(wanted, name);
}

/** Edits that lead from one word to the other (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
