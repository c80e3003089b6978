import type { LineQuery } from "../../search/query.js";

/**
 * Bytes of a line after which ripgrep cuts what it prints. A prefix of this length is compared with the file; the line that
 * is shown is read again.
 */
export const PRINT_BYTES = 1_000;

/**
 * How ripgrep is to print: lines with line, column and byte offset, the same without the column, or JSON records. All fields
 * end in NUL, which no text before them holds: a line for which ripgrep finds no match again (`$` before odd line ends) has no column.
 */
export type OutputForm = "plain" | "plain-without-column" | "json";

/**
 * ripgrep's arguments for a question, without the places. Every choice is explicit: no configuration file, no ignore rules, no
 * heuristics by the kind of place.
 *
 * `--no-mmap`: with mapped files the treatment of NUL bytes is another one.
 */
export function searchArguments(query: LineQuery, form: OutputForm): string[] {
  const args = [
    "--no-config",
    "--color=never",
    "--no-ignore",
    "--hidden",
    query.textRule === undefined ? "--binary" : "--text",
    query.bare === true ? "--no-crlf" : "--crlf",
    "--no-mmap",
    "--threads=1",
    "--sort=path",
    query.case === "sensitive" ? "--case-sensitive" : query.case === "insensitive" ? "--ignore-case" : "--smart-case",
  ];
  if (query.literal) args.push("--fixed-strings");
  if (query.multiline) args.push("--multiline");
  if (query.pcre2) args.push("--pcre2");
  if (query.encoding !== null) args.push(`--encoding=${query.encoding}`);
  if (form === "json") args.push("--json");
  else {
    args.push(
      "--with-filename",
      "--line-number",
      "--byte-offset",
      "--null",
      "--no-heading",
      "--field-match-separator=\\x00",
    );
    args.push(`--max-columns=${PRINT_BYTES}`, "--max-columns-preview");
    if (form === "plain") args.push("--column");
  }
  args.push("-e", query.pattern, "--");
  return args;
}

/** All that a searcher gets to see of the environment: nothing, except what Windows needs to start a program. */
export function searchEnvironment(): NodeJS.ProcessEnv {
  const root = process.platform === "win32" ? process.env["SystemRoot"] : undefined;
  return root === undefined ? {} : { SystemRoot: root };
}
