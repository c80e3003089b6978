import type {
  GlobFound,
  GrepFound,
  Listed,
  ReadText,
  ReplacedText,
  SearchFacts,
  SkipReason,
  Skipped,
  WrittenFile,
} from "../../sandbox/sandbox.js";
import { MAX_FILE_BYTES, MAX_LINE_CHARS } from "./limits.js";

/** `Found 3 paths under <root>` and the numbered paths. */
export function globText(root: string, found: GlobFound): string {
  const n = found.paths.length;
  if (n === 0) return lines(`No files matched under ${root}`, ...remarks(found));
  return lines(
    `Found ${n} paths under ${root}${found.truncated ? ` (showing first ${n})` : ""}`,
    ...found.paths.map((path, i) => `${i + 1}. ${path}`),
    ...remarks(found),
    ...(found.truncated ? ["Results truncated. Narrow the path or pattern to see fewer matches."] : []),
  );
}

/** `Found 4 matches under <root>` and a line for each. */
export function grepText(root: string, found: GrepFound): string {
  const n = found.matches.length;
  if (n === 0) return lines(`No matches found under ${root}`, ...remarks(found));
  return lines(
    `Found ${n} matches under ${root}${found.truncated ? ` (showing first ${n})` : ""}`,
    ...found.matches.map(({ path, lineNumber, line }) => `${path}:${lineNumber}: ${line}`),
    ...remarks(found),
    ...(found.truncated ? ["Results truncated. Narrow the path or add a glob filter."] : []),
  );
}

/** `Found 2 entries under <root>`; folders end in a slash. */
export function listText(root: string, listed: Listed): string {
  const n = listed.entries.length;
  if (n === 0) return lines(`No entries found under ${root}`, ...remarks(listed));
  return lines(
    `Found ${n} entries under ${root}${listed.truncated ? ` (showing first ${n})` : ""}`,
    ...listed.entries.map(({ path, kind }) => (kind === "directory" && !path.endsWith("/") ? `${path}/` : path)),
    ...remarks(listed),
    ...(listed.truncated ? ["Results truncated. Use glob with a pattern to see fewer entries."] : []),
  );
}

/** The lines as they stand; where not all of the file is shown, or there is something to say of it, a line in parentheses. */
export function readText(read: ReadText): string {
  const { startLine, endLine, totalLines } = read;
  const more = endLine < totalLines ? `; start_line ${endLine + 1} goes on` : "";
  const part =
    endLine >= startLine && (startLine > 1 || endLine < totalLines)
      ? [`lines ${startLine}-${endLine} of ${totalLines}${more}`]
      : [];
  const about = [...part, ...read.notes];
  if (endLine < startLine) return about.length === 0 ? "(empty)" : `(${about.join("; ")})`;
  return about.length === 0 ? read.text : `${read.text}\n(${about.join("; ")})`;
}

export function writeText(path: string, append: boolean, written: WrittenFile): string {
  const what = written.created ? "Created" : append ? "Appended to" : "Wrote";
  return lines(`OK: ${what} ${path}`, ...written.notes);
}

export function replaceText(path: string, replaced: ReplacedText): string {
  const n = replaced.replacements;
  return lines(`OK: Replaced ${n} ${n === 1 ? "place" : "places"} in ${path}`, ...replaced.notes);
}

/** What stands behind the results: the notes, and one line for everything that was skipped. */
function remarks(facts: SearchFacts): string[] {
  const skipped = skippedText(facts.skipped);
  return [...facts.notes, ...(skipped === null ? [] : [skipped])];
}

/** How many of what, for each reason. */
const SKIPS: Readonly<Record<SkipReason, readonly [one: string, many: string]>> = {
  binary: ["binary file that matches", "binary files that match"],
  tooLarge: [
    `matching file over ${number(MAX_FILE_BYTES)} bytes`,
    `matching files over ${number(MAX_FILE_BYTES)} bytes`,
  ],
  longLines: [
    `matching line over ${number(MAX_LINE_CHARS)} characters`,
    `matching lines over ${number(MAX_LINE_CHARS)} characters`,
  ],
  links: ["symbolic link", "symbolic links"],
  special: ["special file", "special files"],
  unreadable: ["unreadable file or folder", "unreadable files or folders"],
  denied: ["denied path", "denied paths"],
  disabled: ["disabled folder", "disabled folders"],
  changed: ["line that changed meanwhile", "lines that changed meanwhile"],
  outside: ["result that was not part of the question", "results that were not part of the question"],
  ignored: ["entry left out by name", "entries left out by name"],
};

/** The line that tells what was skipped; null where that is nothing. */
export function skippedText(skipped: Skipped): string | null {
  const parts: string[] = [];
  for (const [reason, [one, many]] of Object.entries(SKIPS)) {
    const count = skipped[reason as SkipReason] ?? 0;
    if (count > 0) parts.push(`${number(count)} ${count === 1 ? one : many}`);
  }
  return parts.length === 0 ? null : `Skipped: ${parts.join(", ")}.`;
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}

function lines(...all: string[]): string {
  return all.join("\n");
}
