import { comparePaths } from "../../paths/path.js";
import type { ListedFile } from "./parse.js";

/** Oldest first, files of equal age by path; the order given is kept where not all times are known. */
export function inOrder<T extends ListedFile>(files: readonly T[]): readonly T[] {
  if (files.some((file) => file.time === null)) return files;
  return files
    .map((file) => ({ file, time: nanoseconds(file.time ?? "") }))
    .sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : comparePaths(a.file.path, b.file.path)))
    .map(({ file }) => file);
}

/** Of `seconds.nanoseconds` with nine digits behind the point. */
function nanoseconds(time: string): bigint {
  return BigInt(time.replace(".", ""));
}
