import type { Change } from "./edit-changes.js";
import { lineEnds, showUnits, type UnitEncoding } from "./edit-units.js";

export interface DiffLimits {
  /** Lines of the diff. */
  readonly lines: number;
  /** Code points shown of one line. */
  readonly width: number;
}

export interface Diff {
  /** Lines joined by LF, without one at the end; `""` where nothing differs. */
  readonly text: string;
  /** True where not every changed line is shown. */
  readonly cut: boolean;
}

const CONTEXT = 3;

/** Whole lines: `[from, to)` of the old text is now `[start, end)` of the new one; lines from 0. */
interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
}

/**
 * A unified diff, made from where the changes are known to be: nothing else is compared. A CR at the end of a line is shown,
 * as `^M`, only where the two sides differ in it.
 * @param changes from `before` to `after`, ascending.
 */
export function unifiedDiff(
  encoding: UnitEncoding,
  before: string,
  after: string,
  changes: readonly Change[],
  limits: DiffLimits,
): Diff {
  const old = new LineTable(before);
  const now = new LineTable(after);
  const hunks = mergeOnOneLine(before, changes)
    .map((change) => wholeLines(change, old, now))
    .filter((h) => h.from < h.to || h.start < h.end);
  const out: string[] = [];
  let full = false;
  const push = (table: LineTable, from: number, to: number, sign: string, cr: boolean): void => {
    for (let i = from; i < to && !full; i++) {
      full = out.length >= limits.lines;
      if (!full) out.push(sign + shownLine(encoding, table.raw(i), limits.width, cr));
    }
  };
  for (const group of grouped(hunks)) {
    const first = group[0] as Hunk;
    const last = group.at(-1) as Hunk;
    const above = Math.min(CONTEXT, first.from);
    const below = Math.min(CONTEXT, old.count - last.to);
    if (out.length >= limits.lines) full = true;
    else
      out.push(`@@ -${range(first.from - above, last.to + below)} +${range(first.start - above, last.end + below)} @@`);
    let at = first.from - above;
    for (const hunk of group) {
      push(old, at, hunk.from, " ", false);
      const cr = showsReturns(old.text(hunk.from, hunk.to), now.text(hunk.start, hunk.end));
      push(old, hunk.from, hunk.to, "-", cr);
      push(now, hunk.start, hunk.end, "+", cr);
      at = hunk.to;
    }
    // Context behind the last change may be missing; that leaves out nothing that changed.
    const changedAll = !full;
    push(old, at, last.to + below, " ", false);
    if (!changedAll) break;
    full = false;
  }
  return { text: out.join("\n"), cut: full };
}

function shownLine(encoding: UnitEncoding, raw: string, width: number, cr: boolean): string {
  const open = !raw.endsWith("\n");
  const bare = open ? raw : raw.slice(0, raw.endsWith("\r\n") ? -2 : -1);
  const text = showUnits(encoding, bare) + (cr && raw.endsWith("\r\n") ? "^M" : "");
  const points = text.length > width ? [...text] : [];
  const clipped = points.length > width ? `${points.slice(0, width).join("")}…` : text;
  return open ? `${clipped}\n\\ No newline at end of file` : clipped;
}

function showsReturns(old: string, now: string): boolean {
  const a = lineEnds(old);
  const b = lineEnds(now);
  return a === "mixed" || b === "mixed" || (a !== b && a !== "none" && b !== "none");
}

/** `first,count` as diff writes it: the line before for an empty range. */
function range(from: number, to: number): string {
  return to - from === 1 ? `${to}` : `${to === from ? from : from + 1},${to - from}`;
}

/** Changes that share a line, as one. */
function mergeOnOneLine(before: string, changes: readonly Change[]): Change[] {
  const out: Change[] = [];
  for (const change of changes) {
    const last = out.at(-1);
    const between = last === undefined ? -1 : before.indexOf("\n", last.to);
    if (last === undefined || (between !== -1 && between < change.from)) out.push(change);
    else out[out.length - 1] = { from: last.from, to: change.to, start: last.start, end: change.end };
  }
  return out;
}

/** The lines that a change touches, without those at either end that are the same on both sides. */
function wholeLines(change: Change, old: LineTable, now: LineTable): Hunk {
  // What lies around a change is the same on both sides, to the start of its line and to the end of it.
  const left = change.from - old.startOf(old.lineAt(change.from));
  const right = old.startOf(old.lineAt(change.to) + 1) - change.to;
  let from = old.lineAt(change.from);
  let start = now.lineAt(change.start - left);
  let to = old.lineFrom(change.to + right);
  let end = now.lineFrom(change.end + right);
  while (from < to && start < end && old.raw(from) === now.raw(start)) {
    from += 1;
    start += 1;
  }
  while (from < to && start < end && old.raw(to - 1) === now.raw(end - 1)) {
    to -= 1;
    end -= 1;
  }
  return { from, to, start, end };
}

/** Hunks whose context would meet stand together. */
function grouped(hunks: readonly Hunk[]): Hunk[][] {
  const out: Hunk[][] = [];
  for (const hunk of hunks) {
    const group = out.at(-1);
    if (group !== undefined && hunk.from - (group.at(-1) as Hunk).to <= 2 * CONTEXT) group.push(hunk);
    else out.push([hunk]);
  }
  return out;
}

/** Where the lines of a text begin. */
class LineTable {
  readonly #text: string;
  readonly #starts: number[] = [0];

  constructor(text: string) {
    this.#text = text;
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) this.#starts.push(at + 1);
  }

  /** Lines; what follows the last LF counts where it is not empty. */
  get count(): number {
    return this.#starts.length - (this.#starts.at(-1) === this.#text.length ? 1 : 0);
  }

  /** Start of a line; the text's end for all lines past the last one. */
  startOf(line: number): number {
    return this.#starts[line] ?? this.#text.length;
  }

  /** The line that holds a place, the empty one behind the last LF included. */
  lineAt(at: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] as number) <= at) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The first line that begins at a place or behind it. */
  lineFrom(at: number): number {
    const line = this.lineAt(at);
    return this.startOf(line) === at ? Math.min(line, this.count) : Math.min(line + 1, this.count);
  }

  /** A line with its line end. */
  raw(line: number): string {
    return this.#text.slice(this.startOf(line), this.startOf(line + 1));
  }

  text(from: number, to: number): string {
    return this.#text.slice(this.startOf(from), this.startOf(to));
  }
}
