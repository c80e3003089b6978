import type { CapturedText } from "../../executors/executor.js";

/** What ripgrep could not read. */
export interface Complaints {
  /** Files and folders that it complained of. */
  readonly paths: number;
  /** More may have stood in the part of stderr that was cut. */
  readonly atLeast: boolean;
  /** stderr holds something else too: then more went wrong than single paths. */
  readonly others: boolean;
}

/** A path and the system's reason, in the words of ripgrep 13 to 15. */
const PER_PATH = /: .+ \(os error \d+\)$/;
/** Rules in ignore files that ripgrep does not understand: they exclude nothing, and the search goes on. */
const IGNORE_RULE = /: line \d+: error parsing glob /;

/**
 * Reads stderr of a search that ended with status 2.
 * @param root the search root as ripgrep was given it: a path with a newline in it goes on after a line that begins so.
 */
export function readComplaints(stderr: CapturedText, root: string): Complaints {
  const lines = stderr.text.split("\n");
  // What is left of a line whose beginning was cut says nothing.
  if (stderr.truncated) lines.shift();
  let paths = 0;
  let open = false;
  let others = false;
  for (const line of lines) {
    if (line === "") continue;
    if (PER_PATH.test(line)) {
      paths += 1;
      open = false;
    } else if (!open && !IGNORE_RULE.test(line)) {
      open = line.startsWith(`rg: ${root}`) || line.startsWith(root);
      others ||= !open;
    }
  }
  return { paths, atLeast: stderr.truncated, others: others || open };
}
