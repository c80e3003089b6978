/**
 * A path that a provider names, where it is one below a root: absolute, in its one plain form. Null for everything else: relative, with
 * `.`, `..`, empty parts or backslashes, with control characters, too long, or elsewhere.
 */
export function belowRoot(root: string, path: string): string | null {
  if (path.length > MAX_PATH || UNFIT.test(path)) return null;
  const plain = path.endsWith("/") && path.length > 1 ? path.slice(0, -1) : path;
  if (
    !plain.startsWith("/") ||
    plain
      .split("/")
      .slice(1)
      .some((part) => part === "" || part === "." || part === "..")
  )
    return null;
  const base = plainPath(root);
  return plain === base || plain.startsWith(base === "/" ? "/" : `${base}/`) ? plain : null;
}

/** The root as paths below it begin: without doubled slashes, `.`, `..` and a slash at its end. */
export function plainPath(root: string): string {
  const parts: string[] = [];
  for (const part of root.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") parts.pop();
    else parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/** True where a foreign sentence names a path that does not lie below the root: it may be one of the host. */
export function namesStrangePath(text: string, root: string): boolean {
  for (const [whole, , quoted] of text.matchAll(PATHS)) {
    const path = (quoted ?? whole).replace(/[.:!?]+$/, "");
    if (belowRoot(root, path) === null) return true;
  }
  return false;
}

const MAX_PATH = 4_096;
// oxlint-disable-next-line no-control-regex -- names with control characters are shown escaped by a provider that is right
const UNFIT = /[\u0000-\u001f\u007f\\\u0085\u2028\u2029]/;
/**
 * What looks like an absolute path of any system, in quotes (then with its blanks) or bare: `/x`, `~/x`, `C:\x`, `\\host\share`, `file:...`.
 * A slash inside a word (`and/or`, `src/a.ts`) begins none.
 */
const PATHS =
  /(["'`])((?:\/|~[\\/]|[A-Z]:[\\/]|\\\\|file:)[^"'`]*)\1|(?:file:|(?<![A-Z])[A-Z]:[\\/]|\\\\(?=[\w.-]+\\)|~(?=[\\/])|(?<![\p{L}\p{N}_.*?)\]}>-])\/(?=[^\s"'`]))[^\s"'`,;()<>|]*/giu;
