import { QuarryError } from "../errors/errors.js";
import { isUnder } from "../paths/path.js";
import { quote } from "../workspace/refusal.js";
import type { VirtualPaths } from "./local-place.js";

/**
 * A glob as it counts from the folder that was asked for. One that begins with that folder's own path is taken without it; one that
 * begins with another place of the sandbox could match nothing and is refused.
 * @throws QuarryError INVALID_GLOB
 */
export function relativePattern(paths: VirtualPaths, pattern: string, root: string): string {
  if (!pattern.startsWith("/")) return pattern;
  const folder = root.replace(/\/+$/, "");
  if (pattern.startsWith(`${folder}/`) && pattern.length > folder.length + 1) return pattern.slice(folder.length + 1);
  const plain = pattern.slice(1);
  if (paths.workspace.mounts.some((mount) => mount.name !== "" && isUnder(plain, mount.name))) {
    throw new QuarryError(
      "INVALID_GLOB",
      `the pattern ${quote(pattern)} begins with a path, and not with that of ${quote(root)}`,
      {
        argument: "pattern",
        remedy: "Give the directory as path, and the pattern relative to it.",
      },
    );
  }
  return pattern;
}
