import fs from "node:fs";
import { crc32 } from "node:zlib";

/*
 * An index is one file, written once and never changed:
 *
 *   page 0       header: magic, version, byte order, where `meta` is, checksums
 *   segments     each: table, postings; both from the start of a page on
 *   stamps       for each file: size, mtimeNs, ctimeNs, inode, device (i64; 0 where it was not indexed); then its flags (u8)
 *   paths        of all files, in order, with NUL between
 *   pages        a checksum (u32) for each page of each segment's postings
 *   meta         JSON, see `IndexMeta`
 *
 * Numbers are in the machine's byte order. Everything but the postings is checked when it is opened; those are, a page at a time, whenever
 * they are read. What is damaged, of another version or of another folder is no index.
 */

/** Changes whenever anything above, the trigrams or the rule which files are indexed does. */
export const INDEX_VERSION = 3;
export const PAGE = 4_096;

const MAGIC = Buffer.from("QUARRYIX");
const BYTE_ORDER = 0x01020304;
const HEADER_BYTES = 40;
const MAX_META_BYTES = 16_777_216;

/** A part of the file that is checked as a whole. */
export interface Part {
  readonly at: number;
  readonly bytes: number;
  readonly crc: number;
}

export interface SegmentPlace {
  readonly table: Part;
  /** Where the postings start; they are checked by pages. */
  readonly at: number;
  readonly bytes: number;
  readonly documents: number;
  /** Of those, the ones whose text is no longer so: see `DEAD`. */
  readonly dead: number;
}

export interface IndexMeta {
  /** See `rootName`. */
  readonly root: string;
  readonly files: number;
  /** Of those, the ones whose trigrams are in it. */
  readonly indexed: number;
  /** Bytes of text of those. */
  readonly textBytes: number;
  /** When it was begun, in milliseconds since 1970. */
  readonly builtAt: number;
  /** Of this file. */
  readonly bytes: number;
  readonly segments: readonly SegmentPlace[];
  readonly stamps: Part;
  readonly paths: Part & { readonly encoding: "latin1" | "utf16le" };
  readonly pages: Part;
}

export const FLAG = {
  /** Its trigrams are in the index. All others are always looked into. */
  indexed: 1,
  /** Holds letters outside of ASCII that fold to some inside. */
  oddFolds: 2,
  /** It was read, and cannot be indexed (a NUL, another encoding, its size): unless it changes there is no need to read it again. */
  unfit: 4,
} as const;

/** Pages that so many bytes take. */
export function pagesOf(bytes: number): number {
  return Math.ceil(bytes / PAGE);
}

/** An index that is not to be used. The reason holds no path. */
export class BadIndex extends Error {}

/** The first page, for a file whose `meta` stands at `at`. */
export function encodeHeader(meta: Uint8Array, at: number): Buffer {
  const page = Buffer.alloc(PAGE);
  MAGIC.copy(page);
  const view = new DataView(page.buffer, page.byteOffset);
  view.setUint32(8, INDEX_VERSION, true);
  new Uint32Array(page.buffer, page.byteOffset + 12, 1)[0] = BYTE_ORDER;
  view.setFloat64(16, at, true);
  view.setFloat64(24, meta.length, true);
  view.setUint32(32, crc32(meta), true);
  view.setUint32(36, crc32(page.subarray(0, 36)), true);
  return page;
}

/** @throws BadIndex. */
export function readMeta(fd: number): IndexMeta {
  const page = Buffer.alloc(PAGE);
  if (fs.readSync(fd, page, 0, PAGE, 0) < HEADER_BYTES || !page.subarray(0, 8).equals(MAGIC))
    throw new BadIndex("it is no index");
  const view = new DataView(page.buffer, page.byteOffset);
  if (view.getUint32(36, true) !== crc32(page.subarray(0, 36))) throw new BadIndex("its header is damaged");
  if (view.getUint32(8, true) !== INDEX_VERSION) throw new BadIndex("it is of another version");
  if (new Uint32Array(page.buffer, page.byteOffset + 12, 1)[0] !== BYTE_ORDER)
    throw new BadIndex("it is of another kind of machine");
  const bytes = view.getFloat64(24, true);
  if (bytes > MAX_META_BYTES) throw new BadIndex("its header is damaged");
  const text = readPart(fd, { at: view.getFloat64(16, true), bytes, crc: view.getUint32(32, true) });
  const meta = JSON.parse(Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString("utf8")) as IndexMeta;
  if (fs.fstatSync(fd).size !== meta.bytes) throw new BadIndex("it is cut");
  return meta;
}

/**
 * @param shared into memory that can be shared with workers.
 * @throws BadIndex where it is not what was written.
 */
export function readPart(fd: number, part: Part, shared = false): Uint8Array {
  const memory = shared ? new SharedArrayBuffer(part.bytes) : new ArrayBuffer(part.bytes);
  const bytes = new Uint8Array(memory);
  if (readFully(fd, bytes, part.at) !== part.bytes) throw new BadIndex("it is cut");
  if (crc32(bytes) !== part.crc) throw new BadIndex("it is damaged");
  return bytes;
}

/** @returns bytes read. */
export function readFully(fd: number, into: Uint8Array, position: number): number {
  let got = 0;
  while (got < into.length) {
    const n = fs.readSync(fd, into, got, into.length - got, position + got);
    if (n === 0) break;
    got += n;
  }
  return got;
}

export function writeFully(fd: number, bytes: Uint8Array, position: number): void {
  for (let at = 0; at < bytes.length;) at += fs.writeSync(fd, bytes, at, bytes.length - at, position + at);
}

/** A checksum for each page. */
export function pageChecksums(bytes: Uint8Array): Uint32Array {
  return Uint32Array.from({ length: pagesOf(bytes.length) }, (_, i) => crc32(bytes.subarray(i * PAGE, (i + 1) * PAGE)));
}
