import { QuarryError, type ErrorDetails } from "../errors/errors.js";
import { isUnder, showPath, type RelPath } from "../paths/path.js";
import { outsideWorkspace, quote } from "../workspace/refusal.js";
import type { Target } from "../workspace/mount.js";
import type { Wanted, Workspace } from "../workspace/workspace.js";

/** Absolute virtual paths over a workspace: how they are read, and how its own paths and errors are shown as such. */
export class VirtualPaths {
  readonly workspace: Workspace;

  constructor(workspace: Workspace) {
    this.workspace = workspace;
  }

  /**
   * The places that a path means: itself, and where it is a folder the mounts below it.
   * @throws QuarryError INVALID_ARGUMENT for a path that is not absolute, OUTSIDE_WORKSPACE also for `..` out of a mount, and what
   * `Workspace.resolveAll` throws.
   */
  resolveAll(path: string, want: Wanted): readonly Target[] {
    const plain = this.check(path);
    const targets = this.workspace.resolveAll(path, want);
    // Above everything each mount is a place below what was asked for, also a sole one.
    return plain === "" ? targets.map((target) => below(target, target.mount.name)) : targets;
  }

  /** As `resolveAll`, for one place. */
  resolve(path: string, want: Wanted): Target {
    this.check(path);
    return this.workspace.resolve(path, want);
  }

  /**
   * Refuses what is no absolute path inside a mount, or above some, by its words alone.
   * @returns the path without `.`, `..`, empty parts and the slash in front.
   */
  check(path: string): RelPath {
    if (!path.startsWith("/")) {
      throw new QuarryError("INVALID_ARGUMENT", `path must be an absolute path, not ${quote(path)}`, {
        argument: "path",
        remedy: `Accepted are paths below ${this.#roots()}.`,
      });
    }
    if (path.includes("\0"))
      throw new QuarryError("INVALID_ARGUMENT", "a path cannot hold a NUL character", { argument: "path" });
    const parts: string[] = [];
    for (const part of path.split(/[/\\]/)) {
      if (part === "" || part === ".") continue;
      if (part !== "..") parts.push(part);
      else {
        const before = this.#mountOf(parts.join("/"));
        parts.pop();
        if (before === null || this.#mountOf(parts.join("/")) !== before) throw this.#outside(path);
      }
    }
    const plain = parts.join("/");
    if (this.#mountOf(plain) === null && !this.#names().some((name) => isUnder(name, plain))) throw this.#outside(path);
    return plain;
  }

  /** A path of a target's mount as every tool accepts it. */
  show(target: Target, path: RelPath): string {
    return absolute(this.workspace.show(target, path));
  }

  /** An error of the rooms below in this sandbox's words: no host path, and every path of the workspace absolute. */
  retold(error: QuarryError): QuarryError {
    const text = (one: string): string => this.#absoluteIn(this.workspace.mask(one));
    const { nearNames, engineReason, remedy, ...rest } = error.details;
    const details: ErrorDetails = {
      ...rest,
      ...(nearNames === undefined ? {} : { nearNames: nearNames.map(absolute) }),
      ...(engineReason === undefined ? {} : { engineReason: this.workspace.mask(engineReason) }),
      ...(remedy === undefined ? {} : { remedy: text(remedy) }),
      ...(error.code === "OUTSIDE_WORKSPACE" ? { remedy: `Its roots are ${this.#roots()}.` } : {}),
    };
    return new QuarryError(error.code, text(error.message), details, { cause: error });
  }

  /** A sentence of the rooms below, likewise. */
  sentence(text: string): string {
    return this.#absoluteIn(this.workspace.mask(text));
  }

  #outside(path: string): QuarryError {
    const shown = this.workspace.mask(path);
    return outsideWorkspace(shown === path ? path : "…");
  }

  /** The innermost mount that a path lies in; null for none. */
  #mountOf(path: RelPath): string | null {
    let found: string | null = null;
    for (const name of this.#names()) if (isUnder(path, name) && name.length >= (found?.length ?? 0)) found = name;
    return found;
  }

  #names(): string[] {
    return this.workspace.mounts.map((mount) => mount.name);
  }

  #roots(): string {
    return this.#names().map(absolute).sort().join(", ");
  }

  /** Quoted paths of the workspace begin with its mounts' names; here a slash comes before them. */
  #absoluteIn(text: string): string {
    const names = this.#names().filter((name) => name !== "");
    if (names.length === 0) return text;
    const any = names.map((name) => showPath(name).replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|");
    return text.replace(new RegExp(`"(?=(?:${any})(?:["/]))`, "gu"), '"/');
  }
}

function below(target: Target, place: RelPath): Target {
  return target.below !== undefined || place === "" ? target : { ...target, below: place };
}

function absolute(shown: string): string {
  return shown === "." ? "/" : `/${shown}`;
}
