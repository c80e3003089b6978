import { shellQuote } from "../../executors/shell-quote.js";
import type { GlobArguments, GrepArguments } from "./arguments.js";

/** Is there a ripgrep? Exit status 0 says yes. */
export const PROBE = "command -v rg >/dev/null 2>&1";

/** Folders of version control, whose files nobody means. */
export const VCS_FOLDERS = [".git", ".svn", ".hg", ".bzr", ".jj", ".sl"] as const;

/** The search root where none is named. With none at all ripgrep might read its stdin. */
const HERE = "./";

/**
 * The first and last records of output that holds each file's time of modification. A path never equals them: it begins as the
 * search root does, and a root that begins like this lies elsewhere.
 */
export const TIMES_BEGIN = "//times";
export const TIMES_END = "//end";

/**
 * Behind the list: where the system has GNU stat, each path gets its time of modification in front, in nanoseconds. ripgrep
 * before 14 sorts each folder by itself, and no ripgrep says which files are of equal age. The exit status is ripgrep's.
 */
const WITH_TIMES =
  `if stat --printf= / >/dev/null 2>&1 && command -v xargs >/dev/null 2>&1; ` +
  `then printf '${TIMES_BEGIN}\\0'; xargs -0 -r stat --printf='%.9Y/%n\\0' -- 2>/dev/null; [ $? -le 123 ] && printf '${TIMES_END}\\0'; ` +
  `else cat; fi`;

/** Lists files. Every value stands in one word, behind `=` or `--`. */
export function globCommand({ pattern, path = HERE }: GlobArguments): string {
  const list = [
    "rg --files",
    `--glob=${shellQuote(pattern)}`,
    "--sort=modified --no-ignore --hidden --no-config --null",
    // Last: of two globs that match, ripgrep takes the later.
    ...VCS_FOLDERS.map((folder) => `--glob=${shellQuote(`!${folder}`)}`),
    `-- ${shellQuote(path)}`,
  ].join(" ");
  return `${list} | { ${WITH_TIMES}; }; exit "\${PIPESTATUS[0]}"`;
}

/** Searches contents. */
export function grepCommand({ pattern, path = HERE, include }: GrepArguments): string {
  return [
    "rg --json --no-config",
    `--regexp=${shellQuote(pattern)}`,
    ...(include === undefined ? [] : [`--glob=${shellQuote(include)}`]),
    `-- ${shellQuote(path)}`,
  ].join(" ");
}
