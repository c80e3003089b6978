import { firstDifference, fits, hiddenDifference, levelled, type Fit } from "./edit-differs.js";

/** What is looked at to name the nearest line: a bound on time, for large files and texts. */
const FILE_LINES = 50_000;
const FILE_CHARACTERS = 4_000_000;
const LINE_CHARACTERS = 10_000;
const OLD_LINES = 40;
const SIMILAR_LINES = 20_000;
const SHOWN = 160;
/** Lines that are nothing but a bracket say little: what is alike must weigh more than this. */
const ENOUGH = 6;
/** Of the pairs of characters of two lines, how many they share. */
const SIMILAR = 0.5;

/**
 * Why a text that was to be replaced is not there, in one or two sentences: what would be found in its stead, or the nearest
 * line and what differs. It only explains; nothing is ever replaced by likeness.
 * @param text the file's text, with its own line ends.
 */
export function explainAbsence(text: string, old: string): string {
  if (text === "") return "The file is empty.";
  return wouldBeFound(text, old) ?? nearest(text, old);
}

/** Mistakes in the whole of old_str. Each is told only where mending it finds the text. */
const MENDED: readonly { readonly mend: (old: string) => string; readonly says: string }[] = [
  {
    mend: (old) => old.replace(/\r\n?/g, "\n"),
    says: "old_str ends its lines with CR LF (or CR); the file ends them with LF",
  },
  {
    mend: (old) =>
      old
        .replace(/\\n/g, "\n")
        .replace(/\\t/g, "\t")
        .replace(/\\(["'\\])/g, "$1"),
    says: "old_str holds a backslash and a letter (such as \\n) where the file has the character itself",
  },
  {
    mend: (old) => old.replace(/\n/g, "\\n"),
    says: "old_str holds a line break where the file has a backslash and an n",
  },
  {
    mend: (old) => old.replace(/^ *\d+(?:\t|→|\||: ?)/gm, ""),
    says: "old_str holds the line numbers of the display, which are not in the file",
  },
  {
    mend: withoutEmptyEnds,
    says: "old_str begins or ends with an empty line that is not there in the file",
  },
  {
    mend: (old) => old.replace(/^\ufeff/, ""),
    says: "old_str begins with a byte order mark, which is not part of the file's text",
  },
];

/** Without lines at either end that hold nothing but blanks. */
function withoutEmptyEnds(old: string): string {
  const begun = old.replace(/^\s*\n/, "");
  const kept = begun.trimEnd();
  return begun.slice(kept.length).includes("\n") ? kept : begun;
}

function wouldBeFound(text: string, old: string): string | null {
  const plain = text.replace(/\r\n/g, "\n");
  for (const { mend, says } of MENDED) {
    const mended = mend(old);
    if (mended === "" || mended === old) continue;
    const at = plain.indexOf(mended);
    if (at !== -1) return `${says}; without that it would be found at line ${plain.slice(0, at).split("\n").length}.`;
  }
  return null;
}

function nearest(text: string, old: string): string {
  const lines = firstLines(text.slice(0, FILE_CHARACTERS), FILE_LINES);
  const wanted = firstLines(old.slice(0, FILE_CHARACTERS), OLD_LINES);
  const best = bestPlace(lines, wanted);
  if (best === null) {
    const similar = mostSimilar(lines, longest(wanted));
    if (similar === null) return "No line of the file is close to it.";
    const asked = longest(wanted);
    return describe(lines, similar, asked, wanted.length === 1 ? "inside" : "whole");
  }
  const j = wanted.findIndex((line, k) => !fits(lines[best + k] ?? "", line, fitOf(k, wanted.length)));
  // All of the lines that were looked at fit: the difference lies behind them.
  if (j === -1) return `Its first ${wanted.length} lines stand at line ${best + 1}; what follows them differs.`;
  const before = j === 0 ? "" : `Its first ${j === 1 ? "line stands" : `${j} lines stand`} at line ${best + 1}. `;
  if (best + j >= lines.length) return `${before}The file ends there, and old_str goes on.`;
  return before + describe(lines, best + j, wanted[j] as string, fitOf(j, wanted.length));
}

function firstLines(text: string, count: number): string[] {
  return text.split(/\r?\n/, count).map((line) => line.slice(0, LINE_CHARACTERS));
}

function describe(lines: readonly string[], at: number, asked: string, fit: Fit): string {
  const line = lines[at] as string;
  const hidden = hiddenDifference(line, asked, fit);
  const bytes = line.includes("\ufffd")
    ? " The file's line holds bytes that are not valid text, shown as U+FFFD: leave them out of old_str."
    : "";
  const what =
    hidden === null ? `which differs from column ${firstDifference(line, asked)} on` : `which differs in ${hidden}`;
  return `The nearest line is ${at + 1}, ${what}: the file has ${shown(line)}, old_str has ${shown(asked)}.${bytes}`;
}

function fitOf(k: number, count: number): Fit {
  if (count === 1) return "inside";
  return k === 0 ? "end" : k === count - 1 ? "start" : "whole";
}

/** The line of the file at which most of the wanted lines fit, levelled ones counting less; null where hardly any does. */
function bestPlace(lines: readonly string[], wanted: readonly string[]): number | null {
  const flat = lines.map(levelled);
  const flatWanted = wanted.map(levelled);
  const weights = flatWanted.map((line) => Math.min(line.length, 40));
  let best: number | null = null;
  let bestScore = ENOUGH;
  for (let i = 0; i < lines.length; i++) {
    let score = 0;
    for (let k = 0; k < wanted.length && i + k < lines.length; k++) {
      const fit = fitOf(k, wanted.length);
      const weight = weights[k] as number;
      if (weight === 0 || !fits(flat[i + k] as string, flatWanted[k] as string, fit)) continue;
      score += weight * (fits(lines[i + k] as string, wanted[k] as string, fit) ? 3 : 2);
    }
    if (score > bestScore) {
      bestScore = score;
      best = i;
    }
  }
  return best;
}

/** The line that shares most pairs of characters with `asked`; null where none shares half of them. */
function mostSimilar(lines: readonly string[], asked: string): number | null {
  const wanted = pairs(asked);
  if (wanted.size === 0) return null;
  let best: number | null = null;
  let bestShare = SIMILAR;
  for (let i = 0; i < Math.min(lines.length, SIMILAR_LINES); i++) {
    const here = pairs(lines[i] as string);
    let shared = 0;
    for (const pair of here) if (wanted.has(pair)) shared += 1;
    const share = (2 * shared) / (here.size + wanted.size);
    if (share > bestShare) {
      bestShare = share;
      best = i;
    }
  }
  return best;
}

function pairs(line: string): Set<string> {
  const flat = levelled(line.slice(0, 400));
  const out = new Set<string>();
  for (let i = 0; i + 1 < flat.length; i++) out.add(flat.slice(i, i + 2));
  return out;
}

function longest(lines: readonly string[]): string {
  return lines.reduce((a, b) => (b.trim().length > a.trim().length ? b : a), "");
}

/** Quoted, so that tabs and blanks at the end are seen. */
function shown(line: string): string {
  const points = [...line.slice(0, SHOWN * 2)];
  return JSON.stringify(points.length > SHOWN ? `${points.slice(0, SHOWN).join("")}…` : line);
}
