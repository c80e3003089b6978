import type { AuditSummary, SummaryCall } from "./summary.js";

/** The summary for a person. */
export function summaryText(summary: AuditSummary): string {
  const { calls, broken, from, to } = summary;
  const span = from === null || to === null ? "" : `, ${from} to ${to}`;
  const head = `${calls} ${calls === 1 ? "call" : "calls"}${span}${broken === 0 ? "" : `; ${broken} ${broken === 1 ? "line is" : "lines are"} no event`}`;
  return [
    head,
    ...section(
      "Tools",
      table(
        ["tool", "calls", "empty", "incomplete", "cut", "cancelled", "errors", "bytes", "median ms", "slowest ms"],
        summary.tools.map((t) => [
          t.tool,
          t.calls,
          t.empty,
          t.incomplete,
          t.cut,
          t.cancelled,
          t.errors,
          t.bytes,
          t.medianMs,
          t.slowestMs,
        ]),
      ),
    ),
    ...section(
      "Slowest",
      summary.slowest.map((c) => `${c.elapsedMs} ms  ${call(c)}`),
    ),
    ...section(
      "Most often empty",
      summary.emptiest.map((e) => `${e.times}x  ${printable(e.tool)} ${quoted(e.pattern)}`),
    ),
    ...section(
      "Most cut",
      summary.mostCut.map((c) => `${c.shown} of ${c.matches} shown  ${call(c)}`),
    ),
    ...section(
      "Errors",
      summary.errors.map((e) => `${e.times}x  ${printable(e.code)}`),
    ),
  ].join("\n");
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", title, ...lines.map((line) => `  ${line}`)];
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] {
  if (rows.length === 0) return [];
  const cells = [head, ...rows.map((row) => row.map((cell) => printable(String(cell))))];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => (row[column] as string).length)));
  return cells.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] as number) : cell.padStart(widths[i] as number))).join("  "),
  );
}

function call({ tool, query, where }: SummaryCall): string {
  const pattern = typeof query["pattern"] === "string" ? ` ${quoted(query["pattern"])}` : "";
  return `${printable(tool)}${pattern}${where.length === 0 ? "" : ` in ${where.map(printable).join(", ")}`}`;
}

function quoted(text: string): string {
  return printable(JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}...` : text));
}

/** Nothing that a terminal would take as a command, and nothing that turns the text around. */
function printable(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are the very subject
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
