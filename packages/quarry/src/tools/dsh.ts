import { dirname } from "node:path";
import { makeEngine } from "../engines/auto/choose.js";
import { findBinary } from "../engines/ripgrep/binary.js";
import { QuarryError, type ErrorCode } from "../errors/errors.js";
import { LocalBashExecutor } from "../executors/local.js";
import { readGlobArguments, readGrepArguments } from "../profiles/dsh/arguments.js";
import type { GlobAnswer, GrepAnswer } from "../profiles/dsh/answer.js";
import { GLOB, GREP, type DshDefinition } from "../profiles/dsh/definitions.js";
import { ArgumentFailure, SearchFailure, type SearchCode } from "../profiles/dsh/errors.js";
import { probe } from "../profiles/dsh/run.js";
import { bashFinder } from "../profiles/dsh/bash-finder.js";
import type { Finder, SearchCall } from "../profiles/dsh/finder.js";
import { resolveDshSettings, type DshSettings } from "../profiles/dsh/settings.js";
import { globArtifact, globText, grepArtifact, grepText, type SavedResult } from "../profiles/dsh/text.js";
import type { MaybeStore } from "../spill/store.js";
import type { Workspace } from "../workspace/workspace.js";
import { globInWorkspace, grepInWorkspace, type DshSeam } from "./dsh-search.js";
import type { CallOptions, ErrorValue, Tool, ToolResult } from "./tool.js";

/** What the tools of the `dsh` profile are built over. */
export interface DshToolsRooms {
  readonly workspace: Workspace;
  /** Where complete results go; null where they are switched off. */
  readonly store: () => MaybeStore;
  /** Over the profile's defaults. */
  readonly settings?: Partial<DshSettings>;
}

/** The profile's tools read artifacts by themselves. */
const HINT = "Use grep with this path to search within it.";

/**
 * The tools of the `dsh` profile for the command line and the MCP server: schemas, caps and texts of the harness plugin, over bash
 * and ripgrep on this machine, or with Quarry's own engines where no bash finds a ripgrep. The packaged ripgrep is found first, then
 * that of `PATH`. Paths go through the workspace, and what ripgrep printed is read again through the guard before it is shown.
 * @throws QuarryError INVALID_ARGUMENT for a wrong setting.
 */
export async function dshTools(rooms: DshToolsRooms): Promise<readonly Tool[]> {
  const settings = dshSettings(rooms.settings);
  const seam = { workspace: rooms.workspace, finderIn: await finders(rooms.workspace), settings };
  const glob = tool<GlobAnswer>(GLOB, seam, async (args, call) => {
    const { paths, notes, complete } = await globInWorkspace(seam, readGlobArguments(args), call);
    const over = paths.length > settings.globMaxResults;
    const value = { paths, notes, saved: over ? save(rooms.store(), globArtifact({ paths, notes })) : null };
    return { value, text: globText(value, value.saved, settings), complete, empty: paths.length === 0 };
  });
  const grep = tool<GrepAnswer>(GREP, seam, async (args, call) => {
    const { matches, notes, complete } = await grepInWorkspace(seam, readGrepArguments(args), call);
    const over = matches.length > settings.grepMaxMatches;
    const value = {
      matches,
      notes,
      saved: over ? save(rooms.store(), grepArtifact({ matches, notes }, settings)) : null,
    };
    return { value, text: grepText(value, value.saved, settings), complete, empty: matches.length === 0 };
  });
  return [glob, grep];
}

/** bash and ripgrep where both can be run; Quarry's own engines elsewhere. */
async function finders(workspace: Workspace): Promise<DshSeam["finderIn"]> {
  const binary = await findBinary(null);
  const programs = "path" in binary ? [dirname(binary.path)] : [];
  const [first] = workspace.mounts;
  const executor = new LocalBashExecutor({ workdir: first?.hostRoot ?? ".", programs });
  if (await canRun(executor)) {
    const finder = bashFinder(executor);
    return () => finder;
  }
  const { inProcessFinder } = await import("./dsh-in-process.js");
  const { placeIn } = await import("./dsh-places.js");
  const engine = makeEngine("auto");
  return (target): Finder => inProcessFinder(placeIn(target), engine);
}

async function canRun(executor: LocalBashExecutor): Promise<boolean> {
  try {
    return await probe(executor);
  } catch {
    return false; // There is no bash that runs commands.
  }
}

function save(store: MaybeStore, content: string): SavedResult | null {
  const writer = store?.create();
  if (writer === undefined) return null;
  writer.write(`${content}\n`);
  const outcome = writer.finish();
  return outcome.saved ? { locator: outcome.artifact.locator, hint: HINT } : null;
}

/** An answer, before it is told apart from a failure. */
interface Found<V> {
  readonly value: V;
  readonly text: string;
  readonly complete: boolean;
  readonly empty: boolean;
}

function dshSettings(given: Partial<DshSettings> | undefined): DshSettings {
  try {
    return resolveDshSettings({ ...given });
  } catch (error) {
    throw new QuarryError("INVALID_ARGUMENT", (error as Error).message, {}, { cause: error });
  }
}

function tool<V>(
  definition: DshDefinition,
  seam: DshSeam,
  search: (args: unknown, call: SearchCall) => Promise<Found<V>>,
): Tool<V> {
  const properties = Object.fromEntries(
    Object.entries(definition.parameters).map(([name, p]) => [name, { type: "string", description: p.description }]),
  );
  const required = Object.entries(definition.parameters).flatMap(([name, p]) => (p.required === true ? [name] : []));
  return {
    kind: definition.name,
    name: definition.name,
    title: definition.title,
    description: definition.description(seam.settings),
    inputSchema: { type: "object", properties, required, additionalProperties: false },
    readOnly: true,
    call: (args, options = {}) => answered(seam, options, (call) => search(args ?? {}, call)),
  };
}

const CODES: Readonly<Record<SearchCode, ErrorCode>> = {
  SEARCH_INVALID_PATTERN: "INVALID_PATTERN",
  SEARCH_FAILED: "SEARCH_FAILED",
  SEARCH_RAW_OUTPUT_OVERFLOW: "SEARCH_FAILED",
  SEARCH_ABORTED: "ABORTED",
};

async function answered<V>(
  seam: DshSeam,
  options: CallOptions,
  search: (call: SearchCall) => Promise<Found<V>>,
): Promise<ToolResult<V>> {
  const limit = AbortSignal.timeout(seam.settings.timeoutMs);
  const signal = options.signal === undefined ? limit : AbortSignal.any([options.signal, limit]);
  try {
    return { isError: false, ...(await search({ signal })) };
  } catch (thrown) {
    return failed(thrown, seam.workspace, limit.aborted && options.signal?.aborted !== true);
  }
}

function failed(thrown: unknown, workspace: Workspace, timedOut: boolean): ToolResult<never> {
  const error = toQuarryError(thrown, timedOut);
  const message = workspace.mask(error.message);
  const { argument, nearNames } = error.details;
  const near = nearNames === undefined || nearNames.length === 0 ? {} : { nearNames };
  const value: ErrorValue = {
    error: {
      code: error.code,
      message,
      remedy: error.remedy,
      ...(argument === undefined ? {} : { argument }),
      ...near,
    },
  };
  return {
    isError: true,
    text: `Error: ${message}${"nearNames" in near ? `; near it: ${near.nearNames?.join(", ")}` : ""}`,
    value,
  };
}

function toQuarryError(thrown: unknown, timedOut: boolean): QuarryError {
  if (thrown instanceof QuarryError) return thrown;
  if (thrown instanceof ArgumentFailure) {
    return new QuarryError(
      "INVALID_ARGUMENT",
      `invalid arguments: ${thrown.message}`,
      { argument: thrown.argument },
      { cause: thrown },
    );
  }
  if (thrown instanceof SearchFailure) {
    const code = thrown.code === "SEARCH_ABORTED" && timedOut ? "TIMED_OUT" : CODES[thrown.code];
    return new QuarryError(code, thrown.message, {}, { cause: thrown });
  }
  return new QuarryError(
    "INTERNAL",
    `unexpected failure: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    {},
    { cause: thrown },
  );
}
