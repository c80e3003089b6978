import fs, { closeSync, readSync } from "node:fs";
import { QuarryError } from "../errors/errors.js";
import { baseName, joinPath, parentPath, type RelPath } from "../paths/path.js";
import { checkName, isDirectlyIn } from "./component.js";
import { deniedIn, hasRules, ruledOut, ruleOf } from "./denied.js";
import type { Mount } from "./mount.js";
import { outsideWorkspace, quote, systemRefusal } from "./refusal.js";
import { readNames, type RawEntry } from "./entries.js";
import { Listings, type FolderStamp } from "./listings.js";
import { PAGE_BYTES } from "./local-files.js";
import { SYSTEM, below, type FolderHandle, type HostPath } from "./system.js";

export type { RawEntry } from "./entries.js";

const LOOK = { bigint: true, throwIfNoEntry: false } as const;

const LISTINGS = new Listings<RawEntry>();

/**
 * A folder inside a mount that was reached without following a link. Whoever opens it closes it. Used from one thread,
 * synchronously.
 */
export class OpenFolder {
  readonly mount: Mount;
  readonly path: RelPath;
  readonly handle: FolderHandle;
  /** Of `list`: as long as the folder has this stamp it holds the names that were listed last. null where that is not certain. */
  stamp: FolderStamp | null = null;
  #open = true;

  constructor(mount: Mount, path: RelPath, handle: FolderHandle) {
    this.mount = mount;
    this.path = path;
    this.handle = handle;
  }

  /** The descriptor; -1 on systems without descriptors for folders. */
  get fd(): number {
    return this.handle.fd;
  }

  /** What names are put behind in system calls (`/proc/<own number>/fd/N`); on systems without descriptors a host path. Never in a text. */
  get procPath(): HostPath {
    return this.handle.access;
  }

  /**
   * Every name in the folder except `.` and `..`, by the bytes of the names.
   * @throws QuarryError UNREADABLE where the system will not list it.
   */
  list(): readonly RawEntry[] {
    try {
      const list = (): RawEntry[] => readNames(this.handle.access);
      const { entries, stamp } =
        this.fd < 0 ? { entries: list(), stamp: null } : LISTINGS.of(this.mount, this.fd, list);
      this.stamp = stamp;
      SYSTEM.recheck(this.handle);
      const denied = deniedIn(this.mount, this.path);
      if (denied === null) return entries;
      return entries.map(({ name, kind }) => ({ name, kind: denied(name) ?? kind }));
    } catch (error) {
      throw refusal(error, named(this.mount, this.path), "folder");
    }
  }

  /** Takes the stamp of a folder that is not listed. */
  look(): void {
    try {
      this.stamp = this.fd < 0 ? null : LISTINGS.stampOf(this.mount, this.fd);
    } catch (error) {
      throw refusal(error, named(this.mount, this.path), "folder");
    }
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    if (this.handle.fd >= 0) fs.closeSync(this.handle.fd);
  }
}

/** An open regular file inside a mount. Whoever opens it closes it. */
export class OpenFile {
  readonly mount: Mount;
  readonly path: RelPath;
  readonly fd: number;
  /** -1 as long as nobody has asked the system. */
  #size: number;
  readonly #shortReadsEnd: boolean;
  #open = true;

  /** @param size null where it was not yet asked for, and with it whether this is a regular file. */
  constructor(mount: Mount, path: RelPath, fd: number, size: number | null, shortEnds = false) {
    this.mount = mount;
    this.path = path;
    this.fd = fd;
    this.#size = size ?? -1;
    this.#shortReadsEnd = shortEnds;
  }

  /**
   * Bytes when it was first asked for.
   * @throws QuarryError NOT_A_FILE, UNREADABLE; only for a file of `FileOpener.openSeen`.
   */
  get size(): number {
    if (this.#size < 0) {
      try {
        this.#size = regularSize(this.fd, named(this.mount, this.path));
      } catch (error) {
        throw refusal(error, named(this.mount, this.path), "file");
      }
    }
    return this.#size;
  }

  /** What the system says of the open file now: size, times in nanoseconds, inode, mode. */
  stat(): fs.BigIntStats {
    return fs.fstatSync(this.fd, { bigint: true });
  }

  /**
   * Fills `into` from `position` on, as far as the file goes.
   * @returns bytes read; fewer than asked only at the end of the file.
   * @throws QuarryError UNREADABLE where the system fails to read.
   */
  read(into: Uint8Array, position: number): number {
    let got = 0;
    try {
      while (got < into.length) {
        const n = readSync(this.fd, into, got, into.length - got, position + got);
        if (n === 0) break;
        got += n;
        if (this.#shortReadsEnd && got < into.length && (position + got) % PAGE_BYTES !== 0) break;
      }
    } catch (error) {
      throw refusal(error, named(this.mount, this.path), "file");
    }
    return got;
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.fd);
  }
}

/**
 * Opens a folder component by component.
 * @param path canonical, relative to the mount; `""` is its root.
 * @throws QuarryError DENIED, NOT_FOUND, NOT_A_DIRECTORY, UNREADABLE; OUTSIDE_WORKSPACE where a link stands on the way
 * (a canonical path has none: something was exchanged).
 */
export function openFolder(mount: Mount, path: RelPath): OpenFolder {
  let folder = openRoot(mount);
  if (path === "") return folder;
  const rule = ruleOf(mount, path);
  if (rule !== null) {
    folder.close();
    throw ruledOut(rule, named(mount, path));
  }
  for (const name of path.split("/")) {
    const parent = folder;
    try {
      folder = stepInto(parent, name);
    } finally {
      parent.close();
    }
  }
  return folder;
}

/** Opens a folder by its name in an open one. Same errors as `openFolder`. */
export function openSubfolder(parent: OpenFolder, name: string): OpenFolder {
  const rule = deniedIn(parent.mount, parent.path)?.(name) ?? null;
  if (rule !== null) throw ruledOut(rule, named(parent.mount, joinPath(parent.path, name)));
  return stepInto(parent, name);
}

/**
 * Opens a regular file for reading; never blocks and never follows a link.
 * @throws QuarryError as `openFolder`, and NOT_A_FILE for folders, pipes, sockets and devices.
 */
export function openFile(mount: Mount, path: RelPath): OpenFile {
  const folder = openFolder(mount, parentPath(path));
  try {
    return openFileIn(folder, baseName(path));
  } finally {
    folder.close();
  }
}

/** Opens a regular file by its name in an open folder. Same errors as `openFile`. */
export function openFileIn(folder: OpenFolder, name: string): OpenFile {
  const path = joinPath(folder.path, name);
  const rule = deniedIn(folder.mount, folder.path)?.(name) ?? null;
  const shown = named(folder.mount, path);
  if (rule !== null) throw ruledOut(rule, shown);
  checkName(name, shown);
  let fd: number;
  try {
    fd = SYSTEM.file(folder.handle, name);
  } catch (error) {
    throw refusal(error, shown, "file");
  }
  try {
    return new OpenFile(folder.mount, path, fd, regularSize(fd, shown));
  } catch (error) {
    fs.closeSync(fd);
    throw refusal(error, shown, "file");
  }
}

function regularSize(fd: number, shown: string): number {
  const stat = fs.fstatSync(fd);
  if (stat.isFile()) return stat.size;
  throw new QuarryError(
    "NOT_A_FILE",
    `${quote(shown)} is ${stat.isDirectory() ? "a directory" : "not a regular file"}`,
  );
}

/**
 * The content of a small file such as `.gitignore`: its first `maxBytes`, cut at a line end where it is longer.
 * @returns null where there is no such regular file (absent, a link, a folder, special, denied).
 * @throws QuarryError UNREADABLE where it exists and cannot be read.
 */
export function readSmallFile(folder: OpenFolder, name: string, maxBytes: number): Buffer | null {
  let file: OpenFile;
  try {
    file = openFileIn(folder, name);
  } catch (error) {
    if (error instanceof QuarryError && error.code !== "UNREADABLE" && error.code !== "SEARCH_FAILED") return null;
    throw error;
  }
  try {
    const buffer = Buffer.alloc(Math.min(maxBytes, file.size + 1));
    const content = buffer.subarray(0, file.read(buffer, 0));
    return file.size > maxBytes ? content.subarray(0, content.lastIndexOf(10) + 1) : content;
  } finally {
    file.close();
  }
}

/**
 * Opens many files of one mount. The folders on the way stay open (at most `maxFolders`), so that files in the walker's
 * order cost one system call each. Made for one search and closed with it.
 */
export class FileOpener {
  readonly #mount: Mount;
  readonly #maxFolders: number;
  /** Least recently used first. */
  readonly #folders = new Map<RelPath, OpenFolder>();
  /** The folder of the last file, which the next one is likely to be in. */
  #last: OpenFolder | null = null;
  readonly #shortReadsEnd: boolean;
  readonly #hasRules: boolean;

  /** @param shortEnds what `shortReadsEnd` says of the mount; false where nobody asked. */
  constructor(mount: Mount, maxFolders = 64, shortEnds = false) {
    this.#mount = mount;
    this.#maxFolders = Math.max(1, maxFolders);
    this.#hasRules = hasRules(mount);
    this.#shortReadsEnd = shortEnds;
  }

  /** As `openFile`; the caller closes the file. */
  open(path: RelPath): OpenFile {
    const rule = ruleOf(this.#mount, path);
    if (rule !== null) throw ruledOut(rule, named(this.#mount, path));
    return openFileIn(this.#folder(parentPath(path)), baseName(path));
  }

  /**
   * Opens a file that a walk has seen to be a regular one. What it is now, if it was exchanged since, shows when it is read or its size is
   * asked for: reading is by position, which takes nothing out of a pipe and fails for it as for a folder. So most files cost no question.
   * @throws QuarryError as `open`, but for NOT_A_FILE.
   */
  openSeen(path: RelPath): OpenFile {
    const rule = this.#hasRules ? ruleOf(this.#mount, path) : null;
    if (rule !== null) throw ruledOut(rule, named(this.#mount, path));
    const folder = this.#folderOf(path);
    const name = baseName(path);
    checkName(name, path);
    try {
      return new OpenFile(this.#mount, path, SYSTEM.file(folder.handle, name), null, this.#shortReadsEnd);
    } catch (error) {
      throw refusal(error, named(this.#mount, path), "file");
    }
  }

  /**
   * What the system says of a file that a walk has seen, without opening it: kind, size, times in nanoseconds, inode.
   * @returns null where it says nothing, or a rule forbids to ask.
   */
  look(path: RelPath): fs.BigIntStats | null {
    if (this.#hasRules && ruleOf(this.#mount, path) !== null) return null;
    try {
      const name = baseName(path);
      checkName(name, path);
      const stat = fs.lstatSync(below(this.#folderOf(path).handle.access, name), LOOK);
      return stat ?? null;
    } catch (error) {
      // Whoever opens it then is told why.
      if (error instanceof QuarryError || "syscall" in (error as Error)) return null;
      throw error;
    }
  }

  close(): void {
    this.#last = null;
    for (const folder of this.#folders.values()) folder.close();
    this.#folders.clear();
  }

  /** The folder that a file is in. */
  #folderOf(path: RelPath): OpenFolder {
    let folder = this.#last;
    if (folder === null || !isDirectlyIn(path, folder.path)) {
      folder = this.#folder(parentPath(path));
      this.#last = folder;
    }
    return folder;
  }

  #folder(path: RelPath): OpenFolder {
    let at = path;
    let folder = this.#folders.get(at);
    while (folder === undefined && at !== "") {
      at = parentPath(at);
      folder = this.#folders.get(at);
    }
    folder ??= this.#keep(openRoot(this.#mount));
    this.#folders.delete(folder.path);
    this.#folders.set(folder.path, folder);
    if (at === path) return folder;
    for (const name of path.slice(at === "" ? 0 : at.length + 1).split("/"))
      folder = this.#keep(stepInto(folder, name));
    return folder;
  }

  #keep(folder: OpenFolder): OpenFolder {
    this.#folders.set(folder.path, folder);
    if (this.#folders.size > this.#maxFolders) {
      const [oldest] = this.#folders.values();
      if (oldest !== undefined && oldest !== folder) {
        this.#folders.delete(oldest.path);
        if (this.#last === oldest) this.#last = null;
        oldest.close();
      }
    }
    return folder;
  }
}

/** A path as it is known outside the mount. */
function named(mount: Mount, path: RelPath): RelPath {
  return path === "" ? mount.name || "." : joinPath(mount.name, path);
}

function openRoot(mount: Mount): OpenFolder {
  try {
    return new OpenFolder(mount, "", SYSTEM.root(mount.hostRoot));
  } catch (error) {
    throw refusal(error, named(mount, ""), "folder");
  }
}

function stepInto(parent: OpenFolder, name: string): OpenFolder {
  const path = joinPath(parent.path, name);
  const shown = named(parent.mount, path);
  checkName(name, shown);
  try {
    return new OpenFolder(parent.mount, path, SYSTEM.folder(parent.handle, name));
  } catch (error) {
    // A link where a folder is wanted and not followed is reported by Linux as "not a directory".
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR" && isLink(below(parent.handle.access, name)))
      throw outsideWorkspace(shown);
    throw refusal(error, shown, "folder");
  }
}

function isLink(host: HostPath): boolean {
  try {
    return fs.lstatSync(host).isSymbolicLink();
  } catch {
    return false; // Gone by now: the first error is the one to tell.
  }
}

function refusal(error: unknown, shown: string, wanted: "file" | "folder"): QuarryError {
  if (error instanceof QuarryError) return error;
  if ((error as NodeJS.ErrnoException).code === "ELOOP") return outsideWorkspace(shown);
  return systemRefusal(error, shown, wanted);
}
