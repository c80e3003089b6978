import { QuarryError } from "../errors/errors.js";
import { isUnder, joinPath } from "../paths/path.js";
import { openFolder, openSubfolder } from "../workspace/guard.js";
import type { Target } from "../workspace/mount.js";
import { enterFolder, probeMarks, type IgnoreState, type IgnoreTrouble } from "./ignore-files.js";
import type { Traversal } from "./traverse.js";

/** One target beside the others of its query. */
export type Plan = Pick<Traversal, "target" | "elsewhere" | "bases">;

/** Each target once, in the order given; what lies in another one is that one's no longer. */
export function planTargets(targets: readonly Target[]): Plan[] {
  const plans: Plan[] = [];
  for (const target of targets) {
    if (plans.some((p) => p.target.mount === target.mount && p.target.path === target.path)) continue;
    const near = targets.filter((other) => other.mount === target.mount);
    const inner = near.filter((other) => other.path !== target.path && isUnder(other.path, target.path));
    const outer = near.filter((other) => other.kind === "directory" && isUnder(target.path, other.path));
    plans.push({
      target,
      elsewhere: new Set(inner.map((other) => other.path)),
      bases: [...new Set(outer.map((other) => other.path))],
    });
  }
  return plans;
}

/** What counts in a target's folder from the mount's root down, and whether that leaves out the target itself. */
export function rulesAbove(
  target: Target,
  aboveMount: IgnoreState,
  trouble: IgnoreTrouble,
): { state: IgnoreState; ignoresTarget: boolean } {
  let state = aboveMount;
  let ignoresTarget = false;
  if (target.path === "") return { state, ignoresTarget };
  const names = target.path.split("/");
  let path = "";
  let folder = openFolder(target.mount, "");
  try {
    for (const [depth, name] of names.entries()) {
      folder.look();
      trouble.evidence?.enter(folder);
      state = enterFolder(state, folder, depth, probeMarks(folder), true, trouble);
      path = joinPath(path, name);
      ignoresTarget ||= state.chain.judge(path, name, true, depth + 1).ignored;
      if (depth === names.length - 1) break;
      const inner = openSubfolder(folder, name);
      folder.close();
      folder = inner;
    }
  } catch (error) {
    // The walk of the target meets the same refusal and counts it.
    if (!(error instanceof QuarryError) || error.code === "SEARCH_FAILED") throw error;
    trouble.evidence?.doubt();
  } finally {
    folder.close();
  }
  return { state, ignoresTarget };
}
