import type { QuarryError } from "../errors/errors.js";
import { baseName, isUnder, parentPath, type RelPath } from "../paths/path.js";
import type { Mount } from "./mount.js";
import { deniedPath, disabledPath, outsideWorkspace } from "./refusal.js";

/**
 * Why a path of a mount's folder is not to be seen through the mount. `covered`: another mount stands in its place, and what the
 * host has there is not part of the workspace.
 */
export type Rule = "denied" | "disabled" | "covered";

/** The rules in the order in which one of several is told. */
const RULES: readonly Rule[] = ["denied", "disabled", "covered"];

/** One key for all spellings that a folding file system takes for the same name. */
export function foldName(path: RelPath): string {
  return path.normalize("NFC").toLowerCase().normalize("NFC");
}

/** False where no path of the mount is left out. */
export function hasRules(mount: Mount): boolean {
  return RULES.some((rule) => mount[rule].length > 0);
}

/** The rule that leaves out the path or a folder that holds it; null where none does. */
export function ruleOf(mount: Mount, path: RelPath): Rule | null {
  for (const rule of RULES) {
    const paths = mount[rule];
    if (paths.length === 0) continue;
    const asked = mount.foldsNames ? foldName(path) : path;
    if (paths.some((one) => isUnder(asked, mount.foldsNames ? foldName(one) : one))) return rule;
  }
  return null;
}

/** True where a rule of the mount leaves out the path or a folder that holds it. */
export function isDenied(mount: Mount, path: RelPath): boolean {
  return ruleOf(mount, path) !== null;
}

/** The rule for each name in one folder; null where there is none for any of them, which is nearly always. */
export function deniedIn(mount: Mount, folder: RelPath): ((name: string) => Rule | null) | null {
  if (!hasRules(mount)) return null;
  const key = mount.foldsNames ? foldName : (path: string): string => path;
  const here = key(folder);
  const names = new Map<string, Rule>();
  for (const rule of RULES) {
    for (const path of mount[rule].map(key)) {
      const name = baseName(path);
      if (path !== "" && parentPath(path) === here && !names.has(name)) names.set(name, rule);
    }
  }
  return names.size === 0 ? null : (name) => names.get(key(name)) ?? null;
}

/** What is said of a path that a rule leaves out. @param shown as the caller wrote it, or as it is shown. */
export function ruledOut(rule: Rule, shown: string): QuarryError {
  switch (rule) {
    case "denied":
      return deniedPath(shown);
    case "disabled":
      return disabledPath(shown);
    case "covered":
      return outsideWorkspace(shown);
  }
}
