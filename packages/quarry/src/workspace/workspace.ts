import fs from "node:fs";
import os from "node:os";
import { QuarryError } from "../errors/errors.js";
import { isUnder, joinPath, showPath, type RelPath } from "../paths/path.js";
import { isDenied, ruledOut } from "./denied.js";
import { follow, fromHost, type Found, type Missing, type Outcome } from "./follow.js";
import { maskFor } from "./mask.js";
import type { Mount, Target } from "./mount.js";
import { hostToRelative, makeMounts, type MadeMount, type MountOptions } from "./mounts.js";
import { closeNames, nearPlaces } from "./near.js";
import { readings, type Reading } from "./readings.js";
import { outsideWorkspace, quote } from "./refusal.js";

export type { MountOptions } from "./mounts.js";

export interface WorkspaceOptions {
  /** At least one. Folders may lie inside each other: the innermost then rules. */
  readonly mounts: readonly MountOptions[];
  /** Take host paths and `~` that lead into a mount (the command line does; a server does not). False where absent. */
  readonly acceptHostPaths?: boolean;
}

/** What a path is wanted for. */
export type Wanted = "any" | "file" | "directory";

/** What one caller may see, and the sole maker of `Mount` and `Target`. Holds no descriptor: nothing to close. */
export class Workspace {
  readonly mounts: readonly Mount[];
  readonly #made: readonly MadeMount[];
  readonly #acceptHostPaths: boolean;
  readonly #mask: (text: string) => string;
  #artifacts: { readonly name: string; readonly folder: string; readonly files: RegExp } | null = null;

  private constructor(made: readonly MadeMount[], acceptHostPaths: boolean) {
    this.#made = made;
    this.mounts = Object.freeze(made.map((m) => m.mount));
    this.#acceptHostPaths = acceptHostPaths;
    this.#mask = maskFor(made);
  }

  /**
   * @throws QuarryError INVALID_ARGUMENT where a folder does not exist or a name or denied path is not usable. Guesses no
   * root: who has none decides before.
   */
  static async open(options: WorkspaceOptions): Promise<Workspace> {
    return new Workspace(await makeMounts(options.mounts), options.acceptHostPaths ?? false);
  }

  /**
   * Finds what one path means: relative to the workspace's root or absolute in it (`/src/a.ts`), as it stands first (glob
   * characters included), then as `show` writes it, as a `file:` URL, with backslashes. Links on the way are followed as long
   * as they stay inside.
   * @throws QuarryError OUTSIDE_WORKSPACE (one sentence for all ways out), DENIED, NOT_FOUND (with near names),
   * NOT_A_DIRECTORY, NOT_A_FILE, UNREADABLE, INVALID_ARGUMENT.
   */
  resolve(path: string | undefined, want: Wanted): Target {
    const targets = this.resolveAll(path, want);
    const itself = targets.filter((t) => t.below === undefined);
    const [target] = itself.length > 0 ? itself : targets;
    if (target !== undefined && (itself.length === 1 || targets.length === 1)) return target;
    const names = targets.map((t) => this.show(t, t.path)).join(", ");
    throw new QuarryError("INVALID_ARGUMENT", `one path is needed here; the workspace's roots are ${names}`, {
      argument: "path",
    });
  }

  /**
   * As `resolve`, for tools that take several places: no path means all mounts, a folder means itself and the mounts below it (a
   * folder that is virtual alone means those).
   * @param near false where nobody reads the near names of an error, which take long to find.
   */
  resolveAll(path: string | undefined, want: Wanted, near = true): readonly Target[] {
    if (path === undefined || path === "") return this.#roots(this.mounts, want, ".", null);
    if (path.includes("\0"))
      throw new QuarryError("INVALID_ARGUMENT", "a path cannot hold a NUL character", { argument: "path" });
    const asked = this.#mask(path);
    const artifact = this.#artifact(path);
    if (artifact !== null) return [artifact];
    let gravest: Failure | null = null;
    for (const reading of readings(path, { acceptHostPaths: this.#acceptHostPaths, home: os.homedir() || null })) {
      const result = this.#read(reading);
      if (result.kind === "mounts") return this.#roots(result.mounts, want, asked, result.above);
      if ("path" in result) {
        const target = this.#target(result, reading, want, asked);
        return target.kind === "file" ? [target] : [target, ...this.#mountsBelow(target)];
      }
      if (result.kind === "denied" || result.kind === "disabled") throw ruledOut(result.kind, asked);
      if (reading.kind === "host" && reading.absolute)
        gravest = result.kind === "outside" ? (gravest ?? result) : result;
      else if (gravest === null || GRAVITY[result.kind] > GRAVITY[gravest.kind]) gravest = result;
    }
    throw this.#failure(gravest ?? { kind: "outside" }, path, asked, near);
  }

  /**
   * Lends a folder outside the mounts, of which only files whose name `files` matches can be named, one by one, as
   * `<name>/<file>`: it is in no listing and no search of the workspace. It need not exist yet.
   */
  lend(name: string, folder: string, files: RegExp): void {
    this.#artifacts = { name, folder, files };
  }

  /** All mounts that no other mount contains: every file of the workspace once. */
  rootTargets(): readonly Target[] {
    return this.#roots(this.mounts, "any", ".", null);
  }

  /**
   * The text a path is shown as; it can be given back as it stands. Under a link that was named, the name of the link stays.
   * @param path relative to the target's mount, canonical.
   */
  show(target: Target, path: RelPath): string {
    const { mount, asked } = target;
    const below = isUnder(path, target.path) ? path.slice(target.path.length).replace(/^\//, "") : null;
    const named = below === null ? path : below === "" ? asked : joinPath(asked, below);
    const full = named === "" ? mount.name : joinPath(mount.name, named);
    return full === "" ? "." : showPath(full);
  }

  /** Takes every host root out of a text: in its place stands the mount's virtual name. */
  mask(text: string): string {
    return this.#mask(text);
  }

  /** The file of the lent folder that a path names, whether there is one or not; null where it names none. */
  #artifactName(path: string): string | null {
    const lent = this.#artifacts;
    if (lent === null) return null;
    const file = path.slice(path.lastIndexOf("/") + 1);
    return path.replace(/^\//, "") === `${lent.name}/${file}` && lent.files.test(file) ? file : null;
  }

  #artifact(path: string): Target | null {
    const lent = this.#artifacts;
    const file = this.#artifactName(path);
    if (lent === null || file === null) return null;
    if (fs.lstatSync(`${lent.folder}/${file}`, { throwIfNoEntry: false })?.isFile() !== true) return null;
    const mount = {
      name: lent.name,
      hostRoot: fs.realpathSync(lent.folder),
      access: "read",
      denied: [],
      disabled: [],
      covered: [],
      foldsNames: false,
    } as unknown as Mount;
    return Object.freeze({ mount, path: file, kind: "file", asked: file });
  }

  #read(
    reading: Reading,
  ): Outcome | Failure | { readonly kind: "mounts"; readonly mounts: readonly Mount[]; readonly above: RelPath } {
    if (reading.kind === "outside") return reading;
    if (reading.parts.some((part) => part.includes("\0"))) return { kind: "outside" };
    if (reading.kind === "host") {
      const place = fromHost(this.#made, `/${reading.parts.join("/")}`.replace(/^\/([A-Za-z]:)/, "$1"));
      if (place === null) return { kind: "outside" };
      return follow(this.#made, place.mount, place.steps.map((s) => s.name).reverse(), false);
    }
    const path = reading.parts.join("/");
    let mount: Mount | undefined;
    for (const m of this.mounts) if (isUnder(path, m.name) && m.name.length >= (mount?.name.length ?? 0)) mount = m;
    const inner = this.mounts.filter((m) => isUnder(m.name, path));
    if (mount === undefined && inner.length > 0) return { kind: "mounts", mounts: inner, above: path };
    const [only] = this.mounts;
    if (mount === undefined && this.mounts.length === 1 && !reading.absolute)
      return follow(this.#made, only as Mount, reading.parts, reading.kind === "shown");
    if (mount === undefined) return reading.absolute ? { kind: "outside" } : { kind: "nowhere", parts: reading.parts };
    const names = mount.name === "" ? reading.parts : reading.parts.slice(mount.name.split("/").length);
    const found = follow(this.#made, mount, names, reading.kind === "shown");
    if (found.kind === "missing" && inner.length > 0) return { kind: "mounts", mounts: inner, above: path };
    // An absolute path of which not even the first name exists is more likely meant for the host than for the workspace.
    const strange =
      reading.absolute && found.kind === "missing" && found.folder === "" && mount.name === "" && !found.isFile;
    return strange ? { kind: "outside", near: found } : found;
  }

  #target(found: Found, reading: Reading, want: Wanted, asked: string): Target {
    if (found.kind === "special")
      throw new QuarryError("NOT_A_FILE", `${quote(asked)} is not a regular file`, { argument: "path" });
    if (want === "file" && found.kind === "directory")
      throw new QuarryError("NOT_A_FILE", `${quote(asked)} is a directory`, { argument: "path" });
    if (want === "directory" && found.kind === "file")
      throw new QuarryError("NOT_A_DIRECTORY", `${quote(asked)} is a file`, { argument: "path" });
    const named = found.viaLink && reading.kind === "virtual" ? this.#namedIn(found.mount, reading.parts) : null;
    return Object.freeze({ mount: found.mount, path: found.path, kind: found.kind, asked: named ?? found.path });
  }

  /** The caller's own words, relative to the mount; null where they speak of another mount. */
  #namedIn(mount: Mount, parts: readonly string[]): RelPath | null {
    const path = parts.join("/");
    if (mount.name === "") return path;
    return isUnder(path, mount.name) && path !== mount.name ? path.slice(mount.name.length + 1) : null;
  }

  /** The mounts whose place is in a folder: a walk of the folder does not come to them. */
  #mountsBelow(folder: Target): readonly Target[] {
    const { name } = folder.mount;
    if (name === "") return [];
    const here = folder.path === "" ? name : joinPath(name, folder.path);
    const inner = this.mounts.filter((m) => m.name !== here && isUnder(m.name, here));
    return inner.map((mount) => rootOf(mount, mount.name.slice(here.length + 1)));
  }

  /** @param above the virtual folder that was asked for; null where none was. */
  #roots(mounts: readonly Mount[], want: Wanted, asked: string, above: RelPath | null): readonly Target[] {
    if (want === "file") throw new QuarryError("NOT_A_FILE", `${quote(asked)} is a directory`, { argument: "path" });
    const outermost = mounts.filter((m, i) => !mounts.some((o, j) => i !== j && shows(o, m, j < i)));
    return outermost.map((mount) =>
      rootOf(mount, above === null || above === "" ? null : mount.name.slice(above.length + 1)),
    );
  }

  #failure(failure: Failure, path: string, asked: string, wantsNear: boolean): QuarryError {
    if (failure.kind === "circle")
      return new QuarryError("NOT_FOUND", `${quote(asked)} is a link that leads in a circle`, { argument: "path" });
    if (failure.kind === "outside") {
      // A host path that holds a root is not repeated in part: what is left would read like a path of the workspace.
      const refusal = outsideWorkspace(asked === path ? asked : "…");
      const near = failure.near === undefined || !wantsNear ? [] : this.#near(failure.near);
      return near.length === 0
        ? refusal
        : new QuarryError(refusal.code, refusal.message, { ...refusal.details, nearNames: near });
    }
    if (this.#artifactName(path) !== null) {
      return new QuarryError("NOT_FOUND", `${quote(asked)} is not kept any more, or not for this caller`, {
        argument: "path",
        remedy: "Make the call again that it was the complete result of.",
      });
    }
    const file =
      failure.kind === "missing" && failure.isFile
        ? `: ${quote(joinPath(failure.folder, failure.rest[0] ?? ""))} is a file`
        : "";
    return new QuarryError("NOT_FOUND", `${quote(asked)} does not exist${file}`, {
      argument: "path",
      nearNames: wantsNear ? this.#near(failure) : [],
    });
  }

  #near(failure: Missing | Nowhere): string[] {
    const show = (mount: Mount, path: RelPath): string =>
      this.show({ mount, path: "", kind: "directory", asked: "" }, path);
    if (failure.kind === "missing") return nearPlaces(this.mounts, failure).map((p) => show(p.mount, p.path));
    const [first = "", ...rest] = failure.parts;
    const names = closeNames(
      first,
      this.mounts.map((m) => m.name),
    );
    const byMount = this.mounts.filter((m) => names.includes(m.name)).map((mount) => ({ mount, rest }));
    const inEach = this.mounts.map((mount) => ({ mount, rest: failure.parts }));
    for (const { mount, rest: parts } of [...byMount, ...inEach]) {
      const found = follow(this.#made, mount, parts, false);
      if (found.kind === "file" || found.kind === "directory") return [show(found.mount, found.path)];
    }
    return [
      ...names,
      ...nearPlaces(this.mounts, { mount: this.mounts[0] as Mount, folder: "", rest: failure.parts }).map((p) =>
        show(p.mount, p.path),
      ),
    ].slice(0, 5);
  }
}

type Nowhere = { readonly kind: "nowhere"; readonly parts: readonly string[] };
type Failure = Missing | Nowhere | { readonly kind: "circle" } | { readonly kind: "outside"; readonly near?: Missing };

/** Which of several failed readings is told. */
const GRAVITY: Readonly<Record<Failure["kind"], number>> = { outside: 3, circle: 2, missing: 1, nowhere: 1 };

function rootOf(mount: Mount, below: RelPath | null): Target {
  return Object.freeze({ mount, path: "", kind: "directory", asked: "", ...(below === null ? {} : { below }) });
}

/** True where a walk through `outer` meets everything of `inner`; of two mounts of one folder the first does. */
function shows(outer: Mount, inner: Mount, isFirst: boolean): boolean {
  const path = hostToRelative(outer.hostRoot, inner.hostRoot.replaceAll("\\", "/"));
  return path !== null && (path === "" ? isFirst : !isDenied(outer, path));
}
