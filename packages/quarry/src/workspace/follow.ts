import fs from "node:fs";
import nodePath from "node:path";
import { QuarryError } from "../errors/errors.js";
import {
  fromHostBytes,
  joinPath,
  parentPath,
  readShownPath,
  showPath,
  toHostBytes,
  type RelPath,
} from "../paths/path.js";
import { deniedIn, foldName } from "./denied.js";
import { openFolder, openSubfolder, type OpenFolder } from "./guard.js";
import type { Mount } from "./mount.js";
import { hostToRelative, type MadeMount } from "./mounts.js";
import { quote, systemRefusal } from "./refusal.js";
import { below, type HostPath } from "./system.js";

/** Where a named path leads. */
export type Outcome =
  | Found
  | Missing
  | { readonly kind: "outside" }
  | { readonly kind: "denied" }
  | { readonly kind: "disabled" }
  | { readonly kind: "circle" };

export interface Found {
  readonly kind: "file" | "directory" | "special";
  readonly mount: Mount;
  /** Canonical. */
  readonly path: RelPath;
  /** True where a link was on the way. */
  readonly viaLink: boolean;
}

export interface Missing {
  readonly kind: "missing";
  readonly mount: Mount;
  /** The last folder that exists. */
  readonly folder: RelPath;
  /** The missing names, the first of them in `folder`. */
  readonly rest: readonly string[];
  /** True where the first of them exists and is no folder. */
  readonly isFile: boolean;
}

/** Linux's own limit (`path_resolution(7)`). */
const MAX_LINKS = 40;

interface Step {
  readonly name: string;
  /** The caller may have written it as `showPath` does; false for what a link's text says. */
  readonly shown: boolean;
}

/**
 * Goes down from a mount's root by the given names and follows links as long as they stay in the workspace. Nothing outside
 * is opened, and whether something outside exists cannot be told from the answer.
 * @throws QuarryError UNREADABLE, SEARCH_FAILED where the system refuses.
 */
export function follow(mounts: readonly MadeMount[], start: Mount, names: readonly string[], shown: boolean): Outcome {
  const todo: Step[] = names.map((name) => ({ name, shown })).reverse();
  let folder = openFolder(start, "");
  let links = 0;
  let viaLink = false;
  try {
    for (let step = todo.pop(); step !== undefined; step = todo.pop()) {
      if (step.name === "..") {
        const jump = folder.path === "" ? fromHost(mounts, aboveRoot(folder.mount, todo)) : null;
        if (folder.path === "" && jump === null) return { kind: "outside" };
        if (jump !== null) todo.splice(0, todo.length, ...jump.steps);
        folder = moveTo(folder, openFolder(jump?.mount ?? folder.mount, jump === null ? parentPath(folder.path) : ""));
        continue;
      }
      const name = nameIn(folder, step);
      const rule = deniedIn(folder.mount, folder.path)?.(name) ?? null;
      if (rule === "covered") {
        // Where the mount that covers this place shows the same folder, a link to it leads there; else to nothing anyone may see.
        const host = `${folder.mount.hostRoot.replaceAll(nodePath.sep, "/")}/${joinPath(folder.path, name)}`;
        const jump = fromHost(mounts, host);
        if (jump === null || jump.mount === folder.mount) return { kind: "outside" };
        todo.push(...jump.steps);
        viaLink = true;
        folder = moveTo(folder, openFolder(jump.mount, ""));
        continue;
      }
      if (rule !== null) return { kind: rule };
      const next = enter(folder, name);
      if (next !== null) {
        folder = moveTo(folder, next);
        continue;
      }
      const host = below(folder.handle.access, name);
      const stat = look(host, joinPath(folder.path, name));
      if (stat?.isSymbolicLink() === true) {
        if (++links > MAX_LINKS) return { kind: "circle" };
        viaLink = true;
        const text = linkText(host, name);
        if (!nodePath.isAbsolute(text)) {
          todo.push(...stepsOf(text));
          continue;
        }
        const jump = fromHost(mounts, text);
        if (jump === null) return { kind: "outside" };
        todo.push(...jump.steps);
        folder = moveTo(folder, openFolder(jump.mount, ""));
        continue;
      }
      if (stat === undefined || todo.length > 0) {
        const rest = [name, ...todo.map((s) => s.name).reverse()];
        return { kind: "missing", mount: folder.mount, folder: folder.path, rest, isFile: stat !== undefined };
      }
      if (stat.isDirectory()) throw changed(name);
      return innermost(mounts, {
        kind: stat.isFile() ? "file" : "special",
        mount: folder.mount,
        path: joinPath(folder.path, name),
        viaLink,
      });
    }
    return innermost(mounts, { kind: "directory", mount: folder.mount, path: folder.path, viaLink });
  } catch (error) {
    if (error instanceof QuarryError && error.code === "DENIED") return { kind: "denied" };
    if (error instanceof QuarryError && error.code === "DISABLED") return { kind: "disabled" };
    throw error;
  } finally {
    folder.close();
  }
}

/** Where a host path lies in the workspace: by its words, else by what it really is. Null for outside, whether it exists or not. */
export function fromHost(
  mounts: readonly MadeMount[],
  host: string,
): { readonly mount: Mount; readonly steps: Step[] } | null {
  const slashed = host.replace(/\/+/g, "/");
  const byWords = containing(mounts, slashed);
  if (byWords !== null) return { mount: byWords.mount, steps: stepsOf(byWords.path) };
  try {
    const real = fromHostBytes(fs.realpathSync.native(toHostBytes(host), { encoding: "buffer" }));
    const found = containing(mounts, real.replaceAll(nodePath.sep, "/"));
    return found === null ? null : { mount: found.mount, steps: stepsOf(found.path) };
  } catch {
    return null; // Not there, not to be reached, or not ours: one answer.
  }
}

function containing(mounts: readonly MadeMount[], host: string): { mount: Mount; path: RelPath } | null {
  let best: { mount: Mount; path: RelPath; length: number } | null = null;
  for (const { mount, hostSpellings } of mounts) {
    for (const spelling of hostSpellings) {
      const path = hostToRelative(spelling, host);
      if (path !== null && (best === null || spelling.length > best.length))
        best = { mount, path, length: spelling.length };
    }
  }
  return best;
}

/** The innermost mount shows and rules a path that several mounts contain. */
function innermost(mounts: readonly MadeMount[], at: Found): Found {
  if (mounts.length === 1) return at;
  const found = containing(
    mounts,
    joinPath(at.mount.hostRoot === "/" ? "" : at.mount.hostRoot.replaceAll(nodePath.sep, "/"), at.path),
  );
  return found === null || found.mount === at.mount
    ? at
    : { ...at, mount: found.mount, path: found.path, viaLink: true };
}

/** The host path that `..` and what is still to do lead to from a mount's root. */
function aboveRoot(mount: Mount, todo: readonly Step[]): string {
  const rest = todo.map((s) => s.name).reverse();
  return nodePath.posix.normalize([mount.hostRoot.replaceAll(nodePath.sep, "/"), "..", ...rest].join("/"));
}

function stepsOf(text: string): Step[] {
  const names = text.split("/").filter((name) => name !== "" && name !== ".");
  return names.map((name) => ({ name, shown: false })).reverse();
}

/** What stands there; undefined for nothing, which a name that is too long is too. */
function look(host: HostPath, path: RelPath): fs.Stats | undefined {
  try {
    return fs.lstatSync(host, { throwIfNoEntry: false });
  } catch (error) {
    const refused = systemRefusal(error, path, "file");
    if (refused.code === "NOT_FOUND") return undefined;
    throw refused;
  }
}

function linkText(host: HostPath, name: string): string {
  try {
    return fromHostBytes(fs.readlinkSync(host, { encoding: "buffer" })).replaceAll(nodePath.sep, "/");
  } catch {
    throw changed(name); // It was a link a moment ago.
  }
}

function changed(name: string): QuarryError {
  return new QuarryError("UNREADABLE", `${quote(name)} changed while it was looked up`, { remedy: "Try again." });
}

function moveTo(from: OpenFolder, to: OpenFolder): OpenFolder {
  from.close();
  return to;
}

/** The folder of that name; null where the name is something else or nothing. */
function enter(folder: OpenFolder, name: string): OpenFolder | null {
  try {
    return openSubfolder(folder, name);
  } catch (error) {
    if (error instanceof QuarryError && ABSENT.has(error.code)) return null;
    throw error;
  }
}

const ABSENT: ReadonlySet<string> = new Set(["NOT_FOUND", "NOT_A_DIRECTORY", "OUTSIDE_WORKSPACE"]);

/** The name on disk that a step means. */
function nameIn(folder: OpenFolder, { name, shown }: Step): string {
  const escaped = shown && /\\x[0-9a-fA-F]{2}/.test(name);
  if (!escaped && !folder.mount.foldsNames) return name;
  const names = folder.list().map((entry) => entry.name);
  if (names.includes(name)) return name;
  if (escaped) {
    const wanted = name.replace(/\\x[0-9a-fA-F]{2}/g, (e) => e.toLowerCase());
    const found = names.find((n) => showPath(n) === wanted) ?? readShownPath(name);
    return /^\.{0,2}$|[/\0]/.test(found) ? name : found;
  }
  return names.find((n) => foldName(n) === foldName(name)) ?? name;
}
