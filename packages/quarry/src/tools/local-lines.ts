import { Confirmer } from "../engines/confirm.js";
import { QuarryError } from "../errors/errors.js";
import { comparePaths } from "../paths/path.js";
import {
  BINARY_HEAD_BYTES,
  countChars,
  MAX_FILE_BYTES,
  MAX_LINE_CHARS,
  shownLine,
} from "../profiles/deerflow/limits.js";
import type { SandboxMatch, Skipped } from "../sandbox/sandbox.js";
import type { EngineReport, FileHits } from "../search/engine.js";
import { FileOpener } from "../workspace/guard.js";
import type { Mount } from "../workspace/mount.js";
import type { VirtualPaths } from "./local-place.js";
import type { Place } from "./local-skipped.js";

/** What is left when a search is over. */
export interface KeptLines {
  readonly matches: readonly SandboxMatch[];
  readonly truncated: boolean;
  /** Where the search ended, with its last match; null where everything was searched. */
  readonly last: Place | null;
}

/**
 * The contract's rules for lines, in one place for every engine: of a file that an engine found lines in, its size and its first bytes
 * are looked at through the guard, its lines are read again and counted in characters. What a rule leaves out is counted.
 */
export class ContractLines {
  readonly #paths: VirtualPaths;
  readonly #max: number;
  /** Files come in path order, so that the search may end with the first line too many. */
  readonly #ordered: boolean;
  readonly #confirmer = new Confirmer({ context: 0, encoding: null });
  readonly #openers = new Map<Mount, FileOpener>();
  readonly #head = Buffer.allocUnsafe(BINARY_HEAD_BYTES);
  #kept: SandboxMatch[] = [];
  #last: Place | null = null;
  #more = false;
  #binary = 0;
  #tooLarge = 0;
  #longLines = 0;
  #changed = 0;

  constructor(paths: VirtualPaths, max: number, ordered: boolean) {
    this.#paths = paths;
    this.#max = max;
    this.#ordered = ordered;
  }

  /** Lines so far. */
  get count(): number {
    return this.#kept.length;
  }

  /** One file's lines; false where no more are wanted. */
  take(found: FileHits): boolean {
    switch (this.#judge(found)) {
      case "binary":
        this.#binary++;
        return true;
      case "tooLarge":
        this.#tooLarge++;
        return true;
      case "gone":
        this.#changed += found.hits.length;
        return true;
      case "text":
        return this.#takeLines(found);
    }
  }

  finish(): KeptLines {
    this.#cut();
    return { matches: this.#kept, truncated: this.#more, last: this.#more && this.#ordered ? this.#last : null };
  }

  /** What was left out of the lines that an engine found, and what it could not read up to the place where the search ended. */
  skipped(report: EngineReport, last: Place | null): Skipped {
    const seen = report.unreadable.filter(({ path }) => last === null || comparePaths(path, last.path) <= 0);
    return {
      binary: this.#binary + report.binary,
      tooLarge: this.#tooLarge,
      longLines: this.#longLines,
      changed: this.#changed,
      unreadable: seen.length,
    };
  }

  close(): void {
    this.#confirmer.close();
    for (const opener of this.#openers.values()) opener.close();
    this.#openers.clear();
  }

  #judge({ target, path }: FileHits): "text" | "binary" | "tooLarge" | "gone" {
    try {
      const file = this.#opener(target.mount).open(path);
      try {
        if (file.size > MAX_FILE_BYTES) return "tooLarge";
        return this.#head.subarray(0, file.read(this.#head, 0)).includes(0) ? "binary" : "text";
      } finally {
        file.close();
      }
    } catch (error) {
      if (!(error instanceof QuarryError) || error.code === "SEARCH_FAILED") throw error;
      return "gone";
    }
  }

  #opener(mount: Mount): FileOpener {
    let opener = this.#openers.get(mount);
    if (opener === undefined) this.#openers.set(mount, (opener = new FileOpener(mount)));
    return opener;
  }

  #takeLines(found: FileHits): boolean {
    const confirmed = this.#confirmer.confirm(found);
    this.#changed += confirmed.dropped;
    const path = this.#paths.show(found.target, found.path);
    for (const { line: lineNumber, bytes, length } of confirmed.lines) {
      // A character has at most four bytes; of a line that is longer than that not all bytes are here.
      const text = length > MAX_LINE_CHARS * 4 ? null : bytes.toString("utf8");
      if (text === null || countChars(text) > MAX_LINE_CHARS) {
        this.#longLines++;
        continue;
      }
      if (this.#ordered && this.#kept.length === this.#max) {
        this.#more = true;
        return false;
      }
      this.#kept.push({ path, lineNumber, line: shownLine(text) });
      this.#last = { target: found.target, path: found.path };
    }
    if (this.#kept.length > this.#max * 4) this.#cut();
    return true;
  }

  /** Where several places are searched one after the other, the first lines are known when all of them are through. */
  #cut(): void {
    if (!this.#ordered) {
      this.#kept.sort((a, b) => comparePaths(a.path, b.path) || a.lineNumber - b.lineNumber);
    }
    if (this.#kept.length <= this.#max) return;
    this.#kept = this.#kept.slice(0, this.#max);
    this.#more = true;
  }
}
