import { realpathSync } from "node:fs";
import { isAbsolute, parse, sep } from "node:path";
import { QuarryError } from "../errors/errors.js";
import type { BashExecutor } from "../executors/executor.js";
import { fromHostBytes, toHostBytes, type RelPath } from "../paths/path.js";
import { couldNotSearch, doesNotExist, isNoFolder, SearchFailure } from "../profiles/dsh/errors.js";
import type { SearchCall } from "../profiles/dsh/finder.js";
import type { Target } from "../workspace/mount.js";
import { Workspace } from "../workspace/workspace.js";

/** A place to search, as ripgrep would be given it. */
export interface Place {
  readonly target: Target;
  /** As it was named: what is found in it is printed below this. */
  readonly named: string;
  /** Absolute; the folder that the call is made in. */
  readonly workdir: string;
  /** The same, canonical: what globs with a slash count from. */
  readonly base: RelPath;
}

type ToolName = "glob" | "grep";

/**
 * Finds what a path means.
 * @throws SearchFailure, ArgumentFailure in the words of the contract's ripgrep; QuarryError where a workspace refuses it.
 */
export type OpenPlace = (tool: ToolName, path: string | undefined, call: SearchCall) => Promise<Place>;

/** The search root where none is named, as in the contract's commands. */
const HERE = "./";

/**
 * Any place on this machine that the process may read: the harness' plugin has no roots. The workspace is the whole file system, so that
 * ignore files above the working directory count, as they do for ripgrep.
 * @param executor says which folder a call is made in; it is given nothing to run.
 */
export function anyPlace(executor: Pick<BashExecutor, "resolve">): OpenPlace {
  return async (tool, path, call) => {
    const workdir = workdirOf(executor, tool, call);
    const base = canonicalFolder(tool, workdir);
    const named = path ?? HERE;
    const real = canonicalPlace(tool, workdir, named);
    const { root } = parse(real);
    const workspace = await Workspace.open({ mounts: [{ host: root }] });
    const inside = real.slice(root.length).replaceAll(sep, "/");
    try {
      return { target: workspace.resolve(inside === "" ? undefined : inside, "any"), named, workdir, base };
    } catch (error) {
      if (error instanceof QuarryError) throw couldNotSearch(tool, `: ${named}: ${error.message}`);
      throw error;
    }
  };
}

/** One place of a workspace, named from its mount's folder. */
export function placeIn(target: Target): OpenPlace {
  const { hostRoot } = target.mount;
  return (_tool, path = HERE) => Promise.resolve({ target, named: path, workdir: hostRoot, base: hostRoot });
}

/** A path as ripgrep prints it. @param path of the place or of something in it, relative to the mount. */
export function printed({ target, named }: Place, path: RelPath): RelPath {
  if (path === target.path) return named;
  const inside = target.path === "" ? path : path.slice(target.path.length + 1);
  return named.endsWith("/") ? named + inside : `${named}/${inside}`;
}

/** Bytes that are no UTF-8 are U+FFFD. */
export function asText(name: RelPath): string {
  const host = toHostBytes(name);
  return typeof host === "string" ? host : host.toString("utf8");
}

/** A printed path as ripgrep's `--glob` options see it. */
export function seenByGlobs({ base }: Place, name: RelPath): RelPath {
  const folder = base.endsWith(sep) ? base : `${base}${sep}`;
  return name.startsWith(folder) ? name.slice(folder.length) : name.replace(/^\.\//, "");
}

function workdirOf(executor: Pick<BashExecutor, "resolve">, tool: ToolName, { workdir }: SearchCall): string {
  try {
    return executor.resolve({ command: ":", ...(workdir === undefined ? {} : { workdir }) }).workdir;
  } catch (error) {
    throw new SearchFailure("SEARCH_FAILED", `${tool} has no working directory: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function canonicalFolder(tool: ToolName, workdir: string): RelPath {
  try {
    return canonical(workdir);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SearchFailure(
      "SEARCH_FAILED",
      `${tool} cannot search: the working directory cannot be opened (${code})`,
      {
        cause: error,
      },
    );
  }
}

/** Reasons of the system, as ripgrep tells them. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: "Permission denied (os error 13)",
  ENOTDIR: "Not a directory (os error 20)",
  ENAMETOOLONG: "Filename too long (os error 36)",
  ELOOP: "Too many levels of symbolic links (os error 40)",
};

function canonicalPlace(tool: ToolName, workdir: string, named: string): RelPath {
  try {
    // Not normalized before: what `..` means behind a link is for the system to say.
    return canonical(isAbsolute(named) ? named : `${workdir}${sep}${named}`);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw doesNotExist(tool, named);
    if (code === "ENOTDIR" && tool === "glob") throw isNoFolder();
    throw couldNotSearch(tool, `: rg: ${named}: IO error for operation on ${named}: ${REASONS[code] ?? code}`);
  }
}

function canonical(host: string): RelPath {
  return fromHostBytes(realpathSync.native(host, { encoding: "buffer" }));
}
