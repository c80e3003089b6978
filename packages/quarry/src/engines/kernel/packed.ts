import { isAscii } from "node:buffer";
import type { LineHit } from "../../search/engine.js";

/** What was found in a file. Files that hold nothing are not mentioned. */
export const OUTCOME = {
  /** Hits follow. */
  hits: 0,
  /** A match, and a NUL in its first 64 KiB. */
  binary: 1,
  unreadable: 2,
  /** Not decided here: another engine has to search it. */
  elsewhere: 3,
  /** Hits may follow; there are matches behind a NUL too. */
  nulBehind: 4,
  /** It could not be searched for a reason that is not the file's. */
  failed: 5,
} as const;

export type Outcome = (typeof OUTCOME)[keyof typeof OUTCOME];

/** Longer lines are cut. */
const LINE_BYTES = 1_000;
/** Beyond, lines of one file come without their text: whoever shows one reads it again. */
const FILE_TEXT_BYTES = 8_388_608;

/**
 * Results as flat numbers, so that they cross to another thread at the cost of a copy. For each file: its index, its outcome, the
 * number of hits; for each hit: line, column, offset (low and high 32 bits), bytes of text times two, plus one where they are cut. The
 * texts stand one after the other.
 */
export class HitWriter {
  #numbers = new Uint32Array(4_096);
  #text = Buffer.allocUnsafeSlow(65_536);
  #n = 0;
  #t = 0;
  /** Where the current file starts. */
  #file = 0;
  #fileText = 0;

  /** Bytes that are held. */
  get bytes(): number {
    return this.#n * 4 + this.#t;
  }

  begin(index: number): void {
    this.#room(3, 0);
    this.#file = this.#n;
    this.#fileText = this.#t;
    this.#numbers[this.#n++] = index;
    this.#numbers[this.#n++] = OUTCOME.hits;
    this.#numbers[this.#n++] = 0;
  }

  /** Adds a line of the current file: the bytes `[from, to)` of `text`. */
  hit(line: number, column: number, offset: number, text: Uint8Array, from: number, to: number): void {
    const allowed = this.#t - this.#fileText > FILE_TEXT_BYTES ? 0 : LINE_BYTES;
    const length = Math.min(to - from, allowed);
    this.#room(5, length);
    const numbers = this.#numbers;
    numbers[this.#n++] = line;
    numbers[this.#n++] = column;
    numbers[this.#n++] = offset;
    numbers[this.#n++] = offset / 4_294_967_296;
    numbers[this.#n++] = length * 2 + (length < to - from ? 1 : 0);
    this.#text.set(text.subarray(from, from + length), this.#t);
    this.#t += length;
    numbers[this.#file + 2] = this.hits + 1;
  }

  /** Hits of the current file. */
  get hits(): number {
    return this.#numbers[this.#file + 2] as number;
  }

  /** Closes the current file. Only `hits` and `nulBehind` keep what was added. */
  end(outcome: Outcome): void {
    if (outcome !== OUTCOME.hits && outcome !== OUTCOME.nulBehind) this.restart();
    this.#numbers[this.#file + 1] = outcome;
    if (outcome === OUTCOME.hits && this.hits === 0) this.#n = this.#file;
    this.#file = this.#n;
    this.#fileText = this.#t;
  }

  /** Forgets the lines of the current file. */
  restart(): void {
    this.#n = this.#file + 3;
    this.#t = this.#fileText;
    this.#numbers[this.#file + 2] = 0;
  }

  /** Forgets the current file, if one is open. */
  drop(): void {
    this.#n = this.#file;
    this.#t = this.#fileText;
  }

  /** Hands over what was written, in memory of its own, and starts anew. */
  take(): { readonly numbers: Uint32Array; readonly text: Uint8Array } {
    const taken = { numbers: this.#numbers.slice(0, this.#n), text: new Uint8Array(this.#text.subarray(0, this.#t)) };
    this.#n = 0;
    this.#t = 0;
    this.#file = 0;
    this.#fileText = 0;
    if (this.#numbers.length > 1_048_576) this.#numbers = new Uint32Array(4_096);
    if (this.#text.length > 4_194_304) this.#text = Buffer.allocUnsafeSlow(65_536);
    return taken;
  }

  #room(numbers: number, text: number): void {
    if (this.#n + numbers > this.#numbers.length) {
      const larger = new Uint32Array(this.#numbers.length * 2);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    if (this.#t + text > this.#text.length) {
      const larger = Buffer.allocUnsafeSlow(this.#text.length * 2);
      larger.set(this.#text);
      this.#text = larger;
    }
  }
}

/** One file's results. */
export interface PackedFile {
  readonly index: number;
  readonly outcome: Outcome;
  readonly hits: readonly LineHit[];
  /** What it takes of `MAX_WAITING_BYTES`. */
  readonly bytes: number;
}

/** Reads what `HitWriter.take` gave. */
export function unpack(numbers: Uint32Array, text: Uint8Array): PackedFile[] {
  const block = new Block(Buffer.from(text.buffer, text.byteOffset, text.byteLength));
  const files: PackedFile[] = [];
  let from = 0;
  for (let at = 0; at < numbers.length;) {
    const index = numbers[at] as number;
    const outcome = numbers[at + 1] as Outcome;
    const hits: LineHit[] = new Array(numbers[at + 2] as number);
    const start = from;
    const first = at;
    at += 3;
    for (let i = 0; i < hits.length; i++, at += 5) {
      const size = numbers[at + 4] as number;
      const offset = (numbers[at + 2] as number) + (numbers[at + 3] as number) * 4_294_967_296;
      hits[i] = new PackedHit(
        numbers[at] as number,
        numbers[at + 1] as number,
        offset,
        (size & 1) === 1,
        block,
        from,
        size >>> 1,
      );
      from += size >>> 1;
    }
    files.push({ index, outcome, hits, bytes: (at - first) * 4 + from - start });
  }
  return files;
}

/** The texts of one message. */
class Block {
  readonly bytes: Buffer;
  /** null where not all of it is ASCII; undefined as long as nobody has asked. */
  #ascii: string | null | undefined;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get ascii(): string | null {
    if (this.#ascii === undefined) this.#ascii = isAscii(this.bytes) ? this.bytes.toString("latin1") : null;
    return this.#ascii;
  }
}

/** A line as a piece of its block; its text is made when it is asked for. */
class PackedHit implements LineHit {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
  readonly cut: boolean;
  readonly #block: Block;
  readonly #from: number;
  readonly #length: number;

  constructor(line: number, column: number, offset: number, cut: boolean, block: Block, from: number, length: number) {
    this.line = line;
    this.column = column;
    this.offset = offset;
    this.cut = cut;
    this.#block = block;
    this.#from = from;
    this.#length = length;
  }

  get text(): Buffer {
    return this.#block.bytes.subarray(this.#from, this.#from + this.#length);
  }

  get ascii(): string | undefined {
    return this.#block.ascii?.slice(this.#from, this.#from + this.#length);
  }
}
