import { QuarryError } from "../errors/errors.js";
import { isUnder } from "../paths/path.js";
import type { Target } from "../workspace/mount.js";
import { outsideWorkspace } from "../workspace/refusal.js";
import type { Workspace } from "../workspace/workspace.js";

/** Where a glob looks, and the rest of the pattern, relative to there. */
export interface GlobPlaces {
  readonly targets: readonly Target[];
  readonly pattern: string;
}

const WILD = /[*?[\]{}\\]/;

/**
 * Splits a pattern into the folder it names and the rest, where that is more than a matter of taste: the pattern is absolute
 * (`/src/*.ts`, `~/d/*.md`), leaves its folder (`../x/*`), begins with a mount's name as shown paths do, or names a link, which is
 * followed because it was named.
 * @throws QuarryError as `Workspace.resolve` for the folder that the pattern or `path` names.
 */
export function globPlaces(workspace: Workspace, pattern: string, path: string | undefined): GlobPlaces {
  const parts = pattern.split("/");
  const wild = parts.findIndex((part) => WILD.test(part));
  const literal = parts.slice(0, wild === -1 ? parts.length - 1 : Math.min(wild, parts.length - 1));
  const folder = literal.join("/");
  const rest = parts.slice(literal.length).join("/");
  if (pattern.startsWith("/") || pattern.startsWith("~")) {
    return {
      targets: absoluteFolder(workspace, folder === "" ? "/" : folder, pattern),
      pattern: anchored(rest, literal.length),
    };
  }
  const base = path === undefined || path === "" ? null : path;
  const targets = base === null ? workspace.rootTargets() : workspace.resolveAll(base, "directory");
  if (literal.length === 0) return { targets, pattern };
  const mounted = base === null ? mountedFolder(workspace, folder) : null;
  if (mounted !== null) return { targets: mounted, pattern: anchored(rest, literal.length) };
  const named = base === null ? folder : `${base}/${folder}`;
  if (literal.includes(".."))
    return { targets: workspace.resolveAll(named, "directory"), pattern: anchored(rest, literal.length) };
  const link = linkedFolder(workspace, named);
  return link === null ? { targets, pattern } : { targets: [link], pattern: anchored(rest, literal.length) };
}

/**
 * What a pattern names where it is taken as it stands, as a path that was shown: it is found beside what the pattern
 * means. null where there is nothing of that name.
 */
export function literalPlace(workspace: Workspace, pattern: string, path: string | undefined): Target | null {
  const named = path === undefined || path === "" || pattern.startsWith("/") ? pattern : `${path}/${pattern}`;
  try {
    const [target, ...others] = workspace.resolveAll(named, "any", false);
    return others.length === 0 ? (target ?? null) : null;
  } catch (error) {
    // No such path: then it is a glob, and the globs say what may be wrong with it.
    if (error instanceof QuarryError) return null;
    throw error;
  }
}

/** Where the pattern holds a host path of a root, its refusal does not repeat a part of it. */
function absoluteFolder(workspace: Workspace, folder: string, pattern: string): readonly Target[] {
  try {
    return workspace.resolveAll(folder, "directory");
  } catch (error) {
    if (error instanceof QuarryError && error.code === "OUTSIDE_WORKSPACE" && workspace.mask(pattern) !== pattern)
      throw outsideWorkspace("…");
    throw error;
  }
}

/** A pattern without `/` means any depth; one that lost its folder does not. */
function anchored(rest: string, lost: number): string {
  return lost > 0 && !rest.includes("/") ? `/${rest}` : rest;
}

/** The folder a pattern names, where its first name is a mount's (a path means that mount too); null where it is not. */
function mountedFolder(workspace: Workspace, folder: string): readonly Target[] | null {
  const plain = folder.replace(/^(?:\.\/)+/, "");
  if (!workspace.mounts.some(({ name }) => name !== "" && (isUnder(plain, name) || isUnder(name, plain)))) return null;
  try {
    return workspace.resolveAll(plain, "directory", false);
  } catch (error) {
    // No such folder there: what other mounts hold may still match.
    if (error instanceof QuarryError) return null;
    throw error;
  }
}

/** The folder a pattern names, where a link is on its way; null where there is none, or no such folder. */
function linkedFolder(workspace: Workspace, named: string): Target | null {
  let found: readonly Target[];
  try {
    found = workspace.resolveAll(named, "directory", false);
  } catch {
    // Not a folder that can be named: then nothing below it matches, and the walk says so.
    return null;
  }
  const [target] = found;
  return found.length === 1 && target !== undefined && target.asked !== target.path ? target : null;
}
