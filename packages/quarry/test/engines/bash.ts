import { dirname } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { LocalBashExecutor } from "#src/executors/local.js";

/** A shell that finds `rg` in these folders: the packaged one where none is named. */
export function executor(programs: readonly string[] = [dirname(rgPath)]): LocalBashExecutor {
  return new LocalBashExecutor({ workdir: "/", programs });
}

/** What the engine does otherwise than the others, each with the reason. */
export const DIFFERS = {
  "a late NUL with nothing behind it is complete":
    "whether something matches behind a late NUL is not asked once more: it counts as not known",
  "a late NUL in a multi-line search":
    "ripgrep looks for a NUL in its first buffer only, and so matches behind it are shown",
  "fault-65: a match in a line of 20 MB is found at its column, in bounded memory":
    "JSON records of more than 16 MiB are passed over, and said",
};
