/** Where old text was found: code units of the body, `to` exclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Finds `old` in `body`. Where `old` holds a CR it is searched as it stands. Else each of its LFs stands for one line end
 * of the file, LF or CRLF: whoever reads a file through Quarry sees both as the same, so both are meant.
 */
export class Finder {
  readonly #body: string;
  /** What stands between the line ends of `old`; one piece where the text is searched as it stands. */
  readonly #pieces: readonly string[];

  constructor(body: string, old: string) {
    this.#body = body;
    const literal = old.includes("\r") || !body.includes("\r\n");
    this.#pieces = literal ? [old] : old.split("\n");
  }

  /** Every place, left to right, none over another one: at most `limit`. */
  all(limit: number): Span[] {
    const out: Span[] = [];
    for (let span = this.#next(0); span !== null && out.length < limit; span = this.#next(span.to)) out.push(span);
    return out;
  }

  /** Every place, also where two share characters (`aa` stands twice in `aaa`): at most `limit`. */
  candidates(limit: number): Span[] {
    const out: Span[] = [];
    for (let span = this.#next(0); span !== null && out.length < limit; span = this.#next(span.from + 1))
      out.push(span);
    return out;
  }

  #next(start: number): Span | null {
    const [first = "", ...more] = this.#pieces;
    if (more.length === 0) {
      const from = this.#body.indexOf(first, start);
      return from === -1 ? null : { from, to: from + first.length };
    }
    // A place that begins with a line end begins at its CR.
    const head = first === "" ? "\n" : first;
    for (let at = this.#body.indexOf(head, start); at !== -1; at = this.#body.indexOf(head, at + 1)) {
      const from = first === "" && at > 0 && this.#body[at - 1] === "\r" ? at - 1 : at;
      if (from < start) continue;
      const to = this.#endOf(from, first, more);
      if (to !== -1) return { from, to };
    }
    return null;
  }

  #endOf(from: number, first: string, more: readonly string[]): number {
    let at = from + first.length;
    for (const piece of more) {
      if (this.#body[at] === "\r") at += 1;
      if (this.#body[at] !== "\n" || !this.#body.startsWith(piece, at + 1)) return -1;
      at += 1 + piece.length;
    }
    return at;
  }
}

/**
 * What takes the place of one found span: `now` with its line ends as the file has them there.
 *
 * Where `old` and `now` hold no CR: line ends in the part that both begin with, or both end with, stay as they are in
 * the file; of the others each is as the one of the same number where both texts have as many, else as the one before it
 * (the first as the span's first). Where the span has none, they are as that of the line the span ends in, else of the line
 * before. Where either text holds a CR, `now` is taken as it stands.
 */
export function replacement(body: string, span: Span, old: string, now: string): string {
  if (old.includes("\r") || now.includes("\r") || !now.includes("\n")) return now;
  const there: readonly string[] = body.slice(span.from, span.to).match(/\r?\n/g) ?? [];
  const around = there.length > 0 ? null : endAround(body, span);
  if (around === "\n" || (around === null && !there.includes("\r\n"))) return now;
  const lines = now.split("\n");
  const count = lines.length - 1;
  const before = Math.min(sameStart(old, now), there.length);
  const after = Math.min(sameEnd(old, now), there.length - before, count - before);
  let out = lines[0] as string;
  let end = around ?? there[0] ?? "\n";
  for (let i = 0; i < count; i++) {
    if (i < before || count === there.length) end = there[i] ?? end;
    else if (i >= count - after) end = there[there.length - (count - i)] ?? end;
    out += end + (lines[i + 1] as string);
  }
  return out;
}

/** The line end that belongs to the place of a span without one. */
function endAround(body: string, span: Span): "\n" | "\r\n" {
  const next = body.indexOf("\n", span.to);
  const at = next === -1 ? body.lastIndexOf("\n", span.from - 1) : next;
  return at > 0 && body[at - 1] === "\r" ? "\r\n" : "\n";
}

/** Line ends in what two texts begin with alike. */
function sameStart(a: string, b: string): number {
  let n = 0;
  let ends = 0;
  while (n < a.length && n < b.length && a[n] === b[n]) if (a[n++] === "\n") ends += 1;
  return ends;
}

/** Line ends in what two texts end with alike. */
function sameEnd(a: string, b: string): number {
  let n = 1;
  let ends = 0;
  while (n <= a.length && n <= b.length && a.at(-n) === b.at(-n)) if (a.at(-n++) === "\n") ends += 1;
  return ends;
}
