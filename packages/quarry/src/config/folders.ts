import fs from "node:fs";
import nodePath from "node:path";

/** The canonical folder that a `host` of a configuration names; null where there is none. @param folder where relative ones start. */
export function realFolder(folder: string, host: string | null): string | null {
  if (host === null || host === "" || host.includes("\0")) return null;
  try {
    const real = fs.realpathSync.native(nodePath.resolve(folder, host));
    return fs.statSync(real).isDirectory() ? real : null;
  } catch {
    return null; // Absent or not to be reached: either way no folder that can be shown.
  }
}

/** True where `path` is `folder` or lies in it; both canonical. */
export function isWithin(path: string, folder: string): boolean {
  const way = nodePath.relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${nodePath.sep}`) && !nodePath.isAbsolute(way));
}
