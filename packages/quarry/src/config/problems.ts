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
  const lines = [...new Set(sorted.map(({ line, text }) => `${file}:${line}: ${text}`))];
  const told = lines.slice(0, MAX_TOLD);
  const more = lines.length > told.length ? [`and ${lines.length - told.length} more`] : [];
  const head = lines.length === 1 ? [] : [`${file} has ${lines.length} problems`];
  return new QuarryError("CONFIG_INVALID", [...head, ...told, ...more].join("\n"));
}

/** A value of the file in a sentence. */
export function shown(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "empty";
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
