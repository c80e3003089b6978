import { comparePaths, joinPath, type RelPath } from "../paths/path.js";
import { lsText } from "../profiles/quarry/glob-text.js";
import type { LsEntry, LsValue } from "../search/values.js";
import { walk } from "../walk/walker.js";
import { openFolder, type RawEntry } from "../workspace/guard.js";
import type { Target } from "../workspace/mount.js";
import type { Workspace } from "../workspace/workspace.js";
import { answer } from "./answer.js";
import { inputSchema, readArguments } from "./arguments.js";
import { Clock } from "./clock.js";
import type { Rooms } from "./rooms.js";
import { LS_ARGUMENTS } from "./schemas.js";
import type { Tool, ToolResult } from "./tool.js";

export function lsTool(rooms: Rooms): Tool<LsValue> {
  return {
    kind: "ls",
    name: "ls",
    title: "List a folder",
    description: "Lists a folder. What grep and glob leave out by ignore rules is marked.",
    inputSchema: inputSchema(LS_ARGUMENTS),
    readOnly: true,
    call: (args, options = {}) =>
      answer(rooms.workspace, async () => {
        const { path, depth } = readArguments(LS_ARGUMENTS, args);
        const clock = new Clock(rooms.settings.timeoutMs, options.signal);
        try {
          return await list(rooms, path, depth ?? rooms.settings.lsDepth, clock.signal);
        } finally {
          clock.stop();
        }
      }),
  };
}

async function list(
  rooms: Rooms,
  path: string | undefined,
  depth: number,
  signal: AbortSignal,
): Promise<ToolResult<LsValue>> {
  const { workspace, settings } = rooms;
  const targets = workspace.resolveAll(path, "directory");
  const all: LsEntry[] = [];
  const left: LeftOut = { denied: 0, disabled: 0 };
  const [asked] = targets as readonly [Target];
  const itself =
    targets.length === 1 || (asked.below === undefined && targets.slice(1).every((t) => t.below !== undefined));
  if (itself) below(workspace, asked, asked.path, depth, await visible(asked, depth, signal), all, left);
  const mounts = itself ? targets.slice(1) : targets;
  for (const target of mounts) all.push({ path: `${workspace.show(target, target.path)}/`, kind: "directory" });
  if (itself && mounts.length > 0) all.sort((a, b) => comparePaths(a.path, b.path));
  const entries = all.slice(0, settings.lsMaxEntries);
  const value: LsValue = {
    path: itself ? workspace.show(asked, asked.path) : ".",
    entries,
    shown: entries.length,
    total: all.length,
    truncated: entries.length < all.length,
    notes: (["denied", "disabled"] as const).flatMap((rule) => (left[rule] === 0 ? [] : [`${left[rule]} ${rule}`])),
  };
  return { isError: false, text: lsText(value), value, complete: true, empty: all.length === 0 };
}

/** What grep and glob see of a folder, by path. */
async function visible(target: Target, depth: number, signal: AbortSignal): Promise<Set<RelPath>> {
  const query = { targets: [target], include: [], exclude: [], types: [], includeIgnored: false, maxFileBytes: 0 };
  const seen = new Set<RelPath>();
  for await (const group of walk(query, signal).entries({ dirs: true, maxDepth: depth }))
    for (const { path } of group) seen.add(path);
  return seen;
}

/** How many names each rule leaves out. */
type LeftOut = Record<"denied" | "disabled", number>;

/** Adds what is in a folder, and below it as far as `depth` goes, and counts what the rules leave out. */
function below(
  workspace: Workspace,
  target: Target,
  path: RelPath,
  depth: number,
  seen: ReadonlySet<RelPath>,
  into: LsEntry[],
  left: LeftOut,
): void {
  for (const { name, kind } of sortedEntries(target, path)) {
    if (kind === "covered") continue; // The mount that stands there is listed in its place.
    if (kind === "denied" || kind === "disabled") {
      left[kind] += 1;
      continue;
    }
    const inner = joinPath(path, name);
    const counts = kind === "file" || kind === "directory";
    const shown = workspace.show(target, inner) + (kind === "directory" ? "/" : "");
    const ignored = counts && !seen.has(inner);
    into.push({ path: shown, kind, ...(ignored ? { ignored: true } : {}) });
    if (kind === "directory" && depth > 1 && !ignored) below(workspace, target, inner, depth - 1, seen, into, left);
  }
}

function sortedEntries(target: Target, path: RelPath): readonly RawEntry[] {
  const folder = openFolder(target.mount, path);
  try {
    return folder.list();
  } finally {
    folder.close();
  }
}
