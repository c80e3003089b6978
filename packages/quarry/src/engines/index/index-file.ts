import fs from "node:fs";
import { crc32 } from "node:zlib";
import { comparePaths, type RelPath } from "../../paths/path.js";
import { BadIndex, PAGE, pagesOf, readFully, readMeta, readPart, type IndexMeta, type SegmentPlace } from "./format.js";
import { STAMP } from "../kernel/stamps.js";
import { SegmentTable } from "./segment.js";

/** Names after the last one that was found that are tried before all are searched. */
const LOOK_AHEAD = 8;

/** One segment of an open index. */
export interface OpenSegment {
  readonly table: SegmentTable;
  readonly place: SegmentPlace;
  /** Where its pages begin among those of all segments. */
  readonly firstPage: number;
}

/** An open index. The file may be replaced meanwhile: what is open stays as it was. */
export class IndexFile {
  readonly meta: IndexMeta;
  readonly segments: readonly OpenSegment[];
  /** `STAMP.numbers` for each file, in shared memory. */
  readonly stamps: BigInt64Array;
  /** In shared memory, too. */
  readonly flags: Uint8Array;
  /** In order. */
  readonly paths: readonly RelPath[];
  readonly #fd: number;
  readonly #checksums: Uint32Array;
  #page: Buffer = Buffer.alloc(PAGE * 2);
  #last = 0;

  private constructor(fd: number) {
    this.#fd = fd;
    const meta = readMeta(fd);
    this.meta = meta;
    const pages = readPart(fd, meta.pages);
    this.#checksums = new Uint32Array(pages.buffer, pages.byteOffset, pages.length / 4);
    let firstPage = 0;
    this.segments = meta.segments.map((place) => {
      const table = new SegmentTable(readPart(fd, place.table), place.documents);
      const segment = { table, place, firstPage };
      firstPage += pagesOf(place.bytes);
      return segment;
    });
    const stamps = readPart(fd, meta.stamps, true);
    this.stamps = new BigInt64Array(stamps.buffer, 0, meta.files * STAMP.numbers);
    this.flags = stamps.subarray(this.stamps.byteLength);
    const paths = readPart(fd, meta.paths);
    const names = Buffer.from(paths.buffer, paths.byteOffset, paths.byteLength).toString(meta.paths.encoding);
    this.paths = meta.files === 0 ? [] : names.split("\0");
    if (this.paths.length !== meta.files || this.flags.length !== meta.files) throw new BadIndex("it is damaged");
  }

  /**
   * @param root what `rootName` says of the folder that it must be an index of.
   * @throws BadIndex where it is none that can be used; what the system says where it cannot be opened.
   */
  static open(path: string, root: string): IndexFile {
    const fd = fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0));
    try {
      const file = new IndexFile(fd);
      if (file.meta.root !== root) throw new BadIndex("it is of another folder");
      return file;
    } catch (error) {
      fs.closeSync(fd);
      throw error;
    }
  }

  /** For who copies from it while it is open. */
  get descriptor(): number {
    return this.#fd;
  }

  /** The checksums of a segment's pages. */
  checksums({ place, firstPage }: OpenSegment): Uint32Array {
    return this.#checksums.slice(firstPage, firstPage + pagesOf(place.bytes));
  }

  close(): void {
    fs.closeSync(this.#fd);
  }

  /** The number of a file; -1 for one that is not in the index. Quick where files are asked for in order. */
  numberOf(path: RelPath): number {
    const { paths } = this;
    for (let at = this.#last, ahead = 0; ahead < LOOK_AHEAD && at < paths.length; at++, ahead++) {
      if (paths[at] !== path) continue;
      this.#last = at + 1;
      return at;
    }
    let low = 0;
    let high = paths.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = comparePaths(paths[middle] as RelPath, path);
      if (order === 0) {
        this.#last = middle + 1;
        return middle;
      }
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    this.#last = low;
    return -1;
  }

  /**
   * The postings of a trigram, valid until the next call.
   * @throws BadIndex where they are not what was written.
   */
  postings({ place, firstPage }: OpenSegment, start: number, length: number): Uint8Array {
    if (start + length > place.bytes) throw new BadIndex("it is damaged");
    const first = Math.floor(start / PAGE);
    const end = pagesOf(start + length);
    const bytes = Math.min(end * PAGE, place.bytes) - first * PAGE;
    if (this.#page.length < bytes) this.#page = Buffer.alloc(bytes * 2);
    const block = this.#page.subarray(0, bytes);
    if (readFully(this.#fd, block, place.at + first * PAGE) !== bytes) throw new BadIndex("it is cut");
    for (let page = first; page < end; page++) {
      const at = (page - first) * PAGE;
      if (crc32(block.subarray(at, at + PAGE)) !== this.#checksums[firstPage + page])
        throw new BadIndex("it is damaged");
    }
    return block.subarray(start - first * PAGE, start - first * PAGE + length);
  }
}
