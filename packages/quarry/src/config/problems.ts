import { QuarryError } from "../errors/errors.js";

/** One thing that is wrong with a configuration file. */
export interface Problem {
  /** From 1. */
  readonly line: number;
  /** What is wrong and what is accepted, without the file's name. Never a host path. */
  readonly text: string;
}

/** Problems that one error tells; a broken file can have thousands. */
const MAX_TOLD = 50;

/** All problems as one error, in the order of their lines. @param file the file's name, without its folder. */
export function configError(file: string, problems: readonly Problem[]): QuarryError {
  const sorted = problems.toSorted((a, b) => a.line - b.line);
  const lines = [...new Set(sorted.map(({ line, text }) => `${file}:${line}: ${oneLine(text)}`))];
  const told = lines.slice(0, MAX_TOLD);
  const more = lines.length > told.length ? [`and ${lines.length - told.length} more`] : [];
  const head = lines.length === 1 ? [] : [`${file} has ${lines.length} problems`];
  return new QuarryError("CONFIG_INVALID", [...head, ...told, ...more].join("\n"));
}

/** Characters that end a line or turn it around are written as escapes: a key of the file is no line of its own. */
function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are the very subject
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]/g, (c) => {
    return `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** A value of the file in a sentence. */
export function shown(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "empty";
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
