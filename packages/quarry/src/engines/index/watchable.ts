import fs from "node:fs";
import { isPageCached, shortReadsEnd } from "../../workspace/local-files.js";

/** Folders of one tree that are watched at most: a larger one is asked file by file. */
const MAX_FOLDERS = 30_000;
/** Of the watches that a user may have, so many are left to other programs. */
const OTHERS_SHARE = 0.5;

/** How many folders of one tree can be watched; 0 where the system does not say. */
export function mostFolders(): number {
  try {
    const most = Number(fs.readFileSync("/proc/sys/fs/inotify/max_user_watches", "latin1"));
    return Math.min(MAX_FOLDERS, Math.floor(most * OTHERS_SHARE)) || 0;
  } catch {
    return 0; // Not Linux, or hidden: nothing is taken for granted.
  }
}

/** Why no index is built of a folder, in words without a path; null where one can be. */
export function whyNotIndexed(hostRoot: string): string | null {
  return isPageCached(hostRoot) ? null : "its file system is not known to keep the times of every change";
}

/**
 * Why a tree is not watched, so that each search asks about every file; in words without a path, null where it is.
 * @param folders how many it has.
 */
export function whyUnwatched(hostRoot: string, folders: number): string | null {
  // Another machine may write there, and nobody here would be told.
  if (!shortReadsEnd(hostRoot)) return "it holds a file system that is not known to tell of every change";
  const most = mostFolders();
  if (most === 0) return "the system does not say how much can be watched";
  return folders > most ? `it has more than ${most.toLocaleString("en-US")} folders` : null;
}
