import { spawn } from "node:child_process";
import { searchArguments, searchEnvironment } from "../engines/ripgrep/arguments.js";
import { findBinary } from "../engines/ripgrep/binary.js";
import type { LineQuery } from "../search/query.js";
import { paint } from "./terminal.js";

/** A line of a grep text that shows a match or its context: number, separator, text. */
const SHOWN_LINE = /^(\d+)([ -])(.*)$/s;

/**
 * Colours a grep text for a terminal: paths, line numbers, and the matches themselves, which ripgrep is asked for once more,
 * over the lines that are shown. Where it cannot be asked, the matches stay plain.
 */
export async function highlight(query: LineQuery, text: string): Promise<string> {
  const head = text.startsWith("INCOMPLETE") ? 2 : 1;
  const lines = text.split("\n").map((line, i) => (i < head ? line : (SHOWN_LINE.exec(line) ?? line)));
  const shown = lines.flatMap((line) => (typeof line === "string" ? [] : [line[3] as string]));
  const spans = await matchSpans(query, shown);
  let at = 0;
  return lines
    .map((line, i) => {
      if (typeof line === "string")
        return i >= head && !line.startsWith("(") && line !== "--" ? paint(true, "magenta", line) : line;
      const [, number, separator, body] = line as unknown as [string, string, string, string];
      const marked = separator === " " ? mark(body, spans.get(at) ?? []) : paint(true, "dim", body);
      at += 1;
      return `${paint(true, "green", number)}${separator}${marked}`;
    })
    .join("\n");
}

type Span = { readonly start: number; readonly end: number };

function mark(text: string, spans: readonly Span[]): string {
  const bytes = Buffer.from(text, "utf8");
  let out = "";
  let from = 0;
  for (const { start, end } of spans) {
    if (end <= start || start < from) continue;
    out += bytes.toString("utf8", from, start) + paint(true, ["bold", "red"], bytes.toString("utf8", start, end));
    from = end;
  }
  return out + bytes.toString("utf8", from);
}

/** The matches in each line, by the line's index, in bytes. */
async function matchSpans(query: LineQuery, lines: readonly string[]): Promise<Map<number, readonly Span[]>> {
  const spans = new Map<number, readonly Span[]>();
  const binary = await findBinary(null);
  if ("problem" in binary || lines.length === 0) return spans;
  const child = spawn(binary.path, [...searchArguments({ ...query, multiline: false, encoding: null }, "json"), "-"], {
    stdio: ["pipe", "pipe", "ignore"],
    env: searchEnvironment(),
    timeout: 2_000,
  });
  const parts: Buffer[] = [];
  child.stdout.on("data", (part: Buffer) => parts.push(part));
  child.stdin.on("error", () => undefined);
  child.stdin.end(lines.join("\n"));
  const ended = await new Promise<boolean>((resolve) => {
    child.on("error", () => resolve(false));
    child.on("close", () => resolve(true));
  });
  if (!ended) return spans;
  for (const record of Buffer.concat(parts).toString("utf8").split("\n")) {
    if (!record.startsWith('{"type":"match"')) continue;
    const { data } = JSON.parse(record) as { data: { line_number: number; submatches: Span[] } };
    spans.set(data.line_number - 1, data.submatches);
  }
  return spans;
}
