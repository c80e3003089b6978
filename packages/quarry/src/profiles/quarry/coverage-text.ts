import type { Coverage, IncompleteReason } from "../../search/coverage.js";
import type { PageFacts } from "../../search/values.js";

const REASONS: Record<IncompleteReason, string> = {
  timeout: "the time limit was reached",
  cancelled: "the call was cancelled",
  engine: "the search engine failed on some files",
  unreadable: "some files or folders could not be read",
  "nul-byte": "matches behind a NUL byte are not shown",
  changed: "files changed while they were searched",
};

/** A whole number with its thousands separated. (`toLocaleString` loads a table first, which costs more than a search.) */
export function thousands(n: number): string {
  return String(n).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** `n thing` or `n things`, with thousands separated. */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${thousands(n)} ${n === 1 ? one : many}`;
}

/** Where the rest of a cut page is. What was not searched to its end is not called complete. */
export function completeResult({ artifact, coverage }: PageFacts): string {
  if (artifact === null) return "";
  return ` ${coverage.complete ? "Complete result" : "All that was found"}: ${artifact.locator}`;
}

/** The first line of an answer that is not whole; null for one that is. */
export function incompleteLine(coverage: Coverage): string | null {
  if (coverage.complete || coverage.reason === null) return null;
  return `INCOMPLETE: ${REASONS[coverage.reason]}; ${plural(coverage.filesSearched, "file")} searched.`;
}

/** What an answer with results still has to say of what it leaves out: the parts that could hold more results. */
export function leftOut(coverage: Coverage): string | null {
  const s = coverage.skipped;
  const parts = [
    s.unreadable > 0 && `${s.unreadable} unreadable, skipped`,
    s.denied > 0 && `${s.denied} denied`,
    s.disabled > 0 && `${s.disabled} disabled`,
    s.binary > 0 && `${plural(s.binary, "binary file")} would match`,
    s.tooLarge > 0 && `${plural(s.tooLarge, "file")} over the size limit`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? null : `(${parts.join("; ")})`;
}

/** Everything that was not searched, for an empty answer: nothing left out may look like absence. */
export function everythingLeftOut(coverage: Coverage): string | null {
  const s = coverage.skipped;
  const parts = [
    s.ignored > 0 && `${s.ignored} ignored`,
    s.hidden > 0 && `${s.hidden} version control`,
    s.excluded > 0 && `${s.excluded} excluded by glob or type`,
    s.links > 0 && `${plural(s.links, "link")} not followed`,
    s.special > 0 && `${s.special} special`,
    s.unreadable > 0 && `${s.unreadable} unreadable, skipped`,
    s.denied > 0 && `${s.denied} denied`,
    s.disabled > 0 && `${s.disabled} disabled`,
    s.binary > 0 && `${plural(s.binary, "binary file")} would match`,
    s.tooLarge > 0 && `${plural(s.tooLarge, "file")} over the size limit`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? null : `Left out: ${parts.join(", ")}.`;
}
