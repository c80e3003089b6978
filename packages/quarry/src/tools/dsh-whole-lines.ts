import { QuarryError } from "../errors/errors.js";
import { readLines } from "../files/lines.js";
import type { FileHits, LineHit } from "../search/engine.js";
import { FileOpener } from "../workspace/guard.js";
import type { Mount } from "../workspace/mount.js";

/** A matching line with all its bytes, without its end; a CR at the very end of a file counts as one. */
export interface WholeLine {
  readonly line: number;
  readonly text: Buffer;
}

/**
 * Makes whole lines of what an engine reports, through the guard: what an engine read by itself is confirmed, and what it cut is read
 * again.
 */
export class WholeLines {
  readonly #maxLineBytes: number;
  #opener: { readonly mount: Mount; readonly files: FileOpener } | null = null;

  /** @param maxLineBytes that are read of one line. */
  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** `complete` is false where lines are missing: the file changed, or is not to be opened any more. */
  of(found: FileHits): { readonly lines: readonly WholeLine[]; readonly complete: boolean } {
    const again = (hit: LineHit): boolean => hit.cut || !found.guarded;
    const unsure = found.hits.filter(again).map((hit) => hit.line);
    const read = unsure.length === 0 ? null : this.#read(found, unsure);
    const lines = found.hits.flatMap((hit) => {
      const text = again(hit) ? confirmed(read?.get(hit.line), hit) : hit.text;
      return text === null ? [] : [{ line: hit.line, text }];
    });
    return { lines, complete: lines.length === found.hits.length };
  }

  close(): void {
    this.#opener?.files.close();
    this.#opener = null;
  }

  #read({ target, path }: FileHits, wanted: readonly number[]): ReadonlyMap<number, Buffer> {
    if (this.#opener?.mount !== target.mount) {
      this.#opener?.files.close();
      this.#opener = { mount: target.mount, files: new FileOpener(target.mount) };
    }
    try {
      const file = this.#opener.files.open(path);
      try {
        const { lines } = readLines(file, wanted, { encoding: null, maxLineBytes: this.#maxLineBytes });
        return new Map(lines.map(({ line, prefix }) => [line, prefix]));
      } finally {
        file.close();
      }
    } catch (error) {
      if (!(error instanceof QuarryError) || error.code === "SEARCH_FAILED") throw error;
      return new Map();
    }
  }
}

const CR = 13;

/** The line as it was read again, where it is what the engine saw; null where it is not. */
function confirmed(line: Buffer | undefined, { text, cut }: LineHit): Buffer | null {
  if (line === undefined) return null;
  if (cut) return line.subarray(0, text.length).equals(text) ? line : null;
  if (line.equals(text)) return line;
  return line.at(-1) === CR && line.subarray(0, -1).equals(text) ? text : null;
}
