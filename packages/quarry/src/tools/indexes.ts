import type { Settings } from "../config/tunables.js";
import { buildIndex, type BuildOptions, type BuildOutcome } from "../engines/index/build.js";
import { whyNotIndexed, whyUnwatched } from "../engines/index/watchable.js";
import { IndexStore } from "../engines/index/store.js";
import { parentPath, type RelPath } from "../paths/path.js";
import type { Workspace } from "../workspace/workspace.js";
import { indexFolder, makeIndexFolder } from "./index-folder.js";

/** The index of one root, as it is in the cache folder. */
export interface IndexState {
  /** Host folder. */
  readonly root: string;
  /** null where there is no index that can be used. */
  readonly index: {
    readonly files: number;
    /** Of those, the ones whose text is in it; the others are looked into by every search. */
    readonly indexed: number;
    readonly bytes: number;
    readonly textBytes: number;
    /** In ISO 8601. */
    readonly builtAt: string;
    /** Why a server does not watch the folder, but asks about every file in each search, in words; null where it does. */
    readonly unwatched: string | null;
  } | null;
  /** Why none can be built, in words; null where one can. */
  readonly unbuildable: string | null;
  /** Somebody builds it now. */
  readonly building: boolean;
}

/** What there is for each root of a workspace. */
export function indexStates(workspace: Workspace): IndexState[] {
  const folder = indexFolder();
  const store = folder === null ? null : new IndexStore(folder);
  return workspace.mounts.map(({ hostRoot: root }) => {
    const open = store?.open(root) ?? null;
    const building = store?.isBuilding(root) ?? false;
    const unbuildable = whyNotIndexed(root);
    if (open === null) return { root, index: null, unbuildable, building };
    open.file.close();
    const { files, indexed, bytes, textBytes, builtAt } = open.file.meta;
    const unwatched = whyUnwatched(root, folderCount(open.file.paths));
    const index = { files, indexed, bytes, textBytes, builtAt: new Date(builtAt).toISOString(), unwatched };
    return { root, index, unbuildable, building };
  });
}

/** Folders that hold files, at any depth. */
function folderCount(paths: readonly RelPath[]): number {
  const folders = new Set<RelPath>([""]);
  for (const path of paths)
    for (let folder = parentPath(path); !folders.has(folder); folder = parentPath(folder)) folders.add(folder);
  return folders.size;
}

/**
 * Builds the index of each root or brings it up to date, one after the other.
 * @throws Error with a reason that holds no path, where the folder for indexes cannot be made.
 */
export async function buildIndexes(
  workspace: Workspace,
  settings: Settings,
  options: Pick<BuildOptions, "signal" | "anew" | "onProgress">,
): Promise<readonly (BuildOutcome & { readonly root: string })[]> {
  const store = new IndexStore(makeIndexFolder());
  const outcomes: (BuildOutcome & { readonly root: string })[] = [];
  for (const mount of workspace.mounts) {
    const outcome = await buildIndex({ ...options, mount, store, maxBytes: settings.indexTotalBytes });
    outcomes.push({ root: mount.hostRoot, ...outcome });
  }
  return outcomes;
}

/** Removes the indexes of a workspace's roots. @returns the bytes of each; null where there was none. */
export function dropIndexes(workspace: Workspace): { readonly root: string; readonly bytes: number | null }[] {
  const folder = indexFolder();
  const store = folder === null ? null : new IndexStore(folder);
  return workspace.mounts.map(({ hostRoot: root }) => ({ root, bytes: store?.drop(root) ?? null }));
}
