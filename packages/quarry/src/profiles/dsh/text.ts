import { ItemRetainer } from "../../retention/item-retainer.js";
import { TextRetainer } from "../../retention/text-retainer.js";
import { groupByPath, type GlobFound, type GrepFound, type GrepMatch } from "./search.js";
import type { DshSettings } from "./settings.js";

/** Where the complete result is, in the words of the store that keeps it. */
export interface SavedResult {
  readonly locator: string;
  /** How it can be read. */
  readonly hint: string;
}

/** The answer of glob. @param saved null where a result over the cap could not be saved; not looked at below the cap. */
export function globText(found: GlobFound, saved: SavedResult | null, settings: DshSettings): string {
  if (found.paths.length === 0) return withNotes("No files found", found.notes);
  const page = keepFirst(found.paths, settings.globMaxResults);
  const body = page.items.join("\n");
  if (!page.truncated) return withNotes(body, found.notes);
  const shown = `Showing ${page.items.length} of ${page.seen} paths.`;
  const footer =
    saved === null
      ? `(${shown} The result was capped and the complete result could not be saved; narrow pattern or path to see more.)`
      : `(${shown} Full sorted result stored at: ${saved.locator}. ${saved.hint})`;
  return withNotes(`${body}\n\n${footer}`, found.notes);
}

/** The complete result of glob as it is saved. */
export function globArtifact(found: GlobFound): string {
  return found.paths.join("\n");
}

/** The answer of grep. @param saved null where a result over the cap could not be saved; not looked at below the cap. */
export function grepText(found: GrepFound, saved: SavedResult | null, settings: DshSettings): string {
  if (found.matches.length === 0) return withNotes("No matches found", found.notes);
  const page = keepFirst(found.matches, settings.grepMaxMatches);
  const body = groups(page.items, settings);
  if (!page.truncated) return withNotes(`${total(page.seen)}\n\n${body}`, found.notes);
  const footer =
    saved === null
      ? `(Showing ${page.items.length} of ${page.seen} matches. The result was capped and the complete result could not be saved; narrow pattern, path, or include to see more.)`
      : `(Full grep result stored at: ${saved.locator}. ${saved.hint})`;
  return withNotes(`Found ${page.items.length} of ${page.seen} matches\n\n${body}\n\n${footer}`, found.notes);
}

/** The complete result of grep as it is saved: lines are cut as they are inline. */
export function grepArtifact(found: GrepFound, settings: DshSettings): string {
  return `${total(found.matches.length)}\n\n${groups(found.matches, settings)}`;
}

function keepFirst<T>(items: readonly T[], maxItems: number): ReturnType<ItemRetainer<T>["finish"]> {
  const retainer = new ItemRetainer<T>({ kind: "head", maxItems });
  for (const item of items) retainer.push(item);
  return retainer.finish();
}

function total(n: number): string {
  return `Found ${n} ${n === 1 ? "match" : "matches"}`;
}

function groups(matches: readonly GrepMatch[], settings: DshSettings): string {
  return [...groupByPath(matches)]
    .map(([path, found]) =>
      [
        path,
        ...found.map((match) => `Line ${match.lineNumber}: ${preview(match.line, settings.grepMaxLineBytes)}`),
      ].join("\n"),
    )
    .join("\n\n");
}

function preview(line: string, maxBytes: number): string {
  const retainer = new TextRetainer({ kind: "head", maxBytes });
  retainer.push(line);
  const { text, truncated, omittedBytes } = retainer.finish();
  return truncated ? `${text}… (${omittedBytes} bytes of this line cut)` : text;
}

function withNotes(text: string, notes: readonly string[]): string {
  return notes.length === 0 ? text : `${text}\n\n(${notes.join("; ")})`;
}
