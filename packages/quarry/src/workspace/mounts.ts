import fs from "node:fs";
import nodePath from "node:path";
import { QuarryError } from "../errors/errors.js";
import { fromHostBytes, hasRawBytes, isUnder, joinPath, parentPath, type RelPath } from "../paths/path.js";
import { foldName } from "./denied.js";
import type { Mount } from "./mount.js";
import { quote } from "./refusal.js";
import { below, type HostPath } from "./system.js";

/** A mount as it is asked for. */
export interface MountOptions {
  /**
   * Virtual name; may have several components (`mnt/user-data`). Where absent: none for a workspace's only mount, else the
   * folder's own name, made unique with a number.
   */
  readonly name?: string;
  /** An existing host folder; a relative one is relative to the current directory of this moment. */
  readonly host: string;
  /** `read` where absent. */
  readonly access?: "read" | "write";
  /** Sub-paths nobody may see, relative to the mount; they need not exist. */
  readonly denied?: readonly string[];
  /** Sub-paths that are switched off, relative to the mount; they need not exist. */
  readonly disabled?: readonly string[];
}

/** A mount with the spellings of its host folder that a text may hold: the canonical one and the one that was given. */
export interface MadeMount {
  readonly mount: Mount;
  readonly hostSpellings: readonly string[];
}

/**
 * Checks what is asked for and makes the mounts; only `Workspace.open` calls this. The errors go to whoever configures the
 * workspace and quote what was given.
 * @throws QuarryError INVALID_ARGUMENT
 */
export async function makeMounts(asked: readonly MountOptions[]): Promise<readonly MadeMount[]> {
  if (asked.length === 0) throw invalid("a workspace needs at least one folder");
  const roots = await Promise.all(asked.map((a) => canonicalFolder(a.host)));
  const names = mountNames(asked, roots);
  const own = (key: "denied" | "disabled"): readonly RelPath[][] =>
    asked.map((a, i) => (a[key] ?? []).flatMap((d) => deniedSpellings(roots[i] as string, d)));
  // What one mount leaves out is left out through every mount that shows the same folder.
  const everywhere = (paths: readonly RelPath[][], hostRoot: string): readonly RelPath[] => {
    const seen = paths.flatMap((some, j) =>
      some.flatMap((path) => carryOver(roots[j] as string, path, hostRoot) ?? []),
    );
    return Object.freeze([...new Set(seen)].sort());
  };
  const denies = own("denied");
  const disables = own("disabled");
  return asked.map((a, i) => {
    const hostRoot = roots[i] as string;
    const denied = everywhere(denies, hostRoot);
    const disabled = everywhere(disables, hostRoot);
    const covered = Object.freeze(names.flatMap((name) => coveredBy(hostRoot, names[i] as string, name)));
    const mount = Object.freeze({
      name: names[i] as string,
      hostRoot,
      access: a.access ?? "read",
      denied,
      disabled,
      covered,
      foldsNames: foldsNames(hostRoot, [...denied, ...disabled, ...covered]),
    }) as unknown as Mount;
    return { mount, hostSpellings: [...new Set([hostRoot, nodePath.resolve(a.host)])] };
  });
}

/**
 * The path in a mount's folder in whose place another mount stands; none where that mount is not below this one.
 * @throws QuarryError INVALID_ARGUMENT where a link is on the way to it: listings would then show the place under another name.
 */
function coveredBy(hostRoot: string, outer: string, name: string): RelPath[] {
  if (name === outer || outer === "" || !isUnder(name, outer)) return [];
  const path = name.slice(outer.length + 1);
  const parent = below(hostRoot, parentPath(path));
  try {
    const real = fromHostBytes(fs.realpathSync.native(parent, { encoding: "buffer" })).replaceAll(nodePath.sep, "/");
    if (foldName(hostToRelative(hostRoot, real) ?? "/") !== foldName(parentPath(path)))
      throw invalid(`the mount ${quote(name)} lies behind a link of the mount ${quote(outer)}`);
  } catch (error) {
    if (error instanceof QuarryError) throw error;
    // The mount around it has no such folder: then there is nothing to cover.
  }
  return [path];
}

/** `relative` of one host folder as seen from another one; null where it does not lie strictly inside that. */
function carryOver(from: string, relative: RelPath, to: string): RelPath | null {
  const host = joinPath(from === "/" ? "" : from, relative);
  const inside = hostToRelative(to, host);
  return inside === null || inside === "" ? null : inside;
}

/** The path below `hostRoot` of a host path under it; null where it lies elsewhere. Both with `/`, lexically normal. */
export function hostToRelative(hostRoot: string, host: RelPath): RelPath | null {
  const root = hostRoot.replaceAll(nodePath.sep, "/").replace(/\/$/, "");
  if (!isUnder(host === "/" ? "" : host, root)) return null;
  return host.slice(root.length).replace(/^\//, "");
}

async function canonicalFolder(host: string): Promise<string> {
  if (typeof host !== "string" || host === "" || host.includes("\0"))
    throw invalid("a mount needs the path of a host folder");
  try {
    const real = fromHostBytes(await fs.promises.realpath(host, { encoding: "buffer" }));
    if (hasRawBytes(real)) throw invalid(`the name of the folder ${quote(host)} is not valid UTF-8`);
    if ((await fs.promises.stat(real)).isDirectory()) return real;
  } catch (error) {
    if (error instanceof QuarryError) throw error;
    const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw invalid(missing ? `the folder ${quote(host)} does not exist` : `the folder ${quote(host)} cannot be opened`);
  }
  throw invalid(`${quote(host)} is not a folder`);
}

function mountNames(asked: readonly MountOptions[], roots: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  for (const { name } of asked) {
    if (name === undefined) continue;
    if (name !== "" && !isPlainName(name)) throw invalid(`the mount name ${quote(name)} is not a plain relative path`);
    if (name === "" && asked.length > 1) throw invalid("an unnamed mount must be the only one");
    if (taken.has(name)) throw invalid(`two mounts are called ${quote(name)}`);
    taken.add(name);
  }
  return asked.map(({ name }, i) => {
    if (name !== undefined) return name;
    if (asked.length === 1) return "";
    // eslint-disable-next-line no-control-regex -- a folder's name may hold them, a mount's name may not
    const base = nodePath.basename(roots[i] as string).replace(/[\u0000-\u001f\u007f\\]/g, "_") || "root";
    let unique = base;
    for (let n = 2; taken.has(unique); n++) unique = `${base}-${n}`;
    taken.add(unique);
    return unique;
  });
}

function isPlainName(name: string): boolean {
  // eslint-disable-next-line no-control-regex -- refused on purpose
  return (
    !/[\u0000-\u001f\u007f\\]/.test(name) &&
    !/[\ud800-\udfff]/u.test(name) &&
    name.split("/").every((part) => part !== "" && part !== "." && part !== "..")
  );
}

/** A denied path as given, and what it leads to now where a link is on the way. */
function deniedSpellings(hostRoot: string, given: string): RelPath[] {
  const parts = given.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.length === 0 || parts.includes("..") || given.includes("\0")) {
    throw invalid(`the denied path ${quote(given)} must lie inside its mount`);
  }
  const path = parts.join("/");
  try {
    const real = fromHostBytes(fs.realpathSync.native(below(hostRoot, path), { encoding: "buffer" })).replaceAll(
      nodePath.sep,
      "/",
    );
    const inside = hostToRelative(hostRoot, real);
    return inside === null || inside === "" ? [path] : [path, inside];
  } catch {
    return [path]; // It does not exist (yet): the name alone is denied.
  }
}

/** Does the file system take another spelling for a name that exists? Asked of the root and of the folders of denied paths. */
function foldsNames(hostRoot: string, denied: readonly RelPath[]): boolean {
  if (process.platform === "win32" || process.platform === "darwin") return true;
  return folderFolds(hostRoot) || denied.some((path) => folderFolds(below(hostRoot, parentPath(path))));
}

function folderFolds(folder: HostPath): boolean {
  let names: string[];
  try {
    names = fs.readdirSync(folder);
  } catch {
    return false; // Absent or not to be listed: nothing to compare.
  }
  const present = new Set(names);
  const name = names.find((n) => !n.includes("\ufffd") && swapCase(n) !== n && !present.has(swapCase(n)));
  if (name === undefined) return false;
  return (
    foldName(name) === foldName(swapCase(name)) &&
    fs.lstatSync(below(folder, swapCase(name)), { throwIfNoEntry: false }) !== undefined
  );
}

function swapCase(name: string): string {
  return name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase();
}

function invalid(message: string): QuarryError {
  return new QuarryError("INVALID_ARGUMENT", message, { argument: "root" });
}
