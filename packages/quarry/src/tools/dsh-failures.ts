import { QuarryError } from "../errors/errors.js";
import { baseName, compareNames, type RelPath } from "../paths/path.js";
import type { Complaints } from "../profiles/dsh/complaints.js";
import { cancelled, couldNotSearch, SearchFailure } from "../profiles/dsh/errors.js";
import type { SearchCall } from "../profiles/dsh/finder.js";
import { patternFailure } from "../profiles/dsh/run.js";
import { GlobsetFault } from "../walk/globset.js";
import { Overrides } from "../walk/overrides.js";
import type { WalkReport } from "../walk/query.js";
import { asText, printed, type Place } from "./dsh-places.js";

/** @throws SearchFailure SEARCH_INVALID_PATTERN for a glob that ripgrep does not take. */
export function readGlobs(globs: readonly string[]): Overrides {
  try {
    return new Overrides(globs);
  } catch (error) {
    if (!(error instanceof GlobsetFault)) throw error;
    throw ripgrepSays(`rg: error parsing glob '${globs[0]}': ${error.message}`, { cause: error });
  }
}

/** A failure in ripgrep's words, judged as if it had said so. */
function ripgrepSays(text: string, options: ErrorOptions): SearchFailure {
  // Engines hand on what ripgrep said without its empty lines; it sets its advice apart.
  const stderr = { text: text.trim().replace(/\n(?=Consider enabling )/, "\n\n"), truncated: false };
  const failure = patternFailure(stderr) ?? couldNotSearch("grep", `: ${stderr.text}`);
  failure.cause = options.cause;
  return failure;
}

export function asContractFailure(error: unknown): unknown {
  if (!(error instanceof QuarryError)) return error;
  if (error.code === "INVALID_PATTERN") {
    const said = error.cause instanceof Error ? error.cause.message : `rg: regex parse error:\nerror: ${error.message}`;
    return ripgrepSays(said, { cause: error });
  }
  return new SearchFailure("SEARCH_FAILED", `grep could not search: ${error.message}`, { cause: error });
}

export function checkNotCancelled(tool: "glob" | "grep", { signal }: SearchCall, options?: ErrorOptions): void {
  if (signal?.aborted === true) throw cancelled(tool, options);
}

/** What stands in them does not count then, and says nothing of files: ripgrep goes on without a word. */
const IGNORE_FILES: ReadonlySet<string> = new Set([".gitignore", ".ignore", ".rgignore", "exclude"]);

/**
 * What could not be read; null where that is nothing.
 * @param others files of which a part is missing.
 * @throws SearchFailure SEARCH_FAILED where nothing was found.
 */
export function complaintsOf(
  tool: "glob" | "grep",
  place: Place,
  walked: WalkReport,
  files: readonly RelPath[],
  results: number,
  others = 0,
): Complaints | null {
  const inWalk = walked.samples.unreadable.filter((path) => !IGNORE_FILES.has(baseName(path)));
  const paths = walked.skipped.unreadable - walked.samples.unreadable.length + inWalk.length + files.length + others;
  if (paths === 0) return null;
  if (results > 0) return { paths, atLeast: false, others: false };
  const names = [...inWalk, ...files].slice(0, 20).sort(compareNames);
  const said = names.map((path) => {
    const name = asText(printed(place, path));
    // The walk that sorts by time has these words in front.
    const doing = tool === "glob" ? `IO error for operation on ${name}: ` : "";
    return `rg: ${name}: ${doing}Permission denied (os error 13)`;
  });
  throw couldNotSearch(tool, said.length === 0 ? "" : `: ${said.join("\n")}`);
}
