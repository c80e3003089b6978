import { Confirmer, type ConfirmedLine } from "../engines/confirm.js";
import { fileLine, GrepLines } from "../profiles/quarry/grep-text.js";
import { codePoints, lineText } from "../retention/line-text.js";
import { Page } from "../retention/page.js";
import type { Coverage } from "../search/coverage.js";
import type { FileHits } from "../search/engine.js";
import type { FileCount, GrepValue, Match, Meta } from "../search/values.js";
import type { MaybeStore } from "../spill/store.js";
import type { Workspace } from "../workspace/workspace.js";
import { GrowingArtifact } from "./artifact.js";

/** What one grep call keeps, and how. All values are resolved. */
export interface GrepRetention {
  readonly output: "matches" | "files" | "count";
  readonly offset: number;
  readonly maxResults: number;
  readonly pageBytes: number;
  /** Lines before and after each match. */
  readonly context: number;
  /** Code points of a shown line. */
  readonly lineWidth: number;
  readonly encoding: string | null;
}

/**
 * The one retention pass of a grep call: takes what the engine found, has it confirmed where it is shown or saved, and
 * feeds the page, the structured value and the artifact.
 */
export class GrepResults {
  readonly #workspace: Workspace;
  readonly #retention: GrepRetention;
  readonly #page: Page<Match | FileCount>;
  readonly #artifact: GrowingArtifact;
  readonly #confirmer: Confirmer;
  readonly #pageLines = new GrepLines();
  readonly #artifactLines = new GrepLines();
  #lines = 0;
  #files = 0;
  #changed = 0;

  constructor(workspace: Workspace, store: MaybeStore, retention: GrepRetention) {
    this.#workspace = workspace;
    this.#retention = retention;
    const { offset, maxResults: maxItems, pageBytes: maxBytes } = retention;
    this.#page = new Page({ offset, maxItems, maxBytes });
    this.#artifact = new GrowingArtifact(store, { maxItems, maxBytes });
    this.#confirmer = new Confirmer({
      context: retention.output === "matches" ? retention.context : 0,
      encoding: retention.encoding,
    });
  }

  /** Matching lines so far. */
  get matches(): number {
    return this.#lines;
  }

  /** Proposed lines that were not there when they were read again. */
  get changed(): number {
    return this.#changed;
  }

  /** One file's matching lines, in the walker's order. */
  take(found: FileHits): void {
    const lines = this.#retention.output === "matches" ? this.#takeMatches(found) : this.#takeFile(found);
    this.#lines += lines;
    if (lines > 0) this.#files += 1;
  }

  #takeMatches(found: FileHits): number {
    const saved = this.#savesPacked(found);
    if (saved > 0) return saved;
    const n = found.packed?.count ?? found.hits.length;
    const { before, wanted } = this.#artifact.wanted ? { before: 0, wanted: n } : this.#page.window(n);
    this.#page.skip(before);
    let lines = before;
    if (wanted > 0) {
      const hits = found.hits.slice(before, before + wanted);
      const confirmed = this.#confirmer.confirm({ ...found, hits, packed: null });
      this.#changed += confirmed.dropped;
      const path = this.#workspace.show(found.target, found.path);
      for (const line of confirmed.lines) this.#offer(this.#match(path, line));
      lines += confirmed.lines.length;
    }
    const behind = n - before - wanted;
    this.#page.skip(behind);
    return lines + behind;
  }

  /**
   * Saves the lines of a file before or behind the page where nothing about them is left to find out.
   * @returns how many; 0 where they have to be looked at one by one, and then nothing was done.
   */
  #savesPacked({ target, path, packed, guarded }: FileHits): number {
    const { context, lineWidth } = this.#retention;
    const saves = guarded && context === 0 && this.#artifact.grows;
    if (!saves || packed === null || packed === undefined || this.#page.window(packed.count).wanted > 0) return 0;
    const ready = this.#artifactLines.packed(this.#workspace.show(target, path), packed, lineWidth);
    if (ready === null) return 0;
    this.#artifact.addLines(ready.text, ready.lines);
    this.#page.skip(packed.count);
    return packed.count;
  }

  #offer(match: Match): void {
    if (this.#page.wantsNext) this.#page.offer(match, this.#pageLines.match(match).bytes);
    else this.#page.skip(1);
    if (!this.#artifact.wanted) return;
    const { text, bytes } = this.#artifactLines.match(match);
    this.#artifact.add(text, bytes);
  }

  #takeFile(found: FileHits): number {
    if (!this.#artifact.wanted && this.#page.window(1).wanted === 0) {
      this.#page.skip(1);
      return found.hits.length;
    }
    const confirmed = this.#confirmer.confirm(found);
    this.#changed += confirmed.dropped;
    const count = confirmed.lines.length;
    if (count === 0) return 0;
    const item = { path: this.#workspace.show(found.target, found.path), count };
    const text = this.#fileLine(item);
    if (this.#page.wantsNext) this.#page.offer(item, Buffer.byteLength(text));
    else this.#page.skip(1);
    this.#artifact.add(text);
    return count;
  }

  #match(path: string, line: ConfirmedLine): Match {
    const { lineWidth, context } = this.#retention;
    const { ascii } = line;
    const shown =
      ascii !== undefined && ascii.length === line.length && ascii.length <= lineWidth
        ? { text: ascii, clipped: false, lossy: false }
        : lineText(line.bytes, line.from, line.column, line.length, lineWidth);
    const around = (lines: ConfirmedLine["before"]): string[] =>
      lines.map((one) => lineText(one.bytes, 0, 0, one.length, lineWidth).text);
    return {
      path,
      line: line.line,
      column:
        line.columnPoints ??
        (ascii === undefined ? codePoints(line.bytes, line.column - line.from) : line.column - line.from) + 1,
      text: shown.text,
      ...(shown.clipped ? { clipped: true } : {}),
      ...(shown.lossy ? { lossy: true } : {}),
      ...(context > 0 ? { before: around(line.before), after: around(line.after) } : {}),
    };
  }

  #fileLine(file: FileCount): string {
    return fileLine(file, this.#retention.output === "count");
  }

  /** The lines of the page. */
  get body(): string {
    const lines = new GrepLines();
    return (
      this.#page.items.map((item) => ("count" in item ? this.#fileLine(item) : lines.match(item).text)).join("") +
      lines.rest()
    );
  }

  /** The structured value. Keeps the artifact where it began. */
  value(coverage: Coverage, rest: { readonly notes: readonly string[]; readonly meta: Meta }): GrepValue {
    const { artifact, reason } = this.#artifact.finish(this.#artifactLines.rest());
    const items = this.#page.items;
    const notes = reason === null ? rest.notes : [...rest.notes, `The complete result could not be saved: ${reason}.`];
    return {
      ...(this.#retention.output === "matches" ? { matches: items as Match[] } : { files: items as FileCount[] }),
      shown: items.length,
      total: this.#lines,
      totalFiles: this.#files,
      truncated: this.#page.truncated,
      ...(this.#page.truncated ? { nextOffset: this.#page.nextOffset } : {}),
      artifact,
      coverage,
      notes,
      meta: rest.meta,
    };
  }

  /** The call failed: nothing is kept. */
  discard(): void {
    this.#artifact.discard();
  }
}
