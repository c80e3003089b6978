import { fstatSync } from "node:fs";
import { QuarryError } from "../errors/errors.js";
import { baseName, comparePaths } from "../paths/path.js";
import { globText } from "../profiles/quarry/glob-text.js";
import { Page } from "../retention/page.js";
import type { GlobValue } from "../search/values.js";
import { GlobList } from "../walk/glob.js";
import type { WalkEntry } from "../walk/query.js";
import { rememberedWalk as walk } from "./remembered-walk.js";
import { openFile, openFolder } from "../workspace/guard.js";
import type { Target } from "../workspace/mount.js";
import { answer } from "./answer.js";
import { inputSchema, readArguments } from "./arguments.js";
import { GrowingArtifact } from "./artifact.js";
import { belowTarget } from "./below-target.js";
import { Clock } from "./clock.js";
import { coverageOf } from "./coverage.js";
import { globPlaces, literalPlace } from "./glob-places.js";
import { mostIn } from "./most-in.js";
import { progressTeller } from "./progress.js";
import type { Rooms } from "./rooms.js";
import { GLOB_ARGUMENTS } from "./schemas.js";
import { secondGlob } from "./second-glob.js";
import type { CallOptions, Tool, ToolResult } from "./tool.js";

export function globTool(rooms: Rooms): Tool<GlobValue> {
  return {
    kind: "glob",
    name: "glob",
    title: "Find files by name",
    description: "Finds files by name pattern. Says what was left out and how to include it.",
    inputSchema: inputSchema(GLOB_ARGUMENTS),
    readOnly: true,
    call: (args, options = {}) =>
      answer(rooms.workspace, () => glob(rooms, readArguments(GLOB_ARGUMENTS, args), options)),
  };
}

type GlobArguments = ReturnType<typeof readArguments<typeof GLOB_ARGUMENTS>>;

/** The way of a value, a line a stage. */
async function glob(rooms: Rooms, args: GlobArguments, options: CallOptions): Promise<ToolResult<GlobValue>> {
  const { workspace, settings } = rooms;
  const literal = literalPlace(workspace, args.pattern, args.path);
  // Globs refuse a `!` in front, which means "not these" elsewhere; where a path is spelled so, that path is meant.
  const spelled = literal !== null && args.pattern.startsWith("!") ? `\\${args.pattern}` : args.pattern;
  const { targets, pattern } = globPlaces(workspace, spelled, args.path);
  const list = new GlobList([pattern]);
  const clock = new Clock(settings.timeoutMs, options.signal);
  try {
    const query = {
      targets,
      include: [],
      exclude: [],
      types: [],
      includeIgnored: args.include_ignored ?? false,
      maxFileBytes: 0,
    };
    const walked = walk(query, clock.signal, clock);
    const found = await matching(
      walked.entries({ dirs: args.include_dirs ?? false }),
      list,
      literal,
      progressTeller(options.onProgress),
    );
    const doubt = list.doubt();
    if (doubt !== null && found.length === 0) throw doubt;
    const zero =
      found.length === 0
        ? await secondGlob(rooms, query, walked.report, { pattern, dirs: args.include_dirs ?? false }, clock)
        : [];
    const sorted = args.sort === "modified" ? newestFirst(found) : found;
    const coverage = coverageOf(walked.report, null, clock.reason);
    const limits = { maxItems: args.max_results ?? settings.maxResults, maxBytes: settings.pageBytes };
    const page = new Page<string>({ offset: args.offset ?? 0, ...limits });
    const artifact = new GrowingArtifact(rooms.store(), limits);
    for (const { target, path, kind } of sorted) {
      const shown = workspace.show(target, path) + (kind === "directory" ? "/" : "");
      page.offer(shown, Buffer.byteLength(shown) + 1);
      artifact.add(`${shown}\n`);
    }
    const saved = artifact.finish();
    const fill = page.truncated && (args.offset ?? 0) === 0 ? mostIn(workspace, found) : null;
    const value: GlobValue = {
      paths: page.items,
      shown: page.items.length,
      total: page.total,
      truncated: page.truncated,
      ...(page.truncated ? { nextOffset: page.nextOffset } : {}),
      artifact: saved.artifact,
      coverage,
      notes: [
        ...(fill === null ? [] : [fill]),
        ...walked.report.notes,
        ...zero,
        ...(saved.reason === null ? [] : [`The complete result could not be saved: ${saved.reason}.`]),
      ].map((note) => workspace.mask(note)),
      meta: { engine: "walker", elapsedMs: clock.elapsedMs },
    };
    return { isError: false, text: globText(value), value, complete: coverage.complete, empty: value.total === 0 };
  } finally {
    clock.stop();
  }
}

async function matching(
  groups: AsyncIterable<readonly WalkEntry[]>,
  list: GlobList,
  literal: Target | null,
  tell: (files: number, matches: number) => void,
): Promise<WalkEntry[]> {
  const found: WalkEntry[] = [];
  let seen = 0;
  for await (const group of groups) {
    for (const entry of group) {
      const named = literal !== null && literal.path === entry.path && literal.mount === entry.target.mount;
      const below = belowTarget(entry.target, entry.path);
      if (named || list.matches(below, baseName(below), entry.kind === "directory")) found.push(entry);
    }
    seen += group.length;
    tell(seen, found.length);
  }
  return found;
}

/** Newest first, ties by path; what cannot be asked any more (gone, unreadable) comes last. */
function newestFirst(entries: readonly WalkEntry[]): WalkEntry[] {
  const times = new Map(entries.map((entry) => [entry, modifiedNs(entry)]));
  return entries.toSorted((a, b) => {
    const x = times.get(a) as bigint;
    const y = times.get(b) as bigint;
    return x === y ? comparePaths(a.path, b.path) : x > y ? -1 : 1;
  });
}

function modifiedNs({ target, path, kind }: WalkEntry): bigint {
  try {
    const open = kind === "directory" ? openFolder(target.mount, path) : openFile(target.mount, path);
    try {
      return fstatSync(open.fd, { bigint: true }).mtimeNs;
    } finally {
      open.close();
    }
  } catch (error) {
    if (error instanceof QuarryError) return -1n;
    throw error;
  }
}
