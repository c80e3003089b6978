import { QuarryError } from "../errors/errors.js";
import { comparePaths, joinPath } from "../paths/path.js";
import { isIgnoredName, isVersionControl } from "../profiles/deerflow/ignored.js";
import type { Listed, ListedEntry, Skipped } from "../sandbox/sandbox.js";
import { openFolder, type RawEntry } from "../workspace/guard.js";
import type { Target } from "../workspace/mount.js";
import type { VirtualPaths } from "./local-place.js";

type Counts = { -readonly [K in keyof Skipped]: number };

/**
 * The contract's ls: one folder, without the ignore set, in path order; of a folder that is virtual, or that holds other mounts, their
 * places too.
 * @param limit entries.
 */
export function listIn(paths: VirtualPaths, path: string, limit: number): Listed {
  const targets = paths.resolveAll(path, "directory");
  const entries = new Map<string, ListedEntry>();
  const skipped: Counts = {};
  for (const target of targets) {
    if (target.below !== undefined) {
      const shown = childOf(paths, path, target);
      entries.set(shown, { path: shown, kind: "directory" });
      continue;
    }
    for (const { name, kind } of entriesOf(target)) {
      const shown = paths.show(target, joinPath(target.path, name));
      const is = kindOf(paths, name, kind, shown);
      if (is === "nothing") continue;
      if (is === "file" || is === "directory") entries.set(shown, { path: shown, kind: is });
      else skipped[is] = (skipped[is] ?? 0) + 1;
    }
  }
  const all = [...entries.values()].sort((a, b) => comparePaths(a.path, b.path));
  return { entries: all.slice(0, limit), truncated: all.length > limit, skipped, notes: [] };
}

/** What an entry is to whoever uses it, or why it is not shown; `nothing` for what another mount covers, and for version control. */
function kindOf(
  paths: VirtualPaths,
  name: string,
  kind: RawEntry["kind"],
  shown: string,
): ListedEntry["kind"] | keyof Counts | "nothing" {
  switch (kind) {
    case "covered":
      return "nothing";
    case "denied":
    case "disabled":
      return kind;
    case "special":
      return ignoredKind(name) ?? "special";
    case "file":
    case "directory":
      return ignoredKind(name) ?? kind;
    case "link":
      return ignoredKind(name) ?? linkKind(paths, shown);
  }
}

function ignoredKind(name: string): "ignored" | "nothing" | null {
  if (isVersionControl(name)) return "nothing";
  return isIgnoredName(name) ? "ignored" : null;
}

function linkKind(paths: VirtualPaths, shown: string): ListedEntry["kind"] | "links" {
  try {
    return paths.resolve(shown, "any").kind;
  } catch (error) {
    if (error instanceof QuarryError) return "links";
    throw error;
  }
}

/** The part of a mount's place that the asked folder holds itself. */
function childOf(paths: VirtualPaths, asked: string, mount: Target): string {
  const [first = ""] = (mount.below ?? "").split("/");
  const whole = paths.show(mount, "");
  return whole.slice(0, whole.length - (mount.below ?? "").length) + first || asked;
}

function entriesOf(target: Target): readonly RawEntry[] {
  const folder = openFolder(target.mount, target.path);
  try {
    return folder.list();
  } finally {
    folder.close();
  }
}
