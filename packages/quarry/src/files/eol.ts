/** How the lines of a text end: `none` where no line is ended. */
export type Eol = "lf" | "crlf" | "mixed" | "none";

const LF = 10;
const CR = 13;

/** Finds out over the blocks of a text which line ends it has. Stops looking for what it has seen. */
export class EolCount {
  #lf = false;
  #crlf = false;
  #cr = false;
  #lastByte = -1;

  add(block: Buffer): void {
    if (block.length === 0) return;
    const opensWithLf = block[0] === LF;
    if (opensWithLf && this.#lastByte === CR) this.#crlf = true;
    if (opensWithLf && this.#lastByte !== CR) this.#lf = true;
    this.#crlf ||= block.includes("\r\n");
    this.#cr ||= block.includes(CR);
    this.#lf ||= hasBareLf(block);
    this.#lastByte = block[block.length - 1] as number;
  }

  get kind(): Eol {
    if (this.#lf) return this.#crlf ? "mixed" : "lf";
    return this.#crlf ? "crlf" : "none";
  }

  /** What a reader has to know of it, or null. */
  note(): string | null {
    if (this.kind === "mixed") return "line ends are mixed: some CRLF, some LF";
    if (this.kind === "crlf") return "lines end in CRLF";
    return this.kind === "none" && this.#cr ? "the file holds CR alone, which does not end a line here" : null;
  }
}

/** A line feed that stands behind something else than CR; the block's first byte is not looked at. */
function hasBareLf(block: Buffer): boolean {
  for (let at = block.indexOf(LF, 1); at !== -1; at = block.indexOf(LF, at + 1)) if (block[at - 1] !== CR) return true;
  return false;
}
