import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileLocks } from "../files/write-lock.js";
import { cacheFolder, privateFolder } from "../spill/cache-folder.js";

/**
 * The locks that this user's edits share: in the cache folder, else in the system's temporary folder, else none, which
 * the answers then say.
 */
export function editLocks(): FileLocks {
  const user = process.getuid?.() ?? "user";
  for (const folder of [join(cacheFolder(), "locks"), join(tmpdir(), `quarry-${user}`, "locks")]) {
    try {
      privateFolder(join(folder, ".."));
      privateFolder(folder);
      return new FileLocks(folder);
    } catch {
      continue; // Not to be had here (read-only, full, another user's): the next one, and at last none.
    }
  }
  return new FileLocks(null);
}
