import type { RelPath } from "../paths/path.js";

declare const guarded: unique symbol;

/**
 * A virtual root that stands for a host folder. Only `Workspace` makes one (the brand sees to it), so that an engine cannot
 * be pointed at a folder that no policy has seen.
 */
export interface Mount {
  readonly [guarded]: true;
  /** The virtual name in front of shown paths, without slashes at its ends; `""` for a workspace's only, unnamed root. */
  readonly name: string;
  /** Absolute, canonical host folder. For system calls only: never in a text. */
  readonly hostRoot: string;
  readonly access: "read" | "write";
  /** Sub-paths nobody may see, as paths relative to the mount. */
  readonly denied: readonly RelPath[];
  /** Sub-paths that are switched off: as denied ones, and told as such. */
  readonly disabled: readonly RelPath[];
  /** Sub-paths in whose place another mount stands; what the host has there is not part of the workspace. */
  readonly covered: readonly RelPath[];
  /**
   * True where the host's file system takes several spellings (letter case, Unicode form) for one name: what is denied is
   * then denied in every spelling.
   */
  readonly foldsNames: boolean;
}

/** A resolved place to search or read. Only `Workspace.resolve` makes one. */
export interface Target {
  readonly mount: Mount;
  /** Relative to the mount, canonical: every link on the way is resolved; `""` for the mount's root. */
  readonly path: RelPath;
  readonly kind: "file" | "directory";
  /**
   * The path as it was asked for, relative to the mount: it differs from `path` where a link was named. Results below the
   * target are shown under this name, so that an answer speaks the asker's language.
   */
  readonly asked: RelPath;
  /**
   * Where the folder that was asked for holds this mount: the path from there to the mount's root, with which globs begin.
   * Absent for a place that was asked for itself.
   */
  readonly below?: RelPath;
}
