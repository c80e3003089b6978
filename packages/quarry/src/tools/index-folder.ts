import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "../config/tunables.js";
import type { Indexes } from "../engines/auto/late-index.js";
import { cacheFolder, privateFolder } from "../spill/cache-folder.js";

/** Where the indexes of this user are, or would be. */
function place(): string {
  return join(cacheFolder(), "index");
}

export type IndexLimits = Pick<Settings, "indexMinFiles" | "indexTotalBytes">;

/** The indexes of this user. @param limits by which they are built beside the searches; null where they are not. */
export function indexesOf(limits: IndexLimits | null): Indexes {
  if (limits === null || limits.indexMinFiles === 0) return { folder: indexFolder };
  const { indexMinFiles: minFiles, indexTotalBytes: maxBytes } = limits;
  return { folder: indexFolder, build: { makeFolder: makeIndexFolder, minFiles, maxBytes } };
}

/** The folder with the indexes of this user; null where there is none, or others may enter it. */
export function indexFolder(): string | null {
  const folder = place();
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true) return null;
  const uid = process.getuid?.();
  return uid === undefined || (found.uid === uid && (found.mode & 0o077) === 0) ? folder : null;
}

/** The same, made where it is missing. @throws Error with a reason that holds no path. */
export function makeIndexFolder(): string {
  privateFolder(cacheFolder());
  privateFolder(place());
  return place();
}
