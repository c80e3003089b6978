import { openFile, openFolder } from "../workspace/guard.js";
import type { Target } from "../workspace/mount.js";
import type { WalkReport } from "../walk/query.js";
import type { EngineReport } from "../search/engine.js";

/**
 * A place that was named and could not be read is an error, and not an empty answer.
 * @throws QuarryError UNREADABLE, and whatever opening it now throws.
 */
export function requireReadable(targets: readonly Target[], walked: WalkReport, searched?: EngineReport): void {
  for (const target of targets) {
    if (target.below !== undefined) continue;
    const refused =
      walked.samples.unreadable.includes(target.path) ||
      searched?.unreadable.some((one) => one.target === target && one.path === target.path) === true;
    if (refused) openAgain(target);
  }
}

function openAgain({ mount, path, kind }: Target): void {
  if (kind === "file") {
    const file = openFile(mount, path);
    file.close();
    return;
  }
  const folder = openFolder(mount, path);
  try {
    folder.list();
  } finally {
    folder.close();
  }
}
