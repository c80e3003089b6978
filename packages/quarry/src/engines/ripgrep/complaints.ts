import { hasRawBytes, isUnder, toHostBytes, type RelPath } from "../../paths/path.js";
import type { Part, Places } from "./part.js";

/** Which files ripgrep's complaints are about. */
export interface ComplaintTargets {
  readonly indices: ReadonlySet<number>;
  /** A complaint that is about no file of ours though only our files were named; null where there is none. */
  readonly unknown: string | null;
}

/**
 * Maps complaints (`path: reason (os error N)`) to the files of a part. A path may itself hold `: `, so every such place is
 * tried; a folder stands for our files in it. What is below a folder that was given whole and is not ours was not asked for.
 */
export function complaintTargets(complaints: readonly string[], part: Part, places: Places): ComplaintTargets {
  const indices = new Set<number>();
  let unknown: string | null = null;
  for (const complaint of complaints) {
    const found = target(complaint, part, places);
    for (const index of found) indices.add(index);
    if (found.length === 0 && !places.usesTrees) unknown ??= "ripgrep could not open a file and did not say which";
  }
  return { indices, unknown };
}

function target(complaint: string, part: Part, places: Places): number[] {
  const { batch } = part;
  const folders: RelPath[] = [];
  for (let at = complaint.indexOf(": "); at !== -1; at = complaint.indexOf(": ", at + 1)) {
    const printed = complaint.slice(0, at);
    const index = places.indexOf(printed);
    if (index !== undefined) return [index];
    const path = printed.replace(/^\.\//, "");
    if (printed.startsWith("./")) folders.push(path === "." ? "" : path);
    if (printed.includes("\ufffd")) {
      for (let i = part.from; i < part.to; i++) {
        const file = batch.files[i] as RelPath;
        if (hasRawBytes(file) && Buffer.from(toHostBytes(file)).toString("utf8") === path) return [i];
      }
    }
  }
  for (const folder of folders) {
    const inside: number[] = [];
    for (let i = part.from; i < part.to; i++) if (isUnder(batch.files[i] as RelPath, folder)) inside.push(i);
    if (inside.length > 0) return inside;
  }
  return [];
}
