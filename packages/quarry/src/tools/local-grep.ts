import os from "node:os";
import type { EngineReport } from "../search/engine.js";
import { dialectHints, resolveQuery } from "../search/pattern.js";
import { QuarryError } from "../errors/errors.js";
import { BINARY_HEAD_BYTES, MAX_FILE_BYTES } from "../profiles/deerflow/limits.js";
import { isIgnoredName } from "../profiles/deerflow/ignored.js";
import { SKIP_REASONS, type GrepFound, type GrepQuestion, type SandboxCall, type Skipped } from "../sandbox/sandbox.js";
import { walk } from "../walk/walker.js";
import type { Clock } from "./clock.js";
import { ContractLines } from "./local-lines.js";
import { requireReadable } from "./local-readable.js";
import type { VirtualPaths } from "./local-place.js";
import { skippedIn, WalkMarks } from "./local-skipped.js";
import { progressTeller } from "./progress.js";
import type { Rooms } from "./rooms.js";
import { relativePattern } from "./local-pattern.js";

/** An answer has few lines: small batches end sooner, and cost a search that goes through nothing. */
const BATCH_FILES = 4_000;

/**
 * The contract's grep: the walker's files without the ignore set, the engine's lines, of which `ContractLines` keeps what the
 * contract shows. The same from every engine, since the contract's limits are applied to what is read again through the guard.
 */
export async function grepIn(
  { paths, settings, engine: chosen }: Rooms & { readonly paths: VirtualPaths },
  question: GrepQuestion,
  clock: Clock,
  onProgress: SandboxCall["onProgress"],
): Promise<GrepFound> {
  const { query, notes } = resolveQuery({
    pattern: question.pattern,
    literal: question.literal,
    case: question.caseSensitive ? "sensitive" : "insensitive",
    multiline: false,
    pcre2: false,
    encoding: null,
    // The contract has a rule of its own for which files are text.
    textRule: { nulHeadBytes: BINARY_HEAD_BYTES, maxFileBytes: MAX_FILE_BYTES },
  });
  const targets = paths.resolveAll(question.path, "any");
  const include = question.glob === null ? [] : [relativePattern(paths, question.glob, question.path)];
  const about = {
    targets,
    include,
    exclude: [],
    types: [],
    includeIgnored: true,
    ignoresName: isIgnoredName,
    maxFileBytes: 0,
  };
  const walked = walk(about, clock.signal);
  const engine = await chosen();
  const marks = new WalkMarks(walked.report);
  const lines = new ContractLines(paths, question.maxResults, targets.length === 1);
  const tell = progressTeller(onProgress);
  try {
    const parallel = settings.engineProcesses > 0 ? settings.engineProcesses : os.availableParallelism();
    const batches = marks.batches(walked.batches(Math.min(settings.chunkFiles, BATCH_FILES)));
    const report = await engine.search({ query, batches, parallel, signal: clock.signal }, (found) => {
      tell(walked.report.files, lines.count);
      return lines.take(found);
    });
    requireReadable(targets, walked.report, report);
    const { matches, truncated, last } = lines.finish();
    const incomplete = unfinished(report, matches.length, truncated);
    return {
      matches,
      truncated,
      ...(incomplete.length > 0 ? { unfinished: true as const } : {}),
      skipped: together(skippedIn(marks.skipped(last)), lines.skipped(report, last)),
      notes: [
        ...incomplete.map((note) => paths.sentence(note)),
        ...notes,
        ...walked.report.notes.map((note) => paths.sentence(note)),
        ...(matches.length === 0 ? dialectHints(query) : []),
      ],
    };
  } finally {
    lines.close();
  }
}

function together(a: Skipped, b: Skipped): Skipped {
  return Object.fromEntries(SKIP_REASONS.map((reason) => [reason, (a[reason] ?? 0) + (b[reason] ?? 0)]));
}

/**
 * What an engine could not finish, in a sentence; none where the page was full before.
 * @throws QuarryError SEARCH_FAILED where nothing was found: that is no empty answer.
 */
function unfinished(report: EngineReport, found: number, truncated: boolean): string[] {
  if (report.incomplete !== "engine" || truncated) return [];
  const why = `the search could not be finished${report.reason === null ? "" : `: ${report.reason}`}`;
  if (found === 0) throw new QuarryError("SEARCH_FAILED", why);
  return [`INCOMPLETE: ${why}.`];
}
