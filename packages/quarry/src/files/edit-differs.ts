/** A way in which two lines may differ that a reader hardly sees. */
interface Difference {
  /** How it is told, for a line of the file and one of old_str that differ in it. */
  readonly name: (file: string, old: string) => string;
  /** Takes the difference away. */
  readonly level: (line: string) => string;
}

const INDENT = /^[\t ]+/;

/** In the order in which they are told. Spaces are levelled one kind at a time, so that each can be told apart. */
const DIFFERENCES: readonly Difference[] = [
  {
    name: (file, old) => `indentation (${indent(file)} in the file, ${indent(old)} in old_str)`,
    level: (line) => line.replace(INDENT, ""),
  },
  { name: () => "blanks at the end of the line", level: (line) => line.trimEnd() },
  {
    name: () => "the kind or number of blanks inside",
    level: (line) => line.replace(/(?<=\S)[\t \u00a0\u2000-\u200a\u202f\u3000]+(?=\S)/g, " "),
  },
  {
    name: () => "quotes (typographic and plain ones)",
    level: (line) => line.replace(/[\u2018\u2019\u201a\u201b`´]/g, "'").replace(/[\u201c-\u201f«»]/g, '"'),
  },
  {
    name: () => "dashes or dots (typographic and plain ones)",
    level: (line) => line.replace(/[\u2010-\u2015\u2212]/g, "-").replace(/\u2026/g, "..."),
  },
  { name: () => "letter case", level: (line) => line.toLowerCase() },
  { name: () => "the Unicode form of accents", level: (line) => line.normalize("NFC") },
  { name: () => "invisible characters", level: (line) => line.replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, "") },
];

/** How a line of old_str lies on a line of the file: its first line may begin, and its last one end, inside a line. */
export type Fit = "inside" | "end" | "whole" | "start";

/** True where the line of old_str fits as it stands. */
export function fits(file: string, old: string, fit: Fit): boolean {
  if (fit === "whole") return file === old;
  if (fit === "start") return file.startsWith(old);
  return fit === "end" ? file.endsWith(old) : file.includes(old);
}

/** A line with everything levelled that a reader hardly sees, blanks left out. */
export function levelled(line: string): string {
  let out = line;
  if (/[^\x20-\x7e]|`/.test(out)) for (const d of DIFFERENCES) out = d.level(out);
  return out.toLowerCase().replace(/\s+/g, "");
}

/**
 * What keeps a line of old_str from fitting: the differences without which it would, in words; null where it is something
 * else than what is levelled here.
 */
export function hiddenDifference(file: string, old: string, fit: Fit): string | null {
  const level = (line: string, but: Difference | null): string =>
    DIFFERENCES.reduce((text, d) => (d === but ? text : d.level(text)), line);
  if (!fits(level(file, null), level(old, null), fit)) return null;
  const needed = DIFFERENCES.filter((d) => !fits(level(file, d), level(old, d), fit));
  return needed.length === 0 ? null : needed.map((d) => d.name(file, old)).join(" and ");
}

/** The first code point, from 1, in which two lines differ. */
export function firstDifference(a: string, b: string): number {
  const x = [...a];
  const y = [...b];
  let at = 0;
  while (at < x.length && x[at] === y[at]) at += 1;
  return at + 1;
}

function indent(line: string): string {
  const found = INDENT.exec(line)?.[0] ?? "";
  const tabs = found.split("\t").length - 1;
  const spaces = found.length - tabs;
  const parts = [
    tabs > 0 && `${tabs} ${tabs === 1 ? "tab" : "tabs"}`,
    spaces > 0 && `${spaces} ${spaces === 1 ? "space" : "spaces"}`,
  ];
  return parts.filter((part) => part !== false).join(" and ") || "none";
}
