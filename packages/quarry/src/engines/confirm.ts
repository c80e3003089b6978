import { QuarryError } from "../errors/errors.js";
import { encodingName } from "../files/decode.js";
import { readLines, type LineBytes } from "../files/lines.js";
import type { FileHits, LineHit } from "../search/engine.js";
import { FileOpener, type OpenFile } from "../workspace/guard.js";
import type { Mount } from "../workspace/mount.js";
import { codePointsBefore } from "./code-points.js";
import { LINE_BYTES, type ConfirmedHits, type ConfirmedLine, type ContextLine } from "./confirmed.js";
import { LineWindow } from "./line-window.js";

export type { ConfirmedHits, ConfirmedLine } from "./confirmed.js";

export interface ConfirmOptions {
  /** Lines before and after each match; 0 for none. */
  readonly context: number;
  /** As in the query. */
  readonly encoding: string | null;
}

/** One for all: its memory would be garbage after each call, and nothing waits between opening a file in it and its last line. */
const WINDOW = new LineWindow();

/**
 * Reads what engines propose again through the guard. Nothing that an engine which opens files by itself has printed is shown
 * or saved before it went through here: a line that is not in the file that the guard opens, at the place where the
 * engine saw it, is dropped and counted. What an engine read through the guard itself is taken as it is, where it is whole.
 */
export class Confirmer {
  readonly #context: number;
  readonly #encoding: string | null;
  readonly #plain: boolean;
  readonly #openers = new Map<Mount, FileOpener>();
  #closing: NodeJS.Immediate | null = null;

  constructor(options: ConfirmOptions) {
    this.#context = options.context;
    this.#encoding = options.encoding;
    this.#plain = options.encoding === null || encodingName(options.encoding) === "utf-8";
  }

  /**
   * @throws QuarryError SEARCH_FAILED where this process has no descriptors left. Files that are gone, refused or unreadable are no
   * error: their hits are dropped.
   */
  confirm(found: FileHits): ConfirmedHits {
    const { target, path, hits } = found;
    if (found.guarded && this.#context === 0 && hits.every((hit) => !hit.cut))
      return { target, path, lines: hits.map((hit) => new ReadLine(hit)), dropped: 0 };
    let file: OpenFile;
    try {
      file = this.#opener(target.mount).open(path);
    } catch (error) {
      if (!(error instanceof QuarryError) || error.code === "SEARCH_FAILED") throw error;
      return { target, path, lines: [], dropped: hits.length };
    }
    try {
      const lines = this.#lines(file, found);
      return { target, path, lines, dropped: hits.length - lines.length };
    } catch (error) {
      if (!(error instanceof QuarryError)) throw error;
      return { target, path, lines: [], dropped: hits.length };
    } finally {
      file.close();
    }
  }

  /** Lets go of open folders. They are let go of by themselves when the program is next idle. */
  close(): void {
    if (this.#closing !== null) clearImmediate(this.#closing);
    this.#closing = null;
    for (const opener of this.#openers.values()) opener.close();
    this.#openers.clear();
  }

  #opener(mount: Mount): FileOpener {
    let opener = this.#openers.get(mount);
    if (opener === undefined) {
      this.#openers.set(mount, (opener = new FileOpener(mount)));
      this.#closing ??= setImmediate(() => this.close());
    }
    return opener;
  }

  /** By offset in a window of the file where that is possible, which is nearly always; by line number otherwise. */
  #lines(file: OpenFile, found: FileHits): ConfirmedLine[] {
    const { hits } = found;
    const out: (ConfirmedLine | null)[] = new Array(hits.length);
    const left: number[] = [];
    const windowed = this.#plain && WINDOW.open(file);
    for (let i = 0; i < hits.length; i++) {
      const line = windowed ? WINDOW.line(hits[i] as LineHit, this.#context) : undefined;
      if (line === undefined) left.push(i);
      else out[i] = line;
    }
    if (left.length > 0) this.#byNumber(file, hits, left, out);
    return out.filter((line) => line !== null && line !== undefined);
  }

  #byNumber(file: OpenFile, hits: readonly LineHit[], indices: readonly number[], out: (ConfirmedLine | null)[]): void {
    const wanted = indices.map((i) => hits[i] as LineHit);
    const read = readLines(file, wanted, {
      encoding: this.#encoding,
      context: this.#context,
      maxLineBytes: LINE_BYTES,
    });
    const byNumber = new Map(read.lines.map((line) => [line.line, line]));
    for (const i of indices) {
      const hit = hits[i] as LineHit;
      const line = byNumber.get(hit.line);
      out[i] = line === undefined || !sameText(line, hit) ? null : this.#confirmed(file, hit, line, byNumber);
    }
  }

  #confirmed(file: OpenFile, hit: LineHit, line: LineBytes, all: ReadonlyMap<number, LineBytes>): ConfirmedLine {
    const atStart =
      line.prefix.length === line.length || hit.column < line.prefix.length >> 1 || line.window.length === 0;
    const around = (from: number, to: number): ContextLine[] => {
      const lines: ContextLine[] = [];
      for (let n = from; n <= to; n++) {
        const beside = all.get(n);
        if (beside !== undefined) lines.push({ line: n, bytes: beside.prefix, length: beside.length });
      }
      return lines;
    };
    return {
      line: hit.line,
      column: hit.column,
      columnPoints: atStart ? null : codePointsBefore(file, this.#encoding, hit) + 1,
      bytes: atStart ? line.prefix : line.window,
      from: atStart ? 0 : line.windowStart,
      length: line.length,
      before: around(hit.line - this.#context, hit.line - 1),
      after: around(hit.line + 1, hit.line + this.#context),
    };
  }
}

const NO_CONTEXT: readonly ContextLine[] = [];

/** A line that the engine read through the guard, and that is whole. */
class ReadLine implements ConfirmedLine {
  readonly line: number;
  readonly column: number;
  readonly columnPoints = null;
  readonly ascii: string | undefined;
  readonly from = 0;
  readonly length: number;
  readonly before = NO_CONTEXT;
  readonly after = NO_CONTEXT;
  readonly #hit: LineHit;

  constructor(hit: LineHit) {
    this.#hit = hit;
    this.line = hit.line;
    this.column = hit.column;
    this.ascii = hit.ascii;
    this.length = this.ascii?.length ?? hit.text.length;
  }

  get bytes(): Buffer {
    return this.#hit.text;
  }
}

function sameText(line: LineBytes, hit: LineHit): boolean {
  const n = Math.min(hit.text.length, line.prefix.length);
  if (hit.cut ? line.length < hit.text.length : line.length !== hit.text.length) return false;
  return line.prefix.compare(hit.text, 0, n, 0, n) === 0;
}
