import { fromHostBytes } from "../../paths/path.js";
import { PRINT_BYTES } from "./arguments.js";
import { Line, type FoundFile, type OutputReader, type PathLookup } from "./found.js";

const NUL = 0;
const LF = 10;
const CR = 13;
/** A longer record is no line that was cut after `PRINT_BYTES` letters, however many bytes a letter has. */
const MAX_RECORD_BYTES = 67_108_864;

/**
 * Reads `path NUL line NUL column NUL offset NUL text LF` records and the notices about binary files. No path holds a newline (see
 * `placesOf`), and no text holds an LF, or a NUL but where a rule of the asker has ripgrep print such texts. So a record is a line, and
 * one without a NUL is a notice.
 */
export class PlainReader implements OutputReader {
  broken: string | null = null;
  records = 0;
  readonly #lookup: PathLookup;
  readonly #enoughBytes: number;
  readonly #enoughLines: number;
  /** Of the current file's lines so far. */
  #fileBytes = 0;
  /** Pieces of a record whose end has not come yet. */
  #carry: Buffer[] = [];
  #carryBytes = 0;
  /** The path of the current file with its NUL, as printed. */
  #path: Buffer = Buffer.alloc(0);
  /** null where the path is not ours. */
  #file: FoundFile | null = null;
  #last = -1;
  /** Lines of the current file in the piece at hand: line, column, offset, from, to, cut; six numbers each. */
  #pending: number[] = [];
  #out: FoundFile[] = [];

  /**
   * @param enoughBytes of one file's lines, line ends included; the rest of a file is not kept.
   * @param enoughLines of one file, likewise.
   */
  constructor(lookup: PathLookup, enoughBytes = Infinity, enoughLines = Infinity) {
    this.#lookup = lookup;
    this.#enoughBytes = enoughBytes;
    this.#enoughLines = enoughLines;
  }

  push(chunk: Buffer): FoundFile[] {
    this.#out = [];
    if (this.broken !== null) return this.#out;
    let from = 0;
    if (this.#carry.length > 0) {
      const end = chunk.indexOf(LF);
      const piece = end === -1 ? chunk : chunk.subarray(0, end + 1);
      this.#carry.push(Buffer.from(piece));
      this.#carryBytes += piece.length;
      if (this.#carryBytes > MAX_RECORD_BYTES) this.#fail("a record without an end");
      if (end === -1) return this.#out;
      const record = Buffer.concat(this.#carry);
      this.#carry = [];
      this.#carryBytes = 0;
      this.#read(record, 0);
      from = end + 1;
    }
    const rest = this.#read(chunk, from);
    if (rest < chunk.length && this.broken === null) {
      this.#carry.push(Buffer.from(chunk.subarray(rest)));
      this.#carryBytes = chunk.length - rest;
    }
    return this.#out;
  }

  end(): FoundFile[] {
    this.#out = [];
    if (this.#carry.length > 0) this.#fail("a record without an end");
    this.#close();
    return this.#out;
  }

  /** Reads whole records from `at` on; returns where the first unfinished one starts. */
  #read(chunk: Buffer, at: number): number {
    while (at < chunk.length && this.broken === null) {
      const end = chunk.indexOf(LF, at);
      if (end === -1) break;
      this.#record(chunk, at, end);
      at = end + 1;
    }
    this.#keep(chunk);
    return at;
  }

  #record(chunk: Buffer, start: number, end: number): void {
    let at = start + this.#path.length;
    if (this.#path.length === 0 || at > end || chunk.compare(this.#path, 0, this.#path.length, start, at) !== 0) {
      const nul = chunk.subarray(start, end).indexOf(NUL);
      if (nul === -1) return this.#notice(chunk, start, end);
      at = start + nul + 1;
      this.#open(chunk, start, at);
    }
    // Two or three numbers, each ended by a NUL: the column may be missing.
    let line = 0;
    let column = 1;
    let offset = 0;
    let fields = 0;
    for (; fields < 3; fields++) {
      let n = 0;
      let next = at;
      for (let c = chunk[next] as number; c >= 48 && c <= 57 && next < end; c = chunk[++next] as number)
        n = n * 10 + c - 48;
      if (next === at || next >= end || chunk[next] !== NUL) break;
      at = next + 1;
      if (fields === 0) line = n;
      else {
        if (fields === 2) column = offset;
        offset = n;
      }
    }
    if (fields < 2) return this.#fail("a line without its numbers");
    this.records += 1;
    if (this.#file === null || this.#fileBytes > this.#enoughBytes) return;
    if (this.#file.hits.length + this.#pending.length / 6 > this.#enoughLines) {
      // Handed on at once: who asked gives up now, and not when the file's last line has come.
      this.#keep(chunk);
      this.#out.push(this.#file);
      this.#file = null;
      return;
    }
    this.#fileBytes += end + 1 - at;
    let to = end > at && chunk[end - 1] === CR ? end - 1 : end;
    let cut = 0;
    if (to - at > PRINT_BYTES) {
      const mark = CUT.exec(chunk.toString("latin1", Math.max(at, to - 60), to));
      if (mark !== null) {
        to -= mark[0].length;
        cut = 1;
      }
    }
    this.#pending.push(line, column - 1, offset, at, to, cut);
  }

  /** The record belongs to another file than the one before it. */
  #open(chunk: Buffer, start: number, afterNul: number): void {
    this.#keep(chunk);
    this.#close();
    this.#path = Buffer.from(chunk.subarray(start, afterNul));
    this.#start(this.#lookup(fromHostBytes(chunk.subarray(start, afterNul - 1))));
  }

  #start(index: number | undefined): void {
    if (index === undefined) this.#file = null;
    else if (index <= this.#last) this.#fail("files out of order");
    else {
      this.#last = index;
      this.#fileBytes = 0;
      this.#file = { index, hits: [], nul: null, long: false };
    }
  }

  #notice(chunk: Buffer, start: number, end: number): void {
    const mark = NOTICE.exec(chunk.toString("latin1", Math.max(start, end - 100), end));
    if (mark === null) return this.#fail("a line that is no record");
    this.records += 1;
    const path = chunk.subarray(start, end - mark[0].length);
    const index = this.#lookup(fromHostBytes(path));
    if (this.#file === null || this.#file.index !== index) {
      this.#keep(chunk);
      this.#close();
      this.#path = Buffer.concat([path, ZERO]);
      this.#start(index);
    }
    if (this.#file !== null) this.#file.nul = Number(mark[1]);
  }

  /** Copies the lines that lie in the piece at hand, as one block, so that the piece itself need not stay. */
  #keep(chunk: Buffer): void {
    const p = this.#pending;
    if (p.length === 0) return;
    const base = p[3] as number;
    const block = Buffer.from(chunk.subarray(base, p[p.length - 2]));
    const hits = (this.#file as FoundFile).hits;
    for (let i = 0; i < p.length; i += 6) {
      hits.push(
        new Line(
          p[i] as number,
          p[i + 1] as number,
          p[i + 2] as number,
          p[i + 5] === 1,
          block,
          (p[i + 3] as number) - base,
          (p[i + 4] as number) - base,
        ),
      );
    }
    this.#pending = [];
  }

  #close(): void {
    if (this.#file !== null) this.#out.push(this.#file);
    this.#file = null;
    this.#path = EMPTY;
  }

  #fail(what: string): void {
    this.broken ??= what;
  }
}

const EMPTY = Buffer.alloc(0);
const ZERO = Buffer.alloc(1);
const CUT = / \[\.\.\. (?:\d+ more match(?:es)?|omitted end of long line)\]$/;
const NOTICE = /: binary file matches \(found "\\0" byte around offset (\d+)\)$/;
