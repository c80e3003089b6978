import type { ReadValue } from "../../files/read.js";
import { plural } from "./coverage-text.js";

/**
 * The text of a read answer: a headline with the version, the lines, then what else is to be known, in parentheses.
 *
 * A line is its number, right-aligned over the lines shown, one TAB, and the content as it stands (`cat -n`, the form that
 * models have seen most). Nothing else begins with a number and a TAB, so that neither a headline nor a note can be taken
 * for content, and what is behind the first TAB can be copied into an edit byte for byte, its own tabs included. The width is
 * that of the last number, since fixed padding would be paid for on every line.
 */
export function readText(value: ReadValue): string {
  const lines = [`${headline(value)}, version ${value.version}`];
  const width = String(value.endLine).length;
  for (const { line, text, clipped, lineBytes } of value.lines) {
    const cut = clipped === true ? ` […cut: the line has ${(lineBytes ?? 0).toLocaleString("en-US")} bytes]` : "";
    lines.push(`${String(line).padStart(width)}\t${text.replaceAll("\0", "␀")}${cut}`);
  }
  if (value.nextStartLine !== undefined) lines.push(`(More: start_line=${value.nextStartLine}.)`);
  lines.push(...value.notes.map((note) => `(${note})`));
  return lines.join("\n");
}

function headline(value: ReadValue): string {
  const { path, binary, totalLines, startLine, endLine } = value;
  if (binary !== undefined) {
    const pixels = binary.width === undefined ? "" : `, ${binary.width}×${binary.height} pixels`;
    return `${path}: ${binary.kind}${pixels}, ${readableBytes(value.bytes)}; not text, so there are no lines to show`;
  }
  const total = plural(totalLines, "line");
  if (value.lines.length === 0 || (startLine === 1 && endLine === totalLines)) return `${path}: ${total}`;
  return `${path}: ${startLine === endLine ? `line ${startLine}` : `lines ${startLine}-${endLine}`} of ${totalLines}`;
}

/** `940 bytes`, `1.2 KB`, `3.4 MB` (powers of 1,000). */
function readableBytes(bytes: number): string {
  if (bytes < 1_000) return plural(bytes, "byte");
  const units = ["KB", "MB", "GB", "TB"];
  let value = bytes / 1_000;
  let unit = 0;
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${value.toFixed(1)} ${units[unit]}`;
}
