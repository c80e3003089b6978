import { BINARY_HEAD_BYTES } from "../../files/decode.js";
import type { BashResult } from "../../executors/executor.js";
import type { RelPath } from "../../paths/path.js";
import type { IncompleteReason } from "../../search/coverage.js";
import type { LineHit } from "../../search/engine.js";
import type { LineQuery } from "../../search/query.js";
import type { Mount } from "../../workspace/mount.js";
import { mask, questionError } from "../ripgrep/explain.js";
import { JsonReader } from "../ripgrep/json.js";
import { LEFT_OUT } from "./command.js";

/** What one command found. */
export interface RunOutcome {
  readonly files: readonly { readonly path: RelPath; readonly hits: readonly LineHit[] }[];
  readonly binary: number;
  readonly unreadable: readonly RelPath[];
  readonly problem: { readonly reason: IncompleteReason; readonly words: string | null } | null;
}

/** The system's words on one file. */
const PER_PATH = /^(?:rg: )?\.\/(.*): .+ \(os error \d+\)$/;

/**
 * Reads how a command ended and what it printed.
 * @param paths the files it was given, in order.
 * @returns null where its output was cut: then fewer files are to be asked at once.
 * @throws QuarryError INVALID_PATTERN, INVALID_ARGUMENT where ripgrep does not take the question.
 */
export function readOutcome(
  result: BashResult,
  query: LineQuery,
  paths: readonly RelPath[],
  mount: Mount,
): RunOutcome | null {
  const lost = new Set<RelPath>();
  const others: string[] = [];
  for (const line of result.stderr.text.split("\n")) {
    if (line.startsWith(LEFT_OUT)) lost.add(paths[Number(line.slice(LEFT_OUT.length))] ?? "");
    else {
      const path = PER_PATH.exec(line)?.[1];
      if (path !== undefined && paths.includes(path)) lost.add(path);
      else if (line !== "") others.push(line);
    }
  }
  const messages = others.join("\n");
  if (result.exitCode === 2) {
    const error = questionError(messages.startsWith("rg: ") ? messages : `rg: ${messages}`, query);
    if (error !== null) throw error;
  }
  if (result.stdout.truncated) return null;
  const index = new Map(paths.map((path, at) => [`./${path}`, at]));
  const reader = new JsonReader((printed) => index.get(printed));
  const found = [...reader.push(Buffer.from(result.stdout.text, "utf8")), ...reader.end()];
  const files = [];
  let binary = 0;
  let behindNul = false;
  for (const { index: at, hits, nul } of found) {
    if (nul !== null && nul < BINARY_HEAD_BYTES) binary += 1;
    else {
      const before = nul === null ? hits : hits.filter((hit) => hit.offset !== undefined && hit.offset < nul);
      // What lies behind a late NUL was not all searched as lines: whether something matches there is not known.
      behindNul ||= nul !== null;
      if (before.length > 0) files.push({ path: paths[at] as RelPath, hits: before });
    }
  }
  const words = failureOf(result, reader, messages, mount);
  const problem =
    words !== null
      ? { reason: "engine" as const, words }
      : lost.size > 0
        ? { reason: "unreadable" as const, words: null }
        : null;
  return {
    files,
    binary,
    unreadable: [...lost],
    problem: problem ?? (behindNul ? { reason: "nul-byte", words: null } : null),
  };
}

/** Why the command did not do its work; null where it did. */
function failureOf(result: BashResult, reader: JsonReader, messages: string, mount: Mount): string | null {
  const { exitCode, signal } = result;
  if (signal !== null || exitCode === null) return `ripgrep was ended by ${signal ?? "an unknown cause"}`;
  if (exitCode === 127 || exitCode === 126) return "the shell cannot run ripgrep (rg)";
  if (reader.broken !== null) return `ripgrep's output cannot be understood: ${reader.broken}`;
  if (reader.tooLong.size > 0) return "a match on a line of more than 16 MiB is not shown";
  if (exitCode === 0 && reader.records === 0) return "ripgrep reported a match and printed none";
  if (exitCode === 1 && reader.records > 0) return "ripgrep printed matches and reported none";
  if (exitCode > 2) return `the search ended with status ${exitCode}`;
  if (messages !== "" && exitCode === 2)
    return `ripgrep: ${mask(messages.split("\n", 1)[0]?.replace(/^rg: /, "") ?? "", [mount])}`;
  return null;
}
