import { CLASSES, isEmptyTrigram, TRIGRAMS } from "./trigrams.js";

/** Documents of one segment at most; then a new one is begun. */
export const SEGMENT_DOCUMENTS = 4_096;
/** Trigrams of all its documents together, about; bounds the memory of who builds one. */
const SEGMENT_ENTRIES = 6_000_000;
/**
 * The offset of a document whose file has changed or gone since. It bears the number of another file, or of what the file is now, and
 * says nothing of that: what copies a segment need not read or change its postings.
 */
export const DEAD = 0xffff_ffff;
/** The table has the place of every 16th trigram's postings, and the length of each one's. */
const GROUP = 16;

/**
 * A segment's table: where the postings of each trigram are, and its documents. As it stands in the file: `bases` (u32 for each group of 16
 * trigrams), `lengths` (u16 for each trigram), then for each document its file, its offset in it, and the number of its first line (u32).
 */
export class SegmentTable {
  readonly documents: number;
  /** The file's number, by document. */
  readonly files: Uint32Array;
  readonly offsets: Uint32Array;
  readonly lines: Uint32Array;
  readonly #bases: Uint32Array;
  readonly #lengths: Uint16Array;

  /** @param bytes of a table, aligned to 4. */
  constructor(bytes: Uint8Array, documents: number) {
    const { buffer, byteOffset } = bytes;
    this.documents = documents;
    this.#bases = new Uint32Array(buffer, byteOffset, TRIGRAMS / GROUP);
    this.#lengths = new Uint16Array(buffer, byteOffset + this.#bases.byteLength, TRIGRAMS);
    let at = byteOffset + this.#bases.byteLength + this.#lengths.byteLength;
    const column = (): Uint32Array => {
      const values = new Uint32Array(buffer, at, documents);
      at += values.byteLength;
      return values;
    };
    this.files = column();
    this.offsets = column();
    this.lines = column();
  }

  static bytes(documents: number): number {
    return (TRIGRAMS / GROUP) * 4 + TRIGRAMS * 2 + documents * 12;
  }

  /** Bytes of a trigram's postings; 0 where no document has it. */
  length(trigram: number): number {
    return this.#lengths[trigram] as number;
  }

  /** Where they start in the segment's postings. */
  start(trigram: number): number {
    let at = this.#bases[Math.floor(trigram / GROUP)] as number;
    for (let t = trigram - (trigram % GROUP); t < trigram; t++) at += this.#lengths[t] as number;
    return at;
  }

  /** Sets what a writer has counted. @returns bytes of all postings. */
  place(lengths: Uint16Array): number {
    let at = 0;
    for (let trigram = 0; trigram < TRIGRAMS; trigram++) {
      if (trigram % GROUP === 0) this.#bases[trigram / GROUP] = at;
      at += lengths[trigram] as number;
    }
    this.#lengths.set(lengths);
    return at;
  }
}

/** Bytes of postings as a bitmap, a bit for each document. */
export function bitmapBytes(documents: number): number {
  return Math.ceil(documents / 8);
}

/**
 * Sets a bit in `into` for each document of the postings. They are differences of document numbers, seven bits a byte, lowest first, the
 * eighth set where more follow; or, where that is not shorter, a bitmap.
 */
export function addPostings(postings: Uint8Array, documents: number, into: Uint8Array): void {
  if (postings.length === bitmapBytes(documents)) {
    for (let i = 0; i < postings.length; i++) (into[i] as number) |= postings[i] as number;
    return;
  }
  let document = -1;
  for (let at = 0; at < postings.length;) {
    let byte = postings[at++] as number;
    let delta = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = postings[at++] as number;
      delta |= (byte & 0x7f) << shift;
    }
    document += delta;
    if (document < documents) (into[document >> 3] as number) |= 1 << (document & 7);
  }
}

export interface EncodedSegment {
  readonly table: Uint8Array;
  readonly postings: Uint8Array;
  readonly documents: number;
}

/** Gathers documents and makes a segment of them. One is used again and again. */
export class SegmentWriter {
  /** The trigrams of all documents, one document after the other. */
  #entries = new Uint32Array(1_048_576);
  #used = 0;
  /** For each document where its trigrams end. */
  readonly #ends: number[] = [];
  readonly #documents: [file: number, offset: number, line: number][] = [];
  readonly #seen = new Int32Array(TRIGRAMS / 32);

  /** Documents so far. */
  get documents(): number {
    return this.#documents.length;
  }

  get isFull(): boolean {
    return this.#documents.length >= SEGMENT_DOCUMENTS || this.#used >= SEGMENT_ENTRIES;
  }

  /** Adds the bytes `[from, to)` of a text as a document. */
  add(text: Uint8Array, from: number, to: number, file: number, offset: number, line: number): void {
    const most = Math.min(to - from, TRIGRAMS);
    if (this.#used + most > this.#entries.length) {
      const larger = new Uint32Array(Math.max(this.#used + most, this.#entries.length * 2));
      larger.set(this.#entries.subarray(0, this.#used));
      this.#entries = larger;
    }
    this.#used = collect(text, from, to, this.#seen, this.#entries, this.#used);
    this.#ends.push(this.#used);
    this.#documents.push([file, offset, line]);
  }

  /** The segment of what was added; forgets it. */
  finish(): EncodedSegment {
    const documents = this.#documents.length;
    const bitmap = bitmapBytes(documents);
    const lengths = this.#countLengths(bitmap);
    const bytes = new Uint8Array(SegmentTable.bytes(documents));
    const table = new SegmentTable(bytes, documents);
    const postings = new Uint8Array(table.place(lengths));
    this.#documents.forEach(([file, offset, line], i) => {
      table.files[i] = file;
      table.offsets[i] = offset;
      table.lines[i] = line;
    });
    const at = new Uint32Array(TRIGRAMS);
    for (let trigram = 0, next = 0; trigram < TRIGRAMS; trigram++) {
      at[trigram] = next;
      next += lengths[trigram] as number;
    }
    this.#write(lengths, at, bitmap, postings);
    this.forget();
    return { table: bytes, postings, documents };
  }

  /** Begins anew. */
  forget(): void {
    this.#used = 0;
    this.#ends.length = 0;
    this.#documents.length = 0;
  }

  #countLengths(bitmap: number): Uint16Array {
    const entries = this.#entries;
    const last = new Int32Array(TRIGRAMS).fill(-1);
    const counts = new Uint32Array(TRIGRAMS);
    let n = 0;
    this.#ends.forEach((end, document) => {
      for (; n < end; n++) {
        const trigram = entries[n] as number;
        const delta = document - (last[trigram] as number);
        last[trigram] = document;
        (counts[trigram] as number) += delta < 0x80 ? 1 : delta < 0x4000 ? 2 : 3;
      }
    });
    const lengths = new Uint16Array(TRIGRAMS);
    for (let trigram = 0; trigram < TRIGRAMS; trigram++) {
      const count = counts[trigram] as number;
      lengths[trigram] = count < bitmap ? count : bitmap;
    }
    return lengths;
  }

  #write(lengths: Uint16Array, at: Uint32Array, bitmap: number, postings: Uint8Array): void {
    const entries = this.#entries;
    const last = new Int32Array(TRIGRAMS).fill(-1);
    let n = 0;
    this.#ends.forEach((end, document) => {
      for (; n < end; n++) {
        const trigram = entries[n] as number;
        const place = at[trigram] as number;
        if (lengths[trigram] === bitmap) {
          (postings[place + (document >> 3)] as number) |= 1 << (document & 7);
          continue;
        }
        let delta = document - (last[trigram] as number);
        last[trigram] = document;
        let to = place;
        for (; delta >= 0x80; delta >>>= 7) postings[to++] = (delta & 0x7f) | 0x80;
        postings[to++] = delta;
        at[trigram] = to;
      }
    });
  }
}

/**
 * Writes the trigrams of `[from, to)` to `out` from `n` on, each once.
 * @param seen a bit for each trigram; all are 0 before and after.
 * @returns where `out` ends now.
 */
function collect(text: Uint8Array, from: number, to: number, seen: Int32Array, out: Uint32Array, n: number): number {
  const classes = CLASSES;
  const start = n;
  let trigram = 0;
  for (let at = from; at < to; at++) {
    trigram = ((trigram << 6) | (classes[text[at] as number] as number)) & 0x3ffff;
    const word = seen[trigram >>> 5] as number;
    const bit = 1 << (trigram & 31);
    if ((word & bit) !== 0) continue;
    seen[trigram >>> 5] = word | bit;
    out[n++] = trigram;
  }
  let kept = start;
  for (let i = start; i < n; i++) {
    const found = out[i] as number;
    seen[found >>> 5] = 0;
    // The first two bytes of a text make no trigram: they have zeros in front, which are class 0.
    if (!isEmptyTrigram(found)) out[kept++] = found;
  }
  return kept;
}
