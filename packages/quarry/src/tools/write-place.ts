import { QuarryError } from "../errors/errors.js";
import type { WritePlace } from "../files/write-file.js";
import { joinPath, type RelPath } from "../paths/path.js";
import type { Target } from "../workspace/mount.js";
import { quote } from "../workspace/refusal.js";
import type { Workspace } from "../workspace/workspace.js";

/** A place to write to, and the path it is shown as. */
export interface NamedPlace extends WritePlace {
  readonly shown: string;
}

/**
 * Where a file is, or would be: what exists of the path is resolved as for reading, what does not is taken word by word.
 * @throws QuarryError whatever resolving throws; NOT_FOUND where a folder is missing and none is to be made.
 */
export function placeToWrite(workspace: Workspace, path: string, createFolders: boolean): NamedPlace {
  if (path.endsWith("/"))
    throw new QuarryError("INVALID_ARGUMENT", `${quote(path)} names a folder; a file's name is needed`, {
      argument: "path",
    });
  const existing = resolved(workspace, path, "file");
  if (!(existing instanceof QuarryError)) return placeAt(workspace, existing, existing.path, false);
  const top = path.startsWith("/") ? "/" : "";
  const parts = plainParts(path);
  if (parts === null) throw existing;
  const above = (known: number): string => top + parts.slice(0, known).join("/");
  const folderAt = (known: number): Target | QuarryError =>
    resolved(workspace, above(known) === "" ? undefined : above(known), "directory");
  const last = parts.length - 1;
  const parent = folderAt(last);
  if (parent instanceof QuarryError && !createFolders) {
    throw new QuarryError("NOT_FOUND", `the folder ${quote(above(last))} does not exist`, {
      argument: "path",
      nearNames: parent.details.nearNames ?? [],
      remedy: "Nothing was written. Correct the path, or pass create_dirs: true to make the folder.",
    });
  }
  const known = parent instanceof QuarryError ? deepest(folderAt, last) : last;
  const folder = known < 0 ? existing : folderAt(known);
  if (folder instanceof QuarryError) throw existing;
  if (folder.below !== undefined)
    throw new QuarryError("READ_ONLY", `${quote(above(known))} only holds other folders of the workspace`, {
      argument: "path",
      remedy: "Nothing was written. Write below one of the folders that ls shows there.",
    });
  return placeAt(workspace, folder, [folder.path, ...parts.slice(known)].reduce(joinPath), known < last);
}

/**
 * The most components of a path, under `count`, of which something is there, be it a refusal; -1 for none. Halved again and again:
 * each missing one costs a look for near names, and a path may have thousands of components.
 */
function deepest(at: (known: number) => Target | QuarryError, count: number): number {
  let there = -1;
  let missing = count;
  while (missing - there > 1) {
    const middle = (there + missing) >> 1;
    if (isThere(at, middle)) there = middle;
    else missing = middle;
  }
  return there;
}

function isThere(at: (known: number) => Target | QuarryError, known: number): boolean {
  try {
    return !(at(known) instanceof QuarryError);
  } catch (error) {
    // Refused for another reason than that it is missing: whoever asks for it last is told.
    if (error instanceof QuarryError) return true;
    throw error;
  }
}

function placeAt(workspace: Workspace, target: Target, path: RelPath, createFolders: boolean): NamedPlace {
  return { mount: target.mount, path, createFolders, shown: workspace.show(target, path) };
}

/** The target, or the error that says that there is none. */
function resolved(workspace: Workspace, path: string | undefined, want: "file" | "directory"): Target | QuarryError {
  try {
    return workspace.resolve(path, want);
  } catch (error) {
    if (error instanceof QuarryError && error.code === "NOT_FOUND") return error;
    throw error;
  }
}

/**
 * The components of a path that does not exist, without `.` and `..`; null where the path is in one of the forms that are
 * taken for what exists only (home folder, URL).
 * @throws QuarryError INVALID_ARGUMENT for a backslash, which nobody means in a new name.
 */
function plainParts(path: string): string[] | null {
  if (path.startsWith("~") || /^file:/i.test(path)) return null;
  if (path.includes("\\")) {
    throw new QuarryError(
      "INVALID_ARGUMENT",
      `${quote(path)} does not exist, and a new file's path cannot hold a backslash; folders are separated by /`,
      { argument: "path" },
    );
  }
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts;
}
