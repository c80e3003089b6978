import fs from "node:fs";
import nodePath from "node:path";
import { QuarryError } from "../errors/errors.js";
import { joinPath, showPath, type RelPath } from "../paths/path.js";
import { openFolder, openSubfolder, readSmallFile, type OpenFolder, type RawEntry } from "../workspace/guard.js";
import type { Mount } from "../workspace/mount.js";
import { below } from "../workspace/system.js";
import type { Evidence } from "./evidence.js";
import {
  IgnoreChain,
  MAX_IGNORE_BYTES,
  MAX_IGNORE_RULES,
  readIgnore,
  type IgnoreDialect,
  type Level,
} from "./ignore.js";

/** What counts in one folder: its ignore rules, and whether it belongs to a git work tree. */
export interface IgnoreState {
  readonly chain: IgnoreChain;
  readonly inWorkTree: boolean;
  /** Whose reading of git's own files counts; git's where absent. */
  readonly gitDialect?: IgnoreDialect;
}

/** Where the loading of ignore files tells what went wrong. */
export interface IgnoreTrouble {
  /** An ignore file, or a folder that may hold one, cannot be read. */
  unreadable(path: RelPath): void;
  /** A sentence for the answer. */
  note(text: string): void;
  /** Is told of what is about to be read. */
  readonly evidence?: Evidence;
}

/** Which names that matter for ignore rules a folder holds. */
export interface Marks {
  rgignore: boolean;
  ignore: boolean;
  gitignore: boolean;
  /** `.git` of any kind: here a repository, a linked work tree or a submodule begins. */
  git: boolean;
  /** `.jj`: ripgrep takes it for a work tree as well, and Jujutsu reads `.gitignore`. */
  jj: boolean;
}

export function marksOf(entries: readonly RawEntry[]): Marks | null {
  let marks: Marks | null = null;
  for (const { name } of entries) {
    if (name.charCodeAt(0) !== 0x2e) continue;
    const key = MARKS[name];
    if (key === undefined) continue;
    marks ??= { rgignore: false, ignore: false, gitignore: false, git: false, jj: false };
    marks[key] = true;
  }
  return marks;
}

const MARKS: Readonly<Record<string, keyof Marks>> = Object.assign(Object.create(null) as Record<string, keyof Marks>, {
  ".rgignore": "rgignore",
  ".ignore": "ignore",
  ".gitignore": "gitignore",
  ".git": "git",
  ".jj": "jj",
});

/**
 * Is the mount's root inside a work tree? A `.git` above the mount decides that, as it does for git and rg in that folder;
 * rules from above the mount never count.
 */
export function stateAboveMount(mount: Mount): IgnoreState {
  let folder = nodePath.dirname(mount.hostRoot);
  for (;;) {
    if (fs.existsSync(nodePath.join(folder, ".git")) || fs.existsSync(nodePath.join(folder, ".jj"))) {
      return { chain: IgnoreChain.EMPTY, inWorkTree: true };
    }
    const up = nodePath.dirname(folder);
    if (up === folder) return { chain: IgnoreChain.EMPTY, inWorkTree: false };
    folder = up;
  }
}

/** What counts in a folder, from what counts in the one that holds it. */
export function enterFolder(
  outer: IgnoreState,
  folder: OpenFolder,
  depth: number,
  marks: Marks | null,
  above: boolean,
  trouble: IgnoreTrouble,
): IgnoreState {
  if (marks === null) return outer;
  const { gitDialect = "git" } = outer;
  const inWorkTree = outer.inWorkTree || marks.git || marks.jj;
  const chain = marks.git || marks.jj ? outer.chain.enterRepository() : outer.chain;
  const load = (name: string, dialect: IgnoreDialect): Level | null =>
    loadFile(folder, name, dialect, folder.path, depth, above, trouble);
  const found = {
    rgignore: marks.rgignore ? load(".rgignore", "rg") : null,
    ignore: marks.ignore ? load(".ignore", "rg") : null,
    gitignore: marks.gitignore && inWorkTree ? load(".gitignore", gitDialect) : null,
    exclude: marks.git ? loadExclude(folder, gitDialect, depth, above, trouble) : null,
  };
  if (Object.values(found).every((level) => level === null)) return { ...outer, chain, inWorkTree };
  return { ...outer, chain: chain.with(found), inWorkTree };
}

/** What the names in a folder say when it need not be listed. */
export function probeMarks(folder: OpenFolder): Marks {
  const has = (name: string): boolean =>
    fs.lstatSync(below(folder.procPath, name), { throwIfNoEntry: false }) !== undefined;
  return {
    rgignore: has(".rgignore"),
    ignore: has(".ignore"),
    gitignore: has(".gitignore"),
    git: has(".git"),
    jj: has(".jj"),
  };
}

function loadFile(
  holder: OpenFolder,
  name: string,
  dialect: IgnoreDialect,
  folder: RelPath,
  depth: number,
  above: boolean,
  trouble: IgnoreTrouble,
): Level | null {
  const path = joinPath(holder.path, name);
  const shown = shownIn(holder.mount, path);
  let content: Buffer | null;
  if (name !== "exclude") trouble.evidence?.reads(holder, name);
  try {
    content = readSmallFile(holder, name, MAX_IGNORE_BYTES);
  } catch (error) {
    if (!(error instanceof QuarryError) || error.code !== "UNREADABLE") throw error;
    trouble.unreadable(path);
    trouble.note(`the ignore file ${shown} cannot be read: its rules were not applied`);
    return null;
  }
  if (content === null) return null;
  if ((fs.lstatSync(below(holder.procPath, name), { throwIfNoEntry: false })?.size ?? 0) > MAX_IGNORE_BYTES) {
    trouble.note(`the ignore file ${shown} is very large: only its first ${MAX_IGNORE_BYTES} bytes count`);
  }
  const file = readIgnore(content, dialect);
  if (file.dropped > 0) {
    trouble.note(
      `the ignore file ${shown} has more than ${MAX_IGNORE_RULES} rules: the last ${file.dropped} were not applied`,
    );
  }
  if (file.faulty > 0 && dialect === "rg") {
    trouble.note(
      `the ignore file ${shown} has ${file.faulty} ${file.faulty === 1 ? "line" : "lines"} that cannot be understood`,
    );
  }
  return file.rules.size === 0 ? null : { file, folder, depth, above };
}

/** `.git/info/exclude`. Where `.git` is a file (linked work tree, submodule) it is looked for where that leads, inside the mount. */
function loadExclude(
  folder: OpenFolder,
  dialect: IgnoreDialect,
  depth: number,
  above: boolean,
  trouble: IgnoreTrouble,
): Level | null {
  let info: OpenFolder | null = null;
  trouble.evidence?.readsRepository(folder);
  try {
    info = openInfo(folder);
    return info === null ? null : loadFile(info, "exclude", dialect, folder.path, depth, above, trouble);
  } catch (error) {
    if (!(error instanceof QuarryError) || error.code === "SEARCH_FAILED") throw error;
    if (error.code === "UNREADABLE") trouble.unreadable(joinPath(folder.path, ".git"));
    // Absent, denied, a link, or outside the mount: there are no rules that may count.
    return null;
  } finally {
    info?.close();
  }
}

function openInfo(folder: OpenFolder): OpenFolder | null {
  const pointer = readSmallFile(folder, ".git", 4_096);
  if (pointer === null) {
    const git = openSubfolder(folder, ".git");
    try {
      return openSubfolder(git, "info");
    } finally {
      git.close();
    }
  }
  const leads = /^gitdir: (.+?)\r?\n?$/.exec(pointer.toString("utf8"))?.[1];
  const gitDir = leads === undefined ? null : insideMount(folder.mount, folder.path, leads);
  if (gitDir === null) return null;
  const own = openFolder(folder.mount, gitDir);
  try {
    const common = readSmallFile(own, "commondir", 4_096)?.toString("utf8").trimEnd();
    const shared = common === undefined ? gitDir : insideMount(folder.mount, gitDir, common);
    return shared === null ? null : openFolder(folder.mount, joinPath(shared, "info"));
  } finally {
    own.close();
  }
}

/** Where a path in a git file leads, as a path in the mount; null outside of it. Links are for the guard to refuse. */
function insideMount(mount: Mount, folder: RelPath, leads: string): RelPath | null {
  const host = nodePath.resolve(mount.hostRoot, folder, leads);
  const relative = nodePath.relative(mount.hostRoot, host);
  if (relative === ".." || relative.startsWith(`..${nodePath.sep}`) || nodePath.isAbsolute(relative)) return null;
  return relative.split(nodePath.sep).join("/");
}

/** A path for a sentence, with the mount's virtual name in front where it has one. */
export function shownIn(mount: Mount, path: RelPath): string {
  return showPath(mount.name === "" ? path || "." : path === "" ? mount.name : joinPath(mount.name, path));
}
