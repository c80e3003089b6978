import { fromHostBytes, type RelPath } from "../../paths/path.js";
import { TIMES_BEGIN, TIMES_END } from "./command.js";
import { SearchFailure } from "./errors.js";

/** A file as ripgrep printed it. */
export interface ListedFile {
  readonly path: string;
  /** Seconds of the last modification with nine digits behind the point; null where the system did not tell. */
  readonly time: string | null;
}

const TIME = /^-?\d+\.\d{9}$/;

/**
 * Reads the output of the list command.
 * @throws SearchFailure SEARCH_FAILED where it ends early or holds something else.
 */
export function parseList(stdout: string): ListedFile[] {
  if (stdout === "") return [];
  // Whoever answers without NUL answers with lines.
  const records = stdout.split(stdout.includes("\0") ? "\0" : "\n").filter((record) => record !== "");
  if (records[0] !== TIMES_BEGIN) return records.map((path) => ({ path, time: null }));
  if (records.at(-1) !== TIMES_END) throw new SearchFailure("SEARCH_FAILED", "glob got a list that ends early");
  return records.slice(1, -1).map((record) => {
    const at = record.indexOf("/");
    const time = record.slice(0, at);
    if (!TIME.test(time)) throw new SearchFailure("SEARCH_FAILED", "glob got a list that makes no sense");
    return { path: record.slice(at + 1), time };
  });
}

/** One matching line as ripgrep reported it. */
export interface MatchRecord {
  readonly path: string;
  readonly lineNumber: number;
  /** Without its line end. */
  readonly line: string;
  /** Bytes of path or line are not UTF-8 and were replaced by U+FFFD. */
  readonly lossy: boolean;
  /** The path with its bytes. */
  readonly name: RelPath;
  /** The line's bytes, where they are not those of `line`. */
  readonly bytes: Buffer | null;
}

/**
 * Reads ripgrep's JSON records; only those of type `match` count.
 * @throws SearchFailure SEARCH_FAILED for a line that is no JSON, or a match without path, line number or text.
 */
export function parseMatches(stdout: string): MatchRecord[] {
  const found: MatchRecord[] = [];
  for (const line of stdout.split("\n")) {
    if (line === "") continue;
    const record = parseJson(line);
    if (isObject(record) && record["type"] === "match") found.push(readMatch(record["data"]));
  }
  return found;
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw malformed("a line that is no JSON", { cause: error });
  }
}

function readMatch(data: unknown): MatchRecord {
  if (!isObject(data)) throw malformed("a match without data");
  const path = readText(data["path"]);
  if (path === null) throw malformed("a match without a path");
  const lineNumber = data["line_number"];
  if (typeof lineNumber !== "number") throw malformed("a match without a line number");
  const line = readText(data["lines"]);
  if (line === null) throw malformed("a match without its text");
  return {
    path: path.text,
    name: path.bytes === null ? path.text : fromHostBytes(path.bytes),
    lineNumber,
    line: line.text.replace(LINE_END, ""),
    bytes: line.bytes === null ? null : withoutLineEnd(line.bytes),
    lossy: path.bytes !== null || line.bytes !== null,
  };
}

const LINE_END = /\r?\n$/;

function withoutLineEnd(bytes: Buffer): Buffer {
  if (bytes.at(-1) !== 10) return bytes;
  return bytes.subarray(0, bytes.length - (bytes.at(-2) === 13 ? 2 : 1));
}

/** `{ text }`, or `{ bytes }` in base64 where they are not UTF-8; null for anything else. */
function readText(value: unknown): { readonly text: string; readonly bytes: Buffer | null } | null {
  if (!isObject(value)) return null;
  if (typeof value["text"] === "string") return { text: value["text"], bytes: null };
  if (typeof value["bytes"] !== "string") return null;
  const bytes = Buffer.from(value["bytes"], "base64");
  return { text: bytes.toString("utf8"), bytes };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function malformed(what: string, options?: ErrorOptions): SearchFailure {
  return new SearchFailure("SEARCH_FAILED", `grep got output from ripgrep that makes no sense: ${what}`, options);
}
