import fs from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { QuarryError } from "../../errors/errors.js";
import { baseName, fromHostBytes, isUnder, joinPath, parentPath, type RelPath } from "../../paths/path.js";
import { FileOpener, openFolder, type OpenFolder } from "../../workspace/guard.js";
import type { Mount } from "../../workspace/mount.js";
import { VCS_FOLDERS } from "../../workspace/version-control.js";
import { below } from "../../workspace/system.js";
import { isAsStamped } from "../kernel/stamps.js";
import { MAX_EVENTS, type WatchAnswer, type WatchQuestion, type WatchTask } from "./watch-protocol.js";

/**
 * Watches every folder of a tree and a folder with cookies. All watches of a thread share one queue of the system, in which events stand in
 * the order in which they happened: when a cookie's event is met, everything that happened before it was written has been met too.
 */

const task = workerData as WatchTask;
const mount = task.mount as Mount;
const watchers = new Map<RelPath, fs.FSWatcher>();
let touched = new Set<RelPath>();
let trees = new Set<RelPath>();
/** How often each name came or went. */
let moves = new Map<RelPath, number>();
let lost = false;
let listed = false;
/** Somewhere a repository keeps its rules where nobody watches: then no list is certain. */
let keepsRulesElsewhere = false;
/** Events in this turn of the loop, in which the system's queue is read to its end. */
let events = 0;
let counting = false;
/** What is in them says which files count. */
const IGNORE_FILES: ReadonlySet<string> = new Set([".gitignore", ".ignore", ".rgignore"]);

const mostEvents = queueLength();

parentPort?.on("message", (question: WatchQuestion) => look(question));
if (mostEvents === 0) broken("the length of the system's queue is not known");
else begin();

function begin(): void {
  fs.watch(task.cookies, (_, name) => {
    count();
    const cookie = Number(/^c(\d+)$/.exec(name ?? "")?.[1] ?? -1);
    if (cookie >= 0) answer(cookie);
  }).on("error", () => broken("the cookies are gone"));
  watchTree("");
  tell({ kind: "ready", folders: watchers.size });
}

function tell(told: WatchAnswer): void {
  parentPort?.postMessage(told);
}

function broken(why: string, tooLarge = false): void {
  tell({ kind: "broken", why, tooLarge });
  process.exit(0);
}

/** Answers what no event tells of. */
function look({ paths, numbers, stamps }: WatchQuestion): void {
  const opener = new FileOpener(mount);
  const changed = paths.filter((path, i) => {
    const stat = opener.look(path);
    return stat === null || !isAsStamped(stamps, numbers[i] as number, stat) || stat.nlink !== 1n;
  });
  opener.close();
  tell({ kind: "asked", changed });
}

/** The queue overflows in silence. Where so many events stand in it at once, it may have. */
function queueLength(): number {
  try {
    const most = Number(fs.readFileSync("/proc/sys/fs/inotify/max_queued_events", "latin1"));
    return Math.min(MAX_EVENTS, Math.floor(most / 2));
  } catch {
    return 0; // Not Linux, or hidden: nothing is taken for granted.
  }
}

function count(): void {
  if (++events > mostEvents) lost = true;
  if (counting) return;
  counting = true;
  setImmediate(() => {
    counting = false;
    events = 0;
  });
}

function answer(cookie: number): void {
  if (!lost && mayHaveLinked()) lost = true;
  tell({
    kind: "cookie",
    cookie,
    touched: [...touched],
    trees: [...trees],
    lost,
    listed: listed || lost || keepsRulesElsewhere,
  });
  touched = new Set();
  trees = new Set();
  moves = new Map();
  lost = false;
  listed = false;
}

/**
 * A file that is written under a name tells nothing of its other names. So where a name came that is one of several, nothing is known of any
 * file; nor where names came and went again (a link may have been among them), unless as many others came (files that are written beside
 * others and renamed).
 */
function mayHaveLinked(): boolean {
  let wentAgain = 0;
  let came = 0;
  for (const [path, times] of moves) {
    const links = linksOf(path);
    if (links > 1) return true;
    if (links === 1) came += 1;
    else if (links === 0 && times > 1) wentAgain += 1;
  }
  return wentAgain > came;
}

/** How many names a regular file has; 0 where there is nothing, -1 for anything else. */
function linksOf(path: RelPath): number {
  let folder: OpenFolder;
  try {
    folder = openFolder(mount, parentPath(path));
  } catch (error) {
    if (!(error instanceof QuarryError)) throw error;
    return 0;
  }
  try {
    const stat = fs.lstatSync(below(folder.procPath, baseName(path)), { throwIfNoEntry: false });
    return stat === undefined ? 0 : stat.isFile() ? stat.nlink : -1;
  } catch {
    return 0; // Gone while it was asked.
  } finally {
    folder.close();
  }
}

function onEvent(folder: RelPath, type: string, bytes: Buffer | null): void {
  count();
  if (bytes === null) {
    lost = true;
    return;
  }
  if (touched.size + trees.size > MAX_EVENTS) lost = true;
  if (lost) {
    touched.clear();
    trees.clear();
    moves.clear();
  }
  const name = fromHostBytes(bytes);
  if (name === ".") {
    // The folder itself, of which the one that holds it tells the same; nobody does of the root.
    if (folder === "") lost = true;
    return;
  }
  const path = joinPath(folder, name);
  if (type !== "rename" && !watchers.has(path)) {
    if (IGNORE_FILES.has(name)) listed = true;
    if (!lost) touched.add(path);
    return;
  }
  listed = true;
  // A folder whose attributes changed may open or close to us; a name that came, went or was exchanged may be a folder.
  if (!lost) {
    trees.add(path);
    moves.set(path, (moves.get(path) ?? 0) + 1);
  }
  forgetTree(path);
  if (!VCS_FOLDERS.has(name)) watchTree(path);
  else if (name === ".git") {
    const links = linksOf(path);
    if (links !== 0) watchRules(path, links < 0);
  }
}

function forgetTree(path: RelPath): void {
  if (!watchers.has(path)) return;
  for (const [known, watcher] of watchers) {
    if (!isUnder(known, path)) continue;
    watcher.close();
    watchers.delete(known);
  }
}

/** Watches a folder and all below it, each before it is listed, so that nothing that comes later is missed. */
function watchTree(start: RelPath): void {
  const waiting = [start];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    let folder: OpenFolder;
    try {
      folder = openFolder(mount, path);
    } catch (error) {
      // Gone by now, closed to us, a file or a link: nothing below it is searched either.
      if (!(error instanceof QuarryError)) throw error;
      if (path === "") broken("the folder cannot be opened");
      continue;
    }
    try {
      watch(path, folder);
      for (const { name, kind } of folder.list())
        if (name === ".git") watchRules(joinPath(path, name), kind === "directory");
        else if (kind === "directory" && !VCS_FOLDERS.has(name)) waiting.push(joinPath(path, name));
    } catch (error) {
      if (!(error instanceof QuarryError)) throw error;
      // Its files may still be reached by name.
      if (error.code !== "NOT_FOUND") broken("a folder cannot be listed");
    } finally {
      folder.close();
    }
  }
}

/** Of a repository only `info/exclude` says which files count, where it is a folder. */
function watchRules(git: RelPath, isFolder: boolean): void {
  if (!isFolder) keepsRulesElsewhere = true;
  for (const path of isFolder ? [git, joinPath(git, "info")] : []) {
    let folder: OpenFolder;
    try {
      folder = openFolder(mount, path);
    } catch (error) {
      if (!(error instanceof QuarryError)) throw error;
      if (error.code !== "NOT_FOUND") keepsRulesElsewhere = true;
      continue;
    }
    watch(path, folder, (_, name) => {
      count();
      const known = name?.toString("latin1");
      if (path !== git) listed = true;
      else if (known === "info" || known === "commondir" || known === "." || known === undefined) {
        listed = true;
        forgetTree(git);
        watchRules(git, true);
      }
    });
    folder.close();
  }
}

type OnEvent = (type: string, name: Buffer | null) => void;

function watch(path: RelPath, folder: OpenFolder, hear: OnEvent = (type, name) => onEvent(path, type, name)): void {
  if (watchers.has(path)) return;
  if (watchers.size >= task.folders) broken("it has too many folders to be watched", true);
  try {
    // By the open folder: no link is followed.
    const watcher = fs.watch(below(folder.procPath, "."), { encoding: "buffer" }, hear);
    watcher.on("error", () => broken("a watch was lost"));
    watchers.set(path, watcher);
  } catch (error) {
    broken(`it cannot be watched (${(error as NodeJS.ErrnoException).code ?? "unknown"})`);
  }
}
