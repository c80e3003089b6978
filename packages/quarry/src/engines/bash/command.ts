import { shellQuote, shellQuotePath } from "../../executors/shell-quote.js";
import { hasRawBytes, type RelPath } from "../../paths/path.js";
import type { LineQuery } from "../../search/query.js";
import { searchArguments } from "../ripgrep/arguments.js";

/** Bytes of one command. Linux takes 128 KiB as one argument, and `bash -c` is given the command as one. */
const MAX_COMMAND_BYTES = 100_000;
/** Files of one command; what it says of files that it leaves out has to fit what is kept of stderr. */
const MAX_FILES = 1_000;

/** What the command says on stderr of a file that is no regular file any more, or cannot be read: its place in the list. */
export const LEFT_OUT = "//left-out ";

/**
 * Searches these files of the working folder. Each is looked at first: a pipe that took a file's place would hold ripgrep up, and
 * a link would lead elsewhere. ripgrep is started only for what is left, since without files it would search the folder.
 */
export function searchCommand(query: LineQuery, files: readonly RelPath[]): string {
  const rg = ["rg", ...searchArguments(query, "json").map(shellQuote)].join(" ");
  return [
    `set -- ${files.map(word).join(" ")}`,
    `n=(); i=0`,
    `for f; do if [[ -f $f && ! -L $f && -r $f ]]; then n+=("$f"); else printf '${LEFT_OUT}%d\\n' "$i" >&2; fi; i=$((i+1)); done`,
    `[ \${#n[@]} -gt 0 ] || exit 1`,
    `exec ${rg} "\${n[@]}"`,
  ].join("; ");
}

/** Asks ripgrep whether it takes the question, over no file. */
export function questionCommand(query: LineQuery): string {
  return `exec rg ${searchArguments(query, "json").map(shellQuote).join(" ")} /dev/null`;
}

/** Cuts files into runs that fit one command each. */
export function cutFiles(
  query: LineQuery,
  files: readonly RelPath[],
): { readonly from: number; readonly to: number }[] {
  const fixed = Buffer.byteLength(searchCommand(query, []), "utf8");
  const runs: { from: number; to: number }[] = [];
  let from = 0;
  let bytes = fixed;
  for (let at = 0; at < files.length; at++) {
    const length = Buffer.byteLength(word(files[at] as RelPath), "utf8") + 1;
    if (at > from && (bytes + length > MAX_COMMAND_BYTES || at - from >= MAX_FILES)) {
      runs.push({ from, to: at });
      from = at;
      bytes = fixed;
    }
    bytes += length;
  }
  if (files.length > from) runs.push({ from, to: files.length });
  return runs;
}

/** A path as one word that is no option, also where its name begins with a dash. */
function word(path: RelPath): string {
  return hasRawBytes(path) ? shellQuotePath(`./${path}`) : shellQuote(`./${path}`);
}
