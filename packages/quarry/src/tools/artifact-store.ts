import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "../config/tunables.js";
import { cacheFolder } from "../spill/cache-folder.js";
import { LocalSpillStore, reasonOf } from "../spill/local.js";
import { ARTIFACT_FILE, ARTIFACTS_MOUNT, type MaybeStore, type SpillStore } from "../spill/store.js";
import type { Workspace } from "../workspace/workspace.js";

/**
 * The store of one owner, opened when the first artifact is made, or at once where the cache has artifacts already: then its
 * folder is lent to the workspace, so that their locators can be read. A cache that cannot be opened is told by each artifact.
 */
export function artifactStore(
  workspace: Workspace,
  artifacts: { readonly owner: string } | false,
  settings: Settings,
): () => MaybeStore {
  if (artifacts === false) return () => null;
  let store: SpillStore | null = null;
  const open = (): SpillStore => {
    try {
      const local = LocalSpillStore.open(cacheFolder(), artifacts.owner, settings);
      workspace.lend(ARTIFACTS_MOUNT, local.folder, ARTIFACT_FILE);
      return local;
    } catch (error) {
      return unopened(reasonOf(error));
    }
  };
  if (existsSync(join(cacheFolder(), "key"))) store = open();
  return () => ({ create: () => (store ??= open()).create() });
}

/** Every artifact is told as not saved, for this reason. */
function unopened(reason: string): SpillStore {
  return {
    create: () => ({
      write: () => undefined,
      writeLines: () => undefined,
      finish: () => ({ saved: false, reason }),
      discard: () => undefined,
    }),
  };
}
