import { FileOpener, openFolder, type OpenFolder } from "../../workspace/guard.js";
import type { Mount } from "../../workspace/mount.js";

/** Where the processes of one search stand: each mount's folder, held open, and an opener for its files. */
export class Ground {
  readonly #folders = new Map<Mount, OpenFolder>();
  readonly #openers = new Map<Mount, FileOpener>();

  get mounts(): readonly Mount[] {
    return [...this.#folders.keys()];
  }

  opener(mount: Mount): FileOpener {
    let opener = this.#openers.get(mount);
    if (opener === undefined) this.#openers.set(mount, (opener = new FileOpener(mount)));
    return opener;
  }

  /**
   * The folder to start a process in. By descriptor where the system has them: then it is the folder that was opened, whatever
   * its path leads to by now, and its name may hold any bytes.
   * @throws QuarryError where the mount's folder cannot be opened.
   */
  folder(mount: Mount): string {
    let folder = this.#folders.get(mount);
    if (folder === undefined) this.#folders.set(mount, (folder = openFolder(mount, "")));
    return folder.fd >= 0 ? `/proc/${process.pid}/fd/${folder.fd}` : mount.hostRoot;
  }

  close(): void {
    for (const folder of this.#folders.values()) folder.close();
    for (const opener of this.#openers.values()) opener.close();
    this.#folders.clear();
    this.#openers.clear();
  }
}
