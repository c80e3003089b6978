import { isAscii } from "node:buffer";
import type { LineHit, PackedLines } from "../../search/engine.js";

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
/** A call that copies costs as much as so many bytes one by one. */
const LOOP_BYTES = 96;
/** Beyond, lines of one file come without their text: whoever shows one reads it again. */
const FILE_TEXT_BYTES = 8_388_608;

/** Numbers of a file, in this order: its index, its outcome, how many hits follow, bytes of their texts, how many of these are cut. */
const FILE = { index: 0, outcome: 1, hits: 2, bytes: 3, cut: 4, size: 5 } as const;
/** Numbers of a hit: line, column, offset (low and high 32 bits), bytes of text times two, plus one where they are cut. */
const HIT = { line: 0, column: 1, offset: 2, offsetHigh: 3, bytes: 4, size: 5 } as const;

/**
 * Results as flat numbers, so that they cross to another thread at the cost of a copy: for each file `FILE`, then for each of its hits `HIT`. The
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
    this.#room(FILE.size, 0);
    this.#file = this.#n;
    this.#fileText = this.#t;
    const numbers = this.#numbers;
    numbers[this.#n] = index;
    for (let at = this.#n + 1; at < this.#n + FILE.size; at++) numbers[at] = 0;
    this.#n += FILE.size;
  }

  /** Adds a line of the current file: the bytes `[from, to)` of `text`. */
  hit(line: number, column: number, offset: number, text: Uint8Array, from: number, to: number): void {
    const allowed = this.#t - this.#fileText > FILE_TEXT_BYTES ? 0 : LINE_BYTES;
    const length = Math.min(to - from, allowed);
    const cut = length < to - from ? 1 : 0;
    this.#room(HIT.size, length);
    const numbers = this.#numbers;
    numbers[this.#n + HIT.line] = line;
    numbers[this.#n + HIT.column] = column;
    numbers[this.#n + HIT.offset] = offset;
    numbers[this.#n + HIT.offsetHigh] = offset / 4_294_967_296;
    numbers[this.#n + HIT.bytes] = length * 2 + cut;
    this.#n += HIT.size;
    this.#copy(text, from, length);
    (numbers[this.#file + FILE.hits] as number) += 1;
    (numbers[this.#file + FILE.bytes] as number) += length;
    (numbers[this.#file + FILE.cut] as number) += cut;
  }

  #copy(text: Uint8Array, from: number, length: number): void {
    if (length > LOOP_BYTES) this.#text.set(text.subarray(from, from + length), this.#t);
    else {
      const into = this.#text;
      const at = this.#t;
      for (let i = 0; i < length; i++) into[at + i] = text[from + i] as number;
    }
    this.#t += length;
  }

  /** Hits of the current file. */
  get hits(): number {
    return this.#numbers[this.#file + FILE.hits] as number;
  }

  /** Closes the current file. Only `hits` and `nulBehind` keep what was added. */
  end(outcome: Outcome): void {
    if (outcome !== OUTCOME.hits && outcome !== OUTCOME.nulBehind) this.restart();
    this.#numbers[this.#file + FILE.outcome] = outcome;
    if (outcome === OUTCOME.hits && this.hits === 0) this.#n = this.#file;
    this.#file = this.#n;
    this.#fileText = this.#t;
  }

  /** Forgets the lines of the current file. */
  restart(): void {
    this.#n = this.#file + FILE.size;
    this.#t = this.#fileText;
    this.#numbers.fill(0, this.#file + FILE.hits, this.#n);
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
  /** Lines that were found. */
  readonly count: number;
  /** As in `FileHits`. */
  readonly hits: readonly LineHit[];
  /** As in `FileHits`. */
  readonly packed: PackedLines | null;
  /** What it takes of `MAX_WAITING_BYTES`. */
  readonly bytes: number;
}

/** Reads what `HitWriter.take` gave. */
export function unpack(numbers: Uint32Array, text: Uint8Array): PackedFile[] {
  const block = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  const files: PackedFile[] = [];
  let from = 0;
  for (let at = 0; at < numbers.length;) {
    const bytes = numbers[at + FILE.bytes] as number;
    const file = new BlockFile(numbers, at, block, from, bytes);
    files.push(file);
    at += FILE.size + file.count * HIT.size;
    from += bytes;
  }
  return files;
}

/** A file's results where they stand in a message. */
class BlockFile implements PackedFile, PackedLines {
  readonly #numbers: Uint32Array;
  /** Where its numbers begin. */
  readonly #at: number;
  readonly #block: Buffer;
  /** Where its texts begin. */
  readonly #from: number;
  readonly #bytes: number;
  #hits: readonly LineHit[] | null = null;

  constructor(numbers: Uint32Array, at: number, block: Buffer, from: number, bytes: number) {
    this.#numbers = numbers;
    this.#at = at;
    this.#block = block;
    this.#from = from;
    this.#bytes = bytes;
  }

  get index(): number {
    return this.#numbers[this.#at + FILE.index] as number;
  }

  get outcome(): Outcome {
    return this.#numbers[this.#at + FILE.outcome] as Outcome;
  }

  get count(): number {
    return this.#numbers[this.#at + FILE.hits] as number;
  }

  get bytes(): number {
    return (FILE.size + this.count * HIT.size) * Uint32Array.BYTES_PER_ELEMENT + this.#bytes;
  }

  get text(): Buffer {
    return this.#block.subarray(this.#from, this.#from + this.#bytes);
  }

  get packed(): PackedLines | null {
    return this.#numbers[this.#at + FILE.cut] === 0 ? this : null;
  }

  line(i: number): number {
    return this.#numbers[this.#hit(i) + HIT.line] as number;
  }

  bytesOf(i: number): number {
    return (this.#numbers[this.#hit(i) + HIT.bytes] as number) >>> 1;
  }

  get hits(): readonly LineHit[] {
    return (this.#hits ??= this.#unpackHits());
  }

  #unpackHits(): LineHit[] {
    const numbers = this.#numbers;
    const text = new FileText(this.text);
    const hits: LineHit[] = new Array(this.count);
    let from = 0;
    for (let i = 0; i < hits.length; i++) {
      const at = this.#hit(i);
      const size = numbers[at + HIT.bytes] as number;
      const offset = (numbers[at + HIT.offset] as number) + (numbers[at + HIT.offsetHigh] as number) * 4_294_967_296;
      const line = numbers[at + HIT.line] as number;
      hits[i] = new PackedHit(
        line,
        numbers[at + HIT.column] as number,
        offset,
        (size & 1) === 1,
        text,
        from,
        size >>> 1,
      );
      from += size >>> 1;
    }
    return hits;
  }

  #hit(i: number): number {
    return this.#at + FILE.size + i * HIT.size;
  }
}

/** The texts of one file. */
class FileText {
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

/** A line as a piece of its file's texts; a text is made when it is asked for. */
class PackedHit implements LineHit {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
  readonly cut: boolean;
  readonly #of: FileText;
  readonly #from: number;
  readonly #length: number;

  constructor(line: number, column: number, offset: number, cut: boolean, of: FileText, from: number, length: number) {
    this.line = line;
    this.column = column;
    this.offset = offset;
    this.cut = cut;
    this.#of = of;
    this.#from = from;
    this.#length = length;
  }

  get text(): Buffer {
    return this.#of.bytes.subarray(this.#from, this.#from + this.#length);
  }

  get ascii(): string | undefined {
    return this.#of.ascii?.slice(this.#from, this.#from + this.#length);
  }
}
