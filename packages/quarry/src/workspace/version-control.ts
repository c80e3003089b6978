import { foldName } from "./denied.js";
import type { Mount } from "./mount.js";
import type { RelPath } from "../paths/path.js";

/** Folders of version control. `.git` of any kind is one more: a linked work tree and a submodule have a file of that name. */
export const VCS_FOLDERS: ReadonlySet<string> = new Set([".git", ".svn", ".hg", ".bzr", ".jj", ".sl"]);

/** NTFS's short name of `.git`, under which a file system that folds names may know it too. */
const SHORT_NAME = /^git~\d+$/;

/** True where the path is or lies in a folder of version control: what is written there may run as a program (hooks, configuration). */
export function isVersionControl(mount: Mount, path: RelPath): boolean {
  return path.split("/").some((name) => {
    if (VCS_FOLDERS.has(name)) return true;
    if (!mount.foldsNames) return false;
    const folded = foldName(name);
    return VCS_FOLDERS.has(folded) || SHORT_NAME.test(folded);
  });
}
