import type { RelPath } from "../../paths/path.js";
import type { LineHit } from "../../search/engine.js";

/** What a process printed of one file. */
export interface FoundFile {
  /** In the batch. */
  readonly index: number;
  readonly hits: LineHit[];
  /** Where ripgrep met the first NUL of the text, in bytes, where it said so. */
  nul: number | null;
  /** True where the file is longer than ripgrep's first buffer, so that a NUL behind it may have gone unseen. */
  long: boolean;
}

/** Reads one process's output. Files come out in the order in which they were printed, each when it is complete. */
export interface OutputReader {
  /** Files that were completed by this piece. The piece may be reused afterwards. */
  push(chunk: Buffer): FoundFile[];
  /** The last file, where one is open; complete only if the process ended well. */
  end(): FoundFile[];
  /** What could not be understood; null while all could. Nothing is read after that. */
  readonly broken: string | null;
  /** Records that were understood. */
  readonly records: number;
}

/** The index of a printed path; undefined for one that is not ours: then its lines are dropped. */
export type PathLookup = (printed: RelPath) => number | undefined;

/** A matching line as a slice of the block that holds its file's lines; `text` is made when it is asked for. */
export class Line implements LineHit {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
  readonly cut: boolean;
  readonly #block: Buffer;
  readonly #from: number;
  readonly #to: number;

  constructor(line: number, column: number, offset: number, cut: boolean, block: Buffer, from: number, to: number) {
    this.line = line;
    this.column = column;
    this.offset = offset;
    this.cut = cut;
    this.#block = block;
    this.#from = from;
    this.#to = to;
  }

  get text(): Buffer {
    return this.#block.subarray(this.#from, this.#to);
  }

  /** The same line with another column. */
  at(column: number): Line {
    return new Line(this.line, column, this.offset, this.cut, this.#block, this.#from, this.#to);
  }
}
