import type { RelPath } from "../paths/path.js";
import { outsideWorkspace } from "./refusal.js";

const IS_WINDOWS = process.platform === "win32";

/** A name is one component; anything else could climb. @throws QuarryError OUTSIDE_WORKSPACE, which says `shown`. */
export function checkName(name: string, shown: string): void {
  if (name === "" || name === "." || name === ".." || name.includes("/") || name.includes("\0"))
    throw outsideWorkspace(shown);
  if (IS_WINDOWS && /[\\:]|[. ]$/.test(name)) throw outsideWorkspace(shown);
}

export function isDirectlyIn(path: RelPath, folder: RelPath): boolean {
  const slash = path.lastIndexOf("/");
  return folder === "" ? slash === -1 : slash === folder.length && path.startsWith(folder);
}
