import { fromHostBytes } from "../../paths/path.js";
import { PRINT_BYTES } from "./arguments.js";
import { Line, type FoundFile, type OutputReader, type PathLookup } from "./found.js";

/** A longer record (one match over that much text, or a line with that many matches) is passed over and reported. */
const MAX_RECORD_BYTES = 16_777_216;
const FIRST_BUFFER_BYTES = 65_536;
const LF = 10;
const CR = 13;

/** Text, or bytes in base64 where it is not UTF-8. */
type Data = { readonly text: string } | { readonly bytes: string };

/** The records of `rg --json`, as far as they are used. */
type Message =
  | { readonly type: "begin"; readonly data: { readonly path: Data } }
  | {
      readonly type: "match";
      readonly data: {
        readonly lines: Data;
        readonly line_number: number;
        readonly absolute_offset: number;
        readonly submatches: readonly { readonly start: number; readonly end: number }[];
      };
    }
  | {
      readonly type: "end";
      readonly data: { readonly binary_offset: number | null; readonly stats: { readonly bytes_searched: number } };
    }
  | { readonly type: "summary" };

/** Reads ripgrep's JSON records: where a match covers several lines, each of them is a hit. */
export class JsonReader implements OutputReader {
  broken: string | null = null;
  records = 0;
  /** Indices of files of which a record was too long to be read. */
  readonly tooLong = new Set<number>();
  readonly #lookup: PathLookup;
  #carry: Buffer[] = [];
  #carryBytes = 0;
  #skipping = false;
  #open = false;
  #file: FoundFile | null = null;
  #last = -1;
  #out: FoundFile[] = [];

  constructor(lookup: PathLookup) {
    this.#lookup = lookup;
  }

  push(chunk: Buffer): FoundFile[] {
    this.#out = [];
    for (let at = 0; at < chunk.length && this.broken === null;) {
      const end = chunk.indexOf(LF, at);
      const to = end === -1 ? chunk.length : end;
      if (!this.#skipping) {
        this.#carry.push(Buffer.from(chunk.subarray(at, to)));
        this.#carryBytes += to - at;
        if (this.#carryBytes > MAX_RECORD_BYTES) this.#tooLong();
      }
      if (end === -1) break;
      if (!this.#skipping) this.#record(Buffer.concat(this.#carry).toString("utf8"));
      this.#carry = [];
      this.#carryBytes = 0;
      this.#skipping = false;
      at = end + 1;
    }
    return this.#out;
  }

  end(): FoundFile[] {
    this.#out = [];
    if (this.#carryBytes > 0 || this.#skipping || this.#open) this.broken ??= "a record without an end";
    if (this.#file !== null) this.#out.push(this.#file);
    this.#file = null;
    return this.#out;
  }

  #tooLong(): void {
    this.#skipping = true;
    this.records += 1;
    this.#carry = [];
    this.#carryBytes = 0;
    if (this.#file !== null) this.tooLong.add(this.#file.index);
  }

  #record(text: string): void {
    let message: Message;
    try {
      message = JSON.parse(text) as Message;
      this.#take(message);
      if (message.type === "match") this.records += 1;
    } catch {
      this.broken = "a line that is no record";
    }
  }

  #take(message: Message): void {
    if (message.type === "begin") {
      const index = this.#lookup(fromHostBytes(bytesOf(message.data.path)));
      if (this.#open || (index !== undefined && index <= this.#last)) this.broken = "files out of order";
      this.#open = true;
      this.#file = index === undefined ? null : { index, hits: [], nul: null, long: false };
      this.#last = index ?? this.#last;
    } else if (message.type === "end") {
      if (this.#file !== null) {
        this.#file.nul = message.data.binary_offset;
        this.#file.long = message.data.stats.bytes_searched > FIRST_BUFFER_BYTES;
        this.#out.push(this.#file);
      }
      this.#open = false;
      this.#file = null;
    } else if (message.type === "match") {
      if (!this.#open) this.broken = "a match outside of a file";
      else if (this.#file !== null) addLines(this.#file.hits as Line[], message.data);
    } else if (message.type !== "summary") this.broken = "a record of an unknown kind";
  }
}

/** Each line of the block that a match covers. */
function addLines(hits: Line[], data: Extract<Message, { type: "match" }>["data"]): void {
  const bytes = bytesOf(data.lines);
  let next = 0;
  let line = data.line_number;
  for (let from = 0; from < bytes.length || from === 0; line++) {
    const lf = bytes.indexOf(LF, from);
    const end = lf === -1 ? bytes.length : lf + 1;
    while (
      next < data.submatches.length &&
      (data.submatches[next] as { end: number }).end <= from &&
      !startsIn(data.submatches[next], from, end)
    )
      next++;
    const match = data.submatches[next];
    const column = match !== undefined && match.start > from && match.start < end ? match.start - from : 0;
    let to = lf === -1 ? end : lf;
    if (lf !== -1 && to > from && bytes[to - 1] === CR) to -= 1;
    const cut = to - from > PRINT_BYTES;
    if ((hits.at(-1)?.line ?? 0) < line) {
      const block = Buffer.from(bytes.subarray(from, cut ? from + PRINT_BYTES : to));
      hits.push(new Line(line, column, data.absolute_offset + from, cut, block, 0, block.length));
    }
    from = end;
    if (bytes.length === 0) break;
  }
}

function startsIn(match: { readonly start: number } | undefined, from: number, end: number): boolean {
  return match !== undefined && match.start >= from && match.start < end;
}

function bytesOf(data: Data): Buffer {
  return "text" in data ? Buffer.from(data.text, "utf8") : Buffer.from(data.bytes, "base64");
}
