import { lstatSync } from "node:fs";
import { QuarryError } from "../errors/errors.js";
import { baseName, parentPath, type RelPath } from "../paths/path.js";
import { openFolder, type OpenFolder } from "../workspace/guard.js";
import type { Mount } from "../workspace/mount.js";
import { below } from "../workspace/system.js";

/** Asks for times of modification through the guard; the folder of the last file stays open. */
export class Times {
  readonly #mount: Mount;
  #folder: OpenFolder | null = null;

  constructor(mount: Mount) {
    this.#mount = mount;
  }

  /** Seconds with nine digits behind the point; null where the file has gone. */
  of(path: RelPath): string | null {
    const parent = parentPath(path);
    try {
      if (this.#folder?.path !== parent) {
        this.close();
        this.#folder = openFolder(this.#mount, parent);
      }
    } catch (error) {
      if (!(error instanceof QuarryError) || error.code === "SEARCH_FAILED") throw error;
      return null;
    }
    const stats = lstatSync(below(this.#folder.procPath, baseName(path)), { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return null;
    const { mtimeNs } = stats;
    const seconds = mtimeNs / 1_000_000_000n - (mtimeNs % 1_000_000_000n < 0n ? 1n : 0n);
    return `${seconds}.${String(mtimeNs - seconds * 1_000_000_000n).padStart(9, "0")}`;
  }

  close(): void {
    this.#folder?.close();
    this.#folder = null;
  }
}
