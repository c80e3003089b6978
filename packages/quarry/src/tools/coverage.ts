import { graver, type Coverage, type IncompleteReason } from "../search/coverage.js";
import type { EngineReport } from "../search/engine.js";
import type { WalkReport } from "../walk/query.js";

/**
 * One coverage from what each room counted.
 * @param early why the call was ended before its end, or null.
 */
export function coverageOf(
  walked: WalkReport,
  searched: Pick<EngineReport, "filesSearched" | "binary" | "unreadable" | "incomplete"> | null,
  early: IncompleteReason | null,
): Coverage {
  const skipped = { ...walked.skipped };
  let reason = early;
  if (searched !== null) {
    skipped.binary += searched.binary;
    skipped.unreadable += searched.unreadable.length;
    reason = graver(reason, searched.incomplete);
  }
  if (skipped.unreadable > 0) reason = graver(reason, "unreadable");
  return { complete: reason === null, reason, filesSearched: searched?.filesSearched ?? walked.files, skipped };
}
