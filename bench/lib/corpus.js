// @ts-check
/**
 * The corpora, each a copy in one temporary folder, so that nothing that is measured writes into somebody's source, no git work tree is
 * above it, and all of it goes at once.
 */
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readAll } from "./processes.js";
import { firstFiles, makeSample, MIDDLE_FOLDERS, SMALL_FILES, SMALL_FOLDERS } from "./sample.js";

/** @typedef {"small" | "middle" | "whole" | "given"} SizeName */
/** @typedef {{ size: SizeName, root: string, files: number, bytes: number, cache: string, what: string }} Place */

/** The part of the Linux source that is the middle corpus: about 5,700 files. */
const MIDDLE = "drivers/net";
/** What the copy of the whole source needs, with its indexes. */
const WHOLE_BYTES = 2.5e9;

/** One temporary folder with all that a run writes. */
export class Scratch {
  #root;

  constructor() {
    this.#root = realpathSync(mkdtempSync(join(tmpdir(), "quarry-bench-")));
    process.once("exit", () => this.remove());
  }

  /** @param {string} name @returns {string} A new folder that this user alone may enter. */
  folder(name) {
    const path = join(this.#root, name);
    mkdirSync(path, { mode: 0o700 });
    return path;
  }

  remove() {
    rmSync(this.#root, { recursive: true, force: true });
  }
}

/**
 * @param {Scratch} scratch
 * @param {SizeName} size
 * @param {string} source The Linux source, or the given folder; where it is not there, files are made.
 * @param {AbortSignal} signal
 * @returns {Promise<Place>}
 * @throws Error where there is not enough room.
 */
export async function makePlace(scratch, size, source, signal) {
  const parent = scratch.folder(size);
  const root = join(parent, "corpus");
  let what = size === "middle" ? `Linux ${MIDDLE}` : "Linux source";
  if (!existsSync(source)) {
    makeSample(root, size === "small" ? SMALL_FOLDERS : MIDDLE_FOLDERS);
    what = "made files";
  } else if (size === "small") {
    firstFiles(source, SMALL_FILES, root);
    what = `${SMALL_FILES} files of Linux`;
  } else {
    const { bavail, bsize } = statfsSync(parent);
    if (size === "whole" && bavail * bsize < WHOLE_BYTES)
      throw new Error(`no room for a copy of the source: ${WHOLE_BYTES / 1e9} GB; TMPDIR names another place`);
    if (size === "given") what = "the given folder";
    const from = size === "middle" ? join(source, MIDDLE) : source;
    await readAll({ file: "cp", args: ["-Rp", from, root], cwd: parent }, signal, () => {});
  }
  return { size, root, ...measureTree(root), cache: scratch.folder(`${size}-cache`), what };
}

/** @param {string} root @returns {{ files: number, bytes: number }} */
function measureTree(root) {
  let files = 0;
  let bytes = 0;
  for (const entry of readdirSync(root, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    files += 1;
    bytes += lstatSync(join(entry.parentPath, entry.name)).size;
  }
  return { files, bytes };
}
