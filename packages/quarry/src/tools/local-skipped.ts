import { comparePaths, type RelPath } from "../paths/path.js";
import type { Skipped } from "../sandbox/sandbox.js";
import type { SkipCounts } from "../search/coverage.js";
import type { FileBatch } from "../search/engine.js";
import type { WalkReport } from "../walk/query.js";
import type { Target } from "../workspace/mount.js";

/** What a walk left out, in the contract's words. Version control folders count for nothing: nobody means them. */
export function skippedIn({ links, special, unreadable, denied, disabled, ignored }: SkipCounts): Skipped {
  return { links, special, unreadable, denied, disabled, ignored };
}

/** A place in a walk. */
export interface Place {
  readonly target: Target;
  readonly path: RelPath;
}

/**
 * Remembers what a walk had counted when it handed on each batch. A search that ends early has had a walk run ahead of it by more or
 * less; the counts up to the batch in which it ended are the same every time.
 */
export class WalkMarks {
  readonly #report: WalkReport;
  readonly #marks: { readonly end: Place; readonly skipped: SkipCounts }[] = [];

  constructor(report: WalkReport) {
    this.#report = report;
  }

  async *batches(walked: AsyncIterable<FileBatch>): AsyncGenerator<FileBatch> {
    for await (const batch of walked) {
      const path = batch.files.at(-1) ?? "";
      this.#marks.push({ end: { target: batch.target, path }, skipped: { ...this.#report.skipped } });
      yield batch;
    }
  }

  /** @param last where the search ended; null where it went through. */
  skipped(last: Place | null): SkipCounts {
    if (last === null) return this.#report.skipped;
    const mark = this.#marks.find(({ end }) => end.target === last.target && comparePaths(end.path, last.path) >= 0);
    return mark?.skipped ?? this.#report.skipped;
  }
}
