import { baseName, isUnder, parentPath, type RelPath } from "../paths/path.js";
import type { Mount } from "./mount.js";

/** One key for all spellings that a folding file system takes for the same name. */
export function foldName(path: RelPath): string {
  return path.normalize("NFC").toLowerCase().normalize("NFC");
}

/** True where the mount's rules deny the path or a folder that holds it. */
export function isDenied(mount: Mount, path: RelPath): boolean {
  if (mount.denied.length === 0) return false;
  if (!mount.foldsNames) return mount.denied.some((denied) => isUnder(path, denied));
  const folded = foldName(path);
  return mount.denied.some((denied) => isUnder(folded, foldName(denied)));
}

/** A test for the names in one folder that are denied; null where none of them can be, which is nearly always. */
export function deniedIn(mount: Mount, folder: RelPath): ((name: string) => boolean) | null {
  if (mount.denied.length === 0) return null;
  const key = mount.foldsNames ? foldName : (path: string): string => path;
  const here = key(folder);
  const names = new Set(
    mount.denied
      .map(key)
      .filter((path) => path !== "" && parentPath(path) === here)
      .map(baseName),
  );
  return names.size === 0 ? null : (name) => names.has(key(name));
}
