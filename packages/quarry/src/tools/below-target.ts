import { isUnder, joinPath, type RelPath } from "../paths/path.js";
import type { Target } from "../workspace/mount.js";

/** A path of a target's mount as seen from the folder that was asked for, as globs take it. */
export function belowTarget(target: Target, path: RelPath): RelPath {
  if (target.below !== undefined) return path === "" ? target.below : joinPath(target.below, path);
  return target.path !== "" && isUnder(path, target.path) ? path.slice(target.path.length + 1) : path;
}
