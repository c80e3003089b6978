/** Results of one call: where the caller says nothing, and what no call and no configuration lifts. */
export interface ResultLimit {
  readonly default: number;
  readonly ceiling: number;
}

/** Paths of one `glob` call. */
export const GLOB_RESULTS: ResultLimit = { default: 200, ceiling: 1_000 };
/** Lines (not files) of one `grep` call. */
export const GREP_RESULTS: ResultLimit = { default: 100, ceiling: 500 };

/** A NUL in this many bytes at its start makes a file one that `grep` skips. */
export const BINARY_HEAD_BYTES = 8_192;
/** `grep` skips larger files. */
export const MAX_FILE_BYTES = 1_000_000;
/** `grep` skips longer lines; in characters (code points), without the line end. */
export const MAX_LINE_CHARS = 2_000;
/** Characters of a shown line, the `...` at its cut among them. */
export const SHOWN_LINE_CHARS = 200;

/**
 * How many results a call gives: 0 or less means the default, in the call and in the configuration; then the least of what was
 * asked, what is configured and the ceiling.
 * @param configured a ceiling that no call lifts; undefined where nothing is configured.
 */
export function maxResults(asked: number | undefined, configured: number | undefined, limit: ResultLimit): number {
  const positive = (value: number): number => (value <= 0 ? limit.default : Math.trunc(value));
  return Math.min(positive(asked ?? 0), configured === undefined ? limit.ceiling : positive(configured), limit.ceiling);
}

/** A line as it is shown: at most `SHOWN_LINE_CHARS` characters, `...` where it was cut. */
export function shownLine(line: string): string {
  if (line.length <= SHOWN_LINE_CHARS) return line;
  const chars = [...line];
  return chars.length <= SHOWN_LINE_CHARS ? line : `${chars.slice(0, SHOWN_LINE_CHARS - 3).join("")}...`;
}

/** Characters of a text, as the limits count them. */
export function countChars(text: string): number {
  let pairs = 0;
  for (let i = 0; i + 1 < text.length; i++) {
    const high = text.charCodeAt(i);
    if (high < 0xd800 || high > 0xdbff) continue;
    const low = text.charCodeAt(i + 1);
    if (low >= 0xdc00 && low <= 0xdfff) {
      pairs++;
      i++;
    }
  }
  return text.length - pairs;
}
