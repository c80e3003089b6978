import fs, { openSync } from "node:fs";
import nodePath from "node:path";
import { toHostBytes } from "../paths/path.js";

/** Access path of something on the host: a string, or bytes where a name in it is not UTF-8. For system calls only. */
export type HostPath = string | Buffer;

/** An open folder as the system has it: `fd` is -1 where the system has no descriptors for folders. */
export interface FolderHandle {
  readonly fd: number;
  /** Names put behind this, with a slash between, are looked up in this folder. */
  readonly access: HostPath;
}

/** How one goes down by one name without ever following a link. The root is given as a canonical host path. */
export interface System {
  root(host: string): FolderHandle;
  folder(parent: FolderHandle, name: string): FolderHandle;
  /** Opens for reading without blocking; the caller checks that it is a regular file. */
  file(parent: FolderHandle, name: string): number;
  /** Throws where the folder is no longer what was opened; called after it was listed. */
  recheck(folder: FolderHandle): void;
}

/** `access/name`. */
export function below(access: HostPath, name: string): HostPath {
  const tail = toHostBytes(name);
  if (typeof access === "string" && typeof tail === "string") return `${access}/${tail}`;
  return Buffer.concat([Buffer.from(access), SLASH, Buffer.from(tail)]);
}

const SLASH = Buffer.from("/");
const { constants } = fs;
/** Linux: a descriptor that only names a place; a folder needs search permission for it, not read permission. */
const O_PATH = 0o10000000;
const FOLDER = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Windows knows neither flag; there the checks before and after stand alone. */
const FILE = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/**
 * Linux: every step is relative to an open descriptor (`/proc/<own number>/fd/N/name`) and does not follow links, so that no
 * exchange of a folder for a link, at whatever moment, leads elsewhere. Node opens with O_CLOEXEC.
 */
export const DESCRIPTORS: System = {
  root: (host) => handle(fs.openSync(host, FOLDER)),
  folder: (parent, name) => handle(openSync(below(parent.access, name), FOLDER)),
  file: (parent, name) => openSync(below(parent.access, name), FILE),
  recheck: () => undefined,
};

function handle(fd: number): FolderHandle {
  return { fd, access: `${ownFolder()}/fd/${fd}` };
}

let own: string | null = null;

/** Of this process in `/proc`: the system follows the link of `/proc/self` once instead of for each file. */
function ownFolder(): string {
  own ??= `/proc/${fs.readlinkSync("/proc/self")}`;
  return own;
}

/**
 * Elsewhere: what is opened is looked at before and after. Weaker: an exchange that is made and undone between the two
 * looks goes unseen.
 */
export const LOOK_TWICE: System = {
  root: (host) => ({ fd: -1, access: realFolder(host) }),
  folder: (parent, name) => ({ fd: -1, access: realFolder(below(parent.access, name)) }),
  file(parent, name) {
    const host = below(parent.access, name);
    const before = fs.lstatSync(host, { bigint: true });
    if (before.isSymbolicLink()) throw systemError("ELOOP");
    if (!before.isFile()) throw systemError(before.isDirectory() ? "EISDIR" : "ENXIO");
    const fd = fs.openSync(host, FILE);
    try {
      const opened = fs.fstatSync(fd, { bigint: true });
      realFolder(parent.access);
      const after = fs.lstatSync(host, { bigint: true });
      if (!same(before, opened) || !same(opened, after)) throw systemError("ELOOP");
      return fd;
    } catch (error) {
      fs.closeSync(fd);
      throw error;
    }
  },
  recheck: (folder) => void realFolder(folder.access),
};

function same(a: fs.BigIntStats, b: fs.BigIntStats): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

/** The folder itself, where no component of its path is a link. */
function realFolder(host: HostPath): HostPath {
  const real = fs.realpathSync.native(host, { encoding: "buffer" });
  if (plain(real) !== plain(host)) throw systemError("ELOOP");
  if (!fs.lstatSync(host).isDirectory()) throw systemError("ENOTDIR");
  return host;
}

/** One spelling for comparing: Windows separators and decomposed names (macOS) are no difference. */
function plain(host: HostPath): string {
  const text = Buffer.from(host).toString("latin1");
  const isText = Buffer.from(Buffer.from(text, "latin1").toString("utf8"), "utf8").equals(Buffer.from(text, "latin1"));
  return isText ? nodePath.normalize(Buffer.from(text, "latin1").toString("utf8")).normalize("NFC") : text;
}

function systemError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code });
}

/** Descriptors where the system has them, looking twice elsewhere (also on a Linux without `/proc`). */
export const SYSTEM: System = hasDescriptors() ? DESCRIPTORS : LOOK_TWICE;

/** For `quarry doctor`: true where opening is proof against exchanged folders. */
export const OPENS_BY_DESCRIPTOR: boolean = SYSTEM === DESCRIPTORS;

function hasDescriptors(): boolean {
  if (process.platform !== "linux") return false;
  try {
    const fd = fs.openSync("/", FOLDER);
    try {
      return fs.statSync(`/proc/self/fd/${fd}/.`).isDirectory();
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return false;
  }
}
