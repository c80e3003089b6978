// @ts-check
/** The small corpus: made, or the first files of a large one. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILES_EACH = 20;
const LINES = 200;

/** Folders of made files, by 20. */
export const SMALL_FOLDERS = 17;
export const MIDDLE_FOLDERS = 280;

/**
 * @param {string} root A folder that is made.
 * @param {number} folders
 */
export function makeSample(root, folders) {
  mkdirSync(root);
  for (let folder = 0; folder < folders; folder++) {
    const path = join(root, `part${folder}`);
    mkdirSync(path);
    for (let file = 0; file < FILES_EACH; file++) {
      const lines = Array.from({ length: LINES }, (_, at) => line(folder * FILES_EACH + file, at));
      writeFileSync(join(path, `unit${file}.${file % 4 === 0 ? "h" : "c"}`), `${lines.join("\n")}\n`);
    }
  }
}

/** @param {number} file @param {number} at */
function line(file, at) {
  if (at % 50 === 7) return `static int step_${file}_${at}(void);`;
  if (at === 20 && file % 3 === 0) return "\t/* TODO: check the result */";
  if (at === 40 && file % 10 === 0) return "\tp = kmalloc_array(n, sizeof(*p), GFP_KERNEL);";
  return `\tvalue[${at}] += ${(file * 31 + at * 17) % 1009};`;
}

/** Files of a small repository. */
export const SMALL_FILES = 330;

/**
 * The first files of a tree, by path, in a folder of their own.
 * @param {string} corpus
 * @param {number} count
 * @param {string} root A folder that is made.
 */
export function firstFiles(corpus, count, root) {
  let left = count;
  const copy = (/** @type {string} */ folder) => {
    for (const entry of readdirSync(join(corpus, folder), { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      if (left === 0) return;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) copy(path);
      else if (entry.isFile() && entry.name !== ".gitignore") {
        mkdirSync(join(root, folder), { recursive: true });
        copyFileSync(join(corpus, path), join(root, path));
        left -= 1;
      }
    }
  };
  // Code rather than documentation, where the tree has it.
  for (const folder of ["fs", "."]) if (left > 0 && existsSync(join(corpus, folder))) copy(folder);
}
