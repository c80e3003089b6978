import { showPath } from "../paths/path.js";
import type { MadeMount } from "./mounts.js";

/**
 * Makes the function that takes host roots out of any text. A root that stands at the start of a path becomes the mount's
 * virtual name (`/home/u/proj/src/a.ts` becomes `src/a.ts`); a root inside a longer name (`/home/u/proj-old`) becomes `…`,
 * since it must not be shown and is not the mount. The longest spelling is taken first; texts that would hold a root only
 * after the cut are cut again.
 */
export function maskFor(mounts: readonly MadeMount[]): (text: string) => string {
  const names = new Map<string, string>();
  for (const { mount, hostSpellings } of mounts) {
    for (const host of hostSpellings) {
      // A root of the whole file system hides nothing: there every host path is a virtual one.
      if (/^([A-Za-z]:)?[\\/]*$/.test(host)) continue;
      for (const spelling of spellings(host)) if (!names.has(key(spelling))) names.set(key(spelling), mount.name);
    }
  }
  if (names.size === 0) return (text) => text;
  const longestFirst = [...names.keys()].sort((a, b) => b.length - a.length).map(escapeRegExp);
  const pattern = new RegExp(`(${longestFirst.join("|")})([\\\\/]+(?![\\s"'\`,;:)\\]}>]|$))?`, FOLDS ? "giu" : "gu");
  const once = (text: string): string =>
    text.replace(pattern, (whole: string, root: string, separator: string | undefined, at: number) => {
      const name = names.get(key(root)) as string;
      if (separator !== undefined) return name === "" ? "" : `${name}/`;
      const rest = text.slice(at + whole.length);
      return /^(\.?[\p{L}\p{N}_-])/u.test(rest) ? "…" : name === "" ? "." : name;
    });
  return (text) => {
    let masked = once(text);
    for (let next = once(masked); next !== masked; next = once(masked)) masked = next;
    return masked;
  };
}

const FOLDS = process.platform === "win32" || process.platform === "darwin";

function key(spelling: string): string {
  return FOLDS ? spelling.toLowerCase() : spelling;
}

/** How programs write a path: as it is, with the other slash, inside JSON, inside a URL, with controls escaped. */
function spellings(host: string): Set<string> {
  const plain = [host, host.replaceAll("\\", "/"), host.replaceAll("/", "\\")];
  if (host.startsWith("/private/")) plain.push(host.slice("/private".length));
  return new Set(
    plain.flatMap((path) => [
      path,
      showPath(path),
      JSON.stringify(path).slice(1, -1),
      encodeURI(path),
      path.split("/").map(encodeURIComponent).join("/"),
    ]),
  );
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
