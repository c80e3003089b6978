import fs from "node:fs";
import { QuarryError } from "../errors/errors.js";
import { baseName, fromHostBytes, joinPath, parentPath, type RelPath } from "../paths/path.js";
import { deniedIn, ruledOut, ruleOf, type Rule } from "./denied.js";
import type { Mount } from "./mount.js";
import { outsideWorkspace, quote, systemRefusal } from "./refusal.js";
import { SYSTEM, below, type FolderHandle, type HostPath } from "./system.js";

/** One name in a folder. Where its kind is a rule, that leaves it out; it may be counted, its name goes nowhere. */
export interface RawEntry {
  readonly name: string;
  readonly kind: "file" | "directory" | "link" | "special" | Rule;
}

/**
 * A folder inside a mount that was reached without following a link. Whoever opens it closes it. Used from one thread,
 * synchronously.
 */
export class OpenFolder {
  readonly mount: Mount;
  readonly path: RelPath;
  readonly handle: FolderHandle;
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

  /** What names are put behind in system calls (`/proc/self/fd/N`); on systems without descriptors a host path. Never in a text. */
  get procPath(): HostPath {
    return this.handle.access;
  }

  /**
   * Every name in the folder except `.` and `..`, in no order.
   * @throws QuarryError UNREADABLE where the system will not list it.
   */
  list(): RawEntry[] {
    try {
      const entries = readNames(this.handle.access);
      SYSTEM.recheck(this.handle);
      const denied = deniedIn(this.mount, this.path);
      if (denied === null) return entries;
      return entries.map(({ name, kind }) => ({ name, kind: denied(name) ?? kind }));
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
  /** Bytes when it was opened. */
  readonly size: number;
  #open = true;

  constructor(mount: Mount, path: RelPath, fd: number, size: number) {
    this.mount = mount;
    this.path = path;
    this.fd = fd;
    this.size = size;
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
        const n = fs.readSync(this.fd, into, got, into.length - got, position + got);
        if (n === 0) break;
        got += n;
      }
    } catch (error) {
      throw refusal(error, named(this.mount, this.path), "file");
    }
    return got;
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    fs.closeSync(this.fd);
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
    const stat = fs.fstatSync(fd);
    if (stat.isFile()) return new OpenFile(folder.mount, path, fd, stat.size);
    throw new QuarryError(
      "NOT_A_FILE",
      `${quote(shown)} is ${stat.isDirectory() ? "a directory" : "not a regular file"}`,
    );
  } catch (error) {
    fs.closeSync(fd);
    throw refusal(error, shown, "file");
  }
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

  constructor(mount: Mount, maxFolders = 64) {
    this.#mount = mount;
    this.#maxFolders = Math.max(1, maxFolders);
  }

  /** As `openFile`; the caller closes the file. */
  open(path: RelPath): OpenFile {
    const rule = ruleOf(this.#mount, path);
    if (rule !== null) throw ruledOut(rule, named(this.#mount, path));
    return openFileIn(this.#folder(parentPath(path)), baseName(path));
  }

  close(): void {
    for (const folder of this.#folders.values()) folder.close();
    this.#folders.clear();
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

/** A name is one component; anything else could climb. */
function checkName(name: string, shown: string): void {
  if (name === "" || name === "." || name === ".." || name.includes("/") || name.includes("\0"))
    throw outsideWorkspace(shown);
  if (process.platform === "win32" && /[\\:]|[. ]$/.test(name)) throw outsideWorkspace(shown);
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

function readNames(access: HostPath): RawEntry[] {
  let entries: fs.Dirent[];
  try {
    entries = fs.readdirSync(access, { withFileTypes: true });
  } catch (error) {
    // Where a file system does not tell types, Node asks for each, and one name that vanishes meanwhile fails the whole.
    if ((error as NodeJS.ErrnoException).syscall === "lstat") return readNamesByLook(access);
    throw error;
  }
  const out: RawEntry[] = new Array(entries.length);
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i] as fs.Dirent;
    if (entry.name.includes("\ufffd")) return readNamesByLook(access);
    out[i] = { name: entry.name, kind: entryKind(entry) };
  }
  return out;
}

/** For the few folders with names that are not UTF-8 or with types that the file system does not tell. */
export function readNamesByLook(access: HostPath): RawEntry[] {
  const out: RawEntry[] = [];
  for (const bytes of fs.readdirSync(access, { encoding: "buffer" })) {
    const name = fromHostBytes(bytes);
    const stat = fs.lstatSync(below(access, name), { throwIfNoEntry: false });
    if (stat !== undefined) out.push({ name, kind: entryKind(stat) });
  }
  return out;
}

function entryKind(entry: {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}): "file" | "directory" | "link" | "special" {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "link" : "special";
}
