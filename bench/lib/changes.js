// @ts-check
/** Writes to files of a corpus, each of which adds lines with a word that was nowhere before. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const MOST_BYTES = 200_000;
const FILES = 1_000;

/** The files that are written to, as they were. */
export class Changes {
  /** @type {{ path: string, before: Buffer }[]} */
  #files = [];
  #words = 0;

  /** @param {string} root */
  constructor(root) {
    const paths = readdirSync(root, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
    // Spread over the whole tree, not the first of its folders.
    const step = Math.max(1, Math.floor(paths.length / (FILES * 2)));
    for (let at = 0; at < paths.length && this.#files.length < FILES; at += step) {
      const path = /** @type {string} */ (paths[at]);
      const before = readFileSync(path);
      if (before.length < MOST_BYTES && !before.includes(0)) this.#files.push({ path, before });
    }
  }

  /**
   * Writes so many times; where there are fewer files, some of them several times.
   * @param {number} writes
   * @returns {string} A word that has just as many lines.
   */
  make(writes) {
    const word = `bench_changed_${process.pid}_${++this.#words}_end`;
    for (let i = 0; i < writes; i++) {
      const { path, before } = /** @type {{ path: string, before: Buffer }} */ (this.#files[i % this.#files.length]);
      const times = Math.floor(i / this.#files.length) + 1;
      writeFileSync(path, Buffer.concat([before, Buffer.from(`\n${`${word}\n`.repeat(times)}`)]));
    }
    return word;
  }

  undo() {
    for (const { path, before } of this.#files) writeFileSync(path, before);
  }
}
