import os from "node:os";
import { grepText } from "../profiles/quarry/grep-text.js";
import { graver, type IncompleteReason } from "../search/coverage.js";
import type { EngineReport, SearchEngine } from "../search/engine.js";
import { dialectHints, resolveQuery } from "../search/pattern.js";
import type { GrepValue, Meta } from "../search/values.js";
import { rememberedWalk as walk } from "./remembered-walk.js";
import type { Target } from "../workspace/mount.js";
import type { Workspace } from "../workspace/workspace.js";
import { answer } from "./answer.js";
import { inputSchema, readArguments } from "./arguments.js";
import { Clock } from "./clock.js";
import { coverageOf } from "./coverage.js";
import { chosenEncoding } from "./encoding.js";
import { FirstFiles } from "./first-files.js";
import { GrepResults } from "./grep-results.js";
import { progressTeller } from "./progress.js";
import type { Rooms } from "./rooms.js";
import { GREP_ARGUMENTS } from "./schemas.js";
import { asksOtherCase, secondLook, unmarkedLook } from "./second-look.js";
import type { CallOptions, Tool, ToolResult } from "./tool.js";

/** Asking takes the system a fraction of a millisecond. */
const CORES = os.availableParallelism();

export function grepTool(rooms: Rooms): Tool<GrepValue> {
  return {
    kind: "grep",
    name: "grep",
    title: "Find lines",
    description: "Finds lines that match a regex. Says what was left out and how to include it.",
    inputSchema: inputSchema(GREP_ARGUMENTS),
    readOnly: true,
    call: (args, options = {}) =>
      answer(rooms.workspace, () => grep(rooms, readArguments(GREP_ARGUMENTS, args), options)),
  };
}

type GrepArguments = ReturnType<typeof readArguments<typeof GREP_ARGUMENTS>>;

/** The way of a value, a line a stage. */
async function grep(rooms: Rooms, args: GrepArguments, options: CallOptions): Promise<ToolResult<GrepValue>> {
  const { workspace, settings } = rooms;
  const { query, notes } = lineQuery(args, rooms.pcre2);
  const targets = targetsOf(workspace, args.path);
  const engine = await rooms.engine();
  const clock = new Clock(settings.timeoutMs, options.signal);
  const about = walkQuery(args, targets, settings.maxFileBytes);
  const walked = walk(about, clock.signal, clock);
  const results = new GrepResults(workspace, rooms.store(), retention(rooms, args));
  try {
    const tell = progressTeller(options.onProgress);
    const how = { parallel: parallel(rooms), signal: clock.signal, answer: clock };
    const first = new FirstFiles(walked.batches(settings.chunkFiles), settings.secondLookFiles);
    const batches = first.batches();
    const otherCase = asksOtherCase(query) ? { otherCaseFiles: settings.secondLookFiles } : {};
    const report = await engine.search({ query, batches, ...how, ...otherCase }, (found) => {
      results.take(found);
      tell(walked.report.files, results.matches);
      return true;
    });
    const coverage = coverageOf(
      walked.report,
      { ...report, incomplete: incompleteOf(report, results.changed) },
      clock.reason,
    );
    const second = { workspace, engine, query, report, ...how };
    const left = { walkQuery: about, walked: walked.report, first, maxFiles: settings.secondLookFiles };
    const unseen =
      results.matches === 0
        ? [...(await secondLook({ ...second, ...left })), ...dialectHints(query)]
        : await unmarkedLook(second, first);
    const value = results.value(coverage, {
      // A note may repeat a glob of the call, and with it a host path.
      notes: [...notes, ...walked.report.notes, ...reasonNotes(report), ...unseen].map((note) => workspace.mask(note)),
      meta: metaOf(engine, report, clock),
    });
    return {
      isError: false,
      text: grepText(value, results.body),
      value,
      complete: coverage.complete,
      empty: value.total === 0,
    };
  } catch (error) {
    results.discard();
    throw error;
  } finally {
    clock.stop();
  }
}

function lineQuery(args: GrepArguments, pcre2: boolean): ReturnType<typeof resolveQuery> {
  return resolveQuery({
    pattern: args.pattern,
    literal: args.literal ?? false,
    case: args.case ?? "sensitive",
    multiline: args.multiline ?? false,
    pcre2,
    encoding: chosenEncoding(args.encoding),
  });
}

function targetsOf(workspace: Workspace, path: GrepArguments["path"]): readonly Target[] {
  const paths = typeof path === "string" ? [path] : (path ?? []);
  if (paths.length === 0) return workspace.rootTargets();
  return paths.flatMap((one) => [...workspace.resolveAll(one, "any")]);
}

function walkQuery(args: GrepArguments, targets: readonly Target[], maxFileBytes: number): Parameters<typeof walk>[0] {
  const one = (text: string | undefined): string[] => (text === undefined || text === "" ? [] : [text]);
  return {
    targets,
    include: one(args.glob),
    exclude: one(args.exclude),
    types: one(args.type),
    includeIgnored: args.include_ignored ?? false,
    maxFileBytes,
  };
}

function retention({ settings }: Rooms, args: GrepArguments): ConstructorParameters<typeof GrepResults>[2] {
  return {
    output: args.output ?? "matches",
    offset: args.offset ?? 0,
    maxResults: args.max_results ?? settings.maxResults,
    pageBytes: settings.pageBytes,
    context: args.context ?? settings.context,
    lineWidth: settings.lineWidth,
    encoding: chosenEncoding(args.encoding),
  };
}

function parallel({ settings }: Rooms): number {
  return settings.engineProcesses > 0 ? settings.engineProcesses : CORES;
}

function metaOf(engine: SearchEngine, report: EngineReport, clock: Clock): Meta {
  const fallback = report.fallback === undefined ? {} : { fallback: report.fallback };
  return { engine: report.answeredBy ?? engine.name, ...fallback, elapsedMs: clock.elapsedMs };
}

function incompleteOf(report: EngineReport, changed: number): IncompleteReason | null {
  return graver(report.incomplete, changed > 0 ? "changed" : null);
}

/** The engine's own words for what it could not finish. */
function reasonNotes(report: EngineReport): string[] {
  return report.incomplete !== null && report.reason !== null ? [report.reason] : [];
}
