import type { GlobValue, LsValue } from "../../search/values.js";
import { completeResult, everythingLeftOut, incompleteLine, leftOut, plural, thousands } from "./coverage-text.js";

/** The text of a glob answer: a headline, then a path a line. */
export function globText(value: GlobValue): string {
  const lines: string[] = [];
  const incomplete = incompleteLine(value.coverage);
  if (incomplete !== null) lines.push(incomplete);
  const total = plural(value.total, "path");
  lines.push(value.truncated && value.shown > 0 ? `${thousands(value.shown)} of ${total}` : total);
  if (value.total === 0) {
    lines[lines.length - 1] += ` match among ${plural(value.coverage.filesSearched, "file")}.`;
    const out = everythingLeftOut(value.coverage);
    if (out !== null) lines.push(out);
    lines.push(...value.notes);
  }
  lines.push(...value.paths.map(pathLine));
  if (value.shown === 0 && value.total > 0) lines.push("(Nothing here: the offset is past the end.)");
  if (value.truncated) {
    lines.push(`(More: offset=${value.nextOffset}.${completeResult(value)})`);
  }
  if (value.total > 0) {
    const out = leftOut(value.coverage);
    if (out !== null) lines.push(out);
    lines.push(...value.notes.map((note) => `(${note})`));
  }
  return lines.join("\n");
}

/** A path that could be taken for a note gets `./` in front, which every tool accepts. */
function pathLine(path: string): string {
  return path.startsWith("(") ? `./${path}` : path;
}

/** The text of an ls answer: the folder, then an entry a line; what grep and glob leave out is marked. */
export function lsText(value: LsValue): string {
  const lines = [`${value.path}: ${plural(value.total, "entry", "entries")}`];
  for (const entry of value.entries) {
    const mark = entry.kind === "link" ? " (link)" : entry.kind === "special" ? " (special)" : "";
    lines.push(`${entry.path}${mark}${entry.ignored === true ? " (ignored)" : ""}`);
  }
  if (value.truncated) lines.push(`(Showing ${value.shown} of ${value.total}. Give a deeper path, or use glob.)`);
  lines.push(...value.notes.map((note) => `(${note})`));
  return lines.join("\n");
}
