import fs from "node:fs";
import { QuarryError } from "../errors/errors.js";
import { joinPath, type RelPath } from "../paths/path.js";
import { deniedIn, ruledOut } from "./denied.js";
import { openSubfolder, type OpenFolder } from "./guard.js";
import type { Mount } from "./mount.js";
import { outsideWorkspace, quote } from "./refusal.js";
import { SYSTEM, below, type HostPath } from "./system.js";

/*
 * Everything that changes a folder, by names in a folder that is already open. None of these calls follows a link in the
 * last component, and on Linux the folder is a descriptor, so that no exchange of names leads a write elsewhere.
 */

const { constants } = fs;
/** A new file only: where the name exists, whatever it is, this fails. */
const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/**
 * @throws QuarryError READ_ONLY where the mount may only be read.
 */
export function requireWritable(mount: Mount, shown: string): void {
  if (mount.access === "write") return;
  throw new QuarryError("READ_ONLY", `${quote(shown)} is in a part of the workspace that may only be read`, {
    argument: "path",
  });
}

/** What stands under a name, links not followed; null for nothing. */
export function lookAt(folder: OpenFolder, name: string): fs.BigIntStats | null {
  return attempt(folder, name, (host) => fs.lstatSync(host, { bigint: true, throwIfNoEntry: false }) ?? null);
}

/**
 * Creates a file that did not exist, open for writing, for nobody else to read. The caller closes the descriptor.
 * @param named the name in the folder that a refusal speaks of: `name` itself is none that the caller gave.
 * @throws QuarryError WRITE_FAILED, READ_ONLY
 */
export function createIn(folder: OpenFolder, name: string, named: string): number {
  return attempt(
    folder,
    name,
    (host) => {
      SYSTEM.recheck(folder.handle);
      const fd = fs.openSync(host, NEW, 0o600);
      try {
        SYSTEM.recheck(folder.handle);
      } catch (error) {
        fs.closeSync(fd);
        throw error;
      }
      return fd;
    },
    (error) =>
      writeRefusal(error, shownPath(folder.mount, joinPath(folder.path, named)), "no file can be made in its folder: "),
  );
}

/** Puts one name in the place of another one, in one step; what `to` named is gone, a link itself and not what it leads to. */
export function renameIn(folder: OpenFolder, from: string, to: string): void {
  const source = path(folder, from);
  attempt(folder, to, (host) => {
    SYSTEM.recheck(folder.handle);
    fs.renameSync(source, host);
  });
}

/**
 * Gives a file a second name that did not exist, in one step.
 * @returns `exists` where the name is taken, `unsupported` where the file system has no second names.
 */
export function linkIn(folder: OpenFolder, from: string, to: string): "made" | "exists" | "unsupported" {
  const source = path(folder, from);
  return attempt(folder, to, (host) => {
    SYSTEM.recheck(folder.handle);
    try {
      fs.linkSync(source, host);
      return "made";
    } catch (error) {
      const code = codeOf(error);
      if (code === "EEXIST") return "exists";
      if (NO_LINKS.has(code)) return "unsupported";
      throw error;
    }
  });
}

const NO_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/** Removes a name, a link itself and not what it leads to. Nothing happens where it is gone already. */
export function unlinkIn(folder: OpenFolder, name: string): void {
  attempt(folder, name, (host) => {
    SYSTEM.recheck(folder.handle);
    try {
      fs.unlinkSync(host);
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
    }
  });
}

/**
 * Opens a folder, and makes it first where there is none; a link in its place is refused.
 * @param mode of a folder that is made, less the process's umask.
 */
export function makeFolderIn(parent: OpenFolder, name: string, mode = 0o777): OpenFolder {
  try {
    return openSubfolder(parent, name);
  } catch (error) {
    if (!(error instanceof QuarryError && error.code === "NOT_FOUND")) throw error;
  }
  attempt(parent, name, (host) => {
    SYSTEM.recheck(parent.handle);
    try {
      fs.mkdirSync(host, { mode });
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
  });
  syncFolder(parent);
  return openSubfolder(parent, name);
}

/**
 * Makes names that were changed in the folder survive a power failure.
 * @returns false where the system cannot promise it (a folder that may not be listed, some file systems, Windows).
 */
export function syncFolder(folder: OpenFolder): boolean {
  if (process.platform === "win32") return false;
  try {
    const fd = fs.openSync(below(folder.handle.access, "."), constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      fs.fsyncSync(fd);
      return true;
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return false; // The new content is in place already: all that is lost is the promise, and the caller says so.
  }
}

/** A failure to write as an error in our words; `shown` is the path as it is known outside, `what` comes before the reason. */
export function writeRefusal(error: unknown, shown: string, what = ""): QuarryError {
  if (error instanceof QuarryError) return error;
  const code = codeOf(error);
  if (code === "EROFS")
    return new QuarryError("READ_ONLY", `${quote(shown)} is on a file system that may only be read`, {
      remedy: "Nothing was changed. Write elsewhere.",
    });
  const reason = REASONS[code] ?? (/^[A-Z0-9_]+$/.test(code) ? `the system says ${code}` : "for an unknown reason");
  return new QuarryError("WRITE_FAILED", `${quote(shown)} cannot be written: ${what}${reason}`);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: "no space is left on the disk",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file would be larger than the system allows",
  EACCES: "permission denied",
  EPERM: "not permitted",
  EIO: "the disk reports an error",
  EBUSY: "the name is in use by the system (a mounted file cannot be replaced)",
  ENAMETOOLONG: "the name is too long",
  ENOENT: "its folder is gone",
  EEXIST: "something else took its place meanwhile",
  EISDIR: "a directory took its place meanwhile",
  ENOTDIR: "a directory is not there any more",
  EMLINK: "the folder is full",
  EMFILE: "this process has too many open files",
  ENFILE: "the system has too many open files",
  ELOOP: "a link took the place of a folder meanwhile",
};

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "";
}

function attempt<T>(
  folder: OpenFolder,
  name: string,
  call: (host: HostPath) => T,
  refusal = (error: unknown) => writeRefusal(error, shownPath(folder.mount, joinPath(folder.path, name))),
): T {
  const host = path(folder, name);
  try {
    return call(host);
  } catch (error) {
    throw refusal(error);
  }
}

/** What a name in a folder is in system calls, once the rules allow it. */
function path(folder: OpenFolder, name: string): HostPath {
  const shown = shownPath(folder.mount, joinPath(folder.path, name));
  requireWritable(folder.mount, shown);
  const rule = deniedIn(folder.mount, folder.path)?.(name) ?? null;
  if (rule !== null) throw ruledOut(rule, shown);
  if (name === "" || name === "." || name === ".." || /[/\0]/.test(name)) throw outsideWorkspace(shown);
  if (process.platform === "win32" && /[\\:]|[. ]$/.test(name)) throw outsideWorkspace(shown);
  return below(folder.handle.access, name);
}

/** A path as it is known outside its mount. */
export function shownPath(mount: Mount, at: RelPath): RelPath {
  return at === "" ? mount.name || "." : joinPath(mount.name, at);
}
