import { FileOpener, openFolder, type OpenFolder } from "../../workspace/guard.js";
import type { Mount } from "../../workspace/mount.js";

/** The number that the first inherited descriptor has in the child. */
export const FIRST_INHERITED = 3;

/** Where a process is started. */
export interface Standpoint {
  /** The child changes to it when it has its descriptors. */
  readonly cwd: string;
  /** Descriptors that it must inherit first for that. */
  readonly inherit: readonly number[];
}

/** A process that is given no place stands here. */
export const NOWHERE: Standpoint = { cwd: "/", inherit: [] };

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
   * Where to start a process. By an inherited descriptor where the system has them: then it is the folder that was opened,
   * whatever its path leads to by now, and its name may hold any bytes.
   * @throws QuarryError where the mount's folder cannot be opened.
   */
  standpoint(mount: Mount): Standpoint {
    const folder = this.#folder(mount);
    return folder.fd >= 0
      ? { cwd: `/proc/self/fd/${FIRST_INHERITED}`, inherit: [folder.fd] }
      : { cwd: mount.hostRoot, inherit: [] };
  }

  /** What names are put behind in this process's own system calls. */
  access(mount: Mount): string | Buffer {
    return this.#folder(mount).procPath;
  }

  #folder(mount: Mount): OpenFolder {
    let folder = this.#folders.get(mount);
    if (folder === undefined) this.#folders.set(mount, (folder = openFolder(mount, "")));
    return folder;
  }

  close(): void {
    for (const folder of this.#folders.values()) folder.close();
    for (const opener of this.#openers.values()) opener.close();
    this.#folders.clear();
    this.#openers.clear();
  }
}
