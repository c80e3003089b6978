import fs from "node:fs";
import { QuarryError } from "../errors/errors.js";
import { baseName, joinPath, parentPath, type RelPath } from "../paths/path.js";
import { foldName, ruledOut, ruleOf } from "../workspace/denied.js";
import { openFolder, type OpenFolder } from "../workspace/guard.js";
import type { Mount } from "../workspace/mount.js";
import { quote } from "../workspace/refusal.js";
import { isVersionControl } from "../workspace/version-control.js";
import { lookAt, makeFolderIn, requireWritable, shownPath } from "../workspace/write-guard.js";
import { contentVersion } from "./version.js";
import { readCurrent, replaceFile, sweepLeft } from "./write-atomic.js";
import { lockKey, type FileLocks } from "./write-lock.js";

/** A place to write to, inside a mount. */
export interface WritePlace {
  readonly mount: Mount;
  /** Relative to the mount, canonical as far as it exists. */
  readonly path: RelPath;
  /** Make the folders that are missing. */
  readonly createFolders?: boolean;
}

/** What the file holds now, and its version; null where there is none. */
export type Content = { readonly bytes: Buffer; readonly version: string } | null;

export interface Written {
  readonly version: string;
  /** What could not be kept or promised, in sentences. */
  readonly notes: readonly string[];
}

const NO_LOCK =
  "No lock could be taken: another program that edits this file at the same moment would be noticed, but not made to wait.";

/**
 * Changes one file, alone: a lock keeps other edits of it out, in this process and others, and from reading to the
 * exchange of the content nothing else runs. Every step goes through folders opened from the mount's root without
 * following a link.
 * @param signal ends the waiting for the lock; nothing is then changed.
 * @param change makes the new content of the old one, or throws a refusal; for content that is the same nothing is written.
 * @throws QuarryError READ_ONLY, DENIED, NOT_FOUND, NOT_A_FILE, OUTSIDE_WORKSPACE, FILE_BUSY, FILE_TOO_LARGE,
 * VERSION_MISMATCH, FILE_EXISTS, WRITE_FAILED, and what `change` throws. The file is then as it was.
 */
export async function changeFile(
  place: WritePlace,
  locks: FileLocks,
  signal: AbortSignal,
  change: (content: Content) => Buffer,
): Promise<Written> {
  const shown = shownPath(place.mount, place.path);
  requireWritable(place.mount, shown);
  const rule = ruleOf(place.mount, place.path);
  if (rule !== null) throw ruledOut(rule, shown);
  if (isVersionControl(place.mount, place.path))
    throw new QuarryError("READ_ONLY", `${quote(shown)} belongs to version control`, {
      argument: "path",
      remedy:
        "Nothing was written. Files of version control run programs and hold history: change them with its own commands.",
    });
  const name = baseName(place.path);
  for (;;) {
    const key = withFolder(place, (folder) => keyOf(folder, name));
    const written = await locks.hold(key, signal, (locked) =>
      withFolder(place, (folder) => {
        // The folder itself may have been exchanged while this waited for its turn.
        if (keyOf(folder, name) !== key) return null;
        const { version, notes } = changeIn(folder, name, change);
        return { version, notes: locked ? notes : [...notes, NO_LOCK] };
      }),
    );
    if (written !== null) return written;
  }
}

function changeIn(folder: OpenFolder, name: string, change: (content: Content) => Buffer): Written {
  sweepLeft(folder, folderKey(folder));
  const shown = quote(shownPath(folder.mount, joinPath(folder.path, name)));
  const found = lookAt(folder, name);
  if (found?.isSymbolicLink() === true) {
    throw new QuarryError("NOT_A_FILE", `${shown} is a link that leads to nothing that could be edited`, {
      argument: "path",
      remedy: "Nothing was changed. Name the file itself, or remove the link first.",
    });
  }
  const current = found === null ? null : readCurrent(folder, name);
  const old = current === null ? null : { bytes: current.content, version: contentVersion(current.content) };
  const next = change(old);
  if (old !== null && next.equals(old.bytes)) return { version: old.version, notes: [] };
  return { version: contentVersion(next), notes: replaceFile(folder, name, current, next) };
}

/** One key for all ways to the same name: the folder as the system knows it, and the name in every spelling it takes. */
function keyOf(folder: OpenFolder, name: string): string {
  const { dev, ino } = statOf(folder);
  return lockKey(dev, ino, folder.mount.foldsNames ? foldName(name) : name);
}

/** Tells a folder also from an earlier one that had its inode. */
function folderKey(folder: OpenFolder): string {
  const { dev, ino, birthtimeNs } = statOf(folder);
  return lockKey(dev, ino, birthtimeNs);
}

function statOf(folder: OpenFolder): fs.BigIntStats {
  return folder.fd >= 0 ? fs.fstatSync(folder.fd, { bigint: true }) : fs.statSync(folder.procPath, { bigint: true });
}

function withFolder<T>(place: WritePlace, work: (folder: OpenFolder) => T): T {
  const folder =
    place.createFolders === true
      ? makeFolders(place.mount, parentPath(place.path))
      : openFolder(place.mount, parentPath(place.path));
  try {
    return work(folder);
  } finally {
    folder.close();
  }
}

/** Opens a folder and makes it, and those above it, where they are missing. */
function makeFolders(mount: Mount, path: RelPath): OpenFolder {
  let folder = openFolder(mount, "");
  for (const name of path === "" ? [] : path.split("/")) {
    const parent = folder;
    try {
      folder = makeFolderIn(parent, name);
    } finally {
      parent.close();
    }
  }
  return folder;
}
