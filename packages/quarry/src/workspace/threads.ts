import fs from "node:fs";
import nodePath from "node:path";
import { QuarryError } from "../errors/errors.js";
import { fromHostBytes } from "../paths/path.js";
import { foldName } from "./denied.js";
import { openFolder } from "./guard.js";
import { quote } from "./refusal.js";
import { Workspace } from "./workspace.js";
import { makeFolderIn } from "./write-guard.js";

/** As LangGraph's thread ids are: no separator, no dot, nothing that a file system folds but letter case. */
const THREAD = /^[A-Za-z0-9_-]{1,128}$/;

/**
 * The folders of one thread, `<host>/<thread>/<name>`; each is made when it is missing, for this user alone, and no link on the
 * way is followed.
 * @param host existing folder that holds all threads.
 * @returns absolute host folders, by name.
 * @throws QuarryError INVALID_ARGUMENT for an id that is none, or one that differs from another thread's in letter case alone where
 * the file system takes both for one; OUTSIDE_WORKSPACE where something else than a folder stands there; WRITE_FAILED.
 */
export async function threadFolders<N extends string>(
  host: string,
  thread: string,
  names: readonly N[],
): Promise<Readonly<Record<N, string>>> {
  if (!THREAD.test(thread)) {
    throw new QuarryError(
      "INVALID_ARGUMENT",
      `${quote(thread)} is not the id of a thread; accepted are 1 to 128 letters, digits, - and _`,
      { argument: "thread" },
    );
  }
  const { mounts } = await Workspace.open({ mounts: [{ host, name: "threads", access: "write" }] });
  const [mount] = mounts;
  if (mount === undefined) throw new QuarryError("INTERNAL", "a workspace without a mount");
  const all = openFolder(mount, "");
  try {
    const own = plainFolder(() => makeFolderIn(all, thread, 0o700), thread);
    try {
      const there = all.list().map((entry) => entry.name);
      if (!there.includes(thread) && there.some((name) => foldName(name) === foldName(thread)))
        throw new QuarryError("INVALID_ARGUMENT", `${quote(thread)} is another thread's id in other letters`, {
          argument: "thread",
        });
      const folders = names.map((name) => {
        plainFolder(() => makeFolderIn(own, name, 0o700), thread).close();
        // Whoever mounts it names it: it must be what was opened.
        const at = nodePath.join(mount.hostRoot, thread, name);
        if (fromHostBytes(fs.realpathSync.native(at, { encoding: "buffer" })) !== at) throw notPlain(thread);
        return [name, at] as const;
      });
      return Object.fromEntries(folders) as Record<N, string>;
    } finally {
      own.close();
    }
  } finally {
    all.close();
  }
}

function plainFolder<F>(open: () => F, thread: string): F {
  try {
    return open();
  } catch (error) {
    if (error instanceof QuarryError && (error.code === "OUTSIDE_WORKSPACE" || error.code === "NOT_A_DIRECTORY"))
      throw notPlain(thread);
    throw error;
  }
}

function notPlain(thread: string): QuarryError {
  return new QuarryError("OUTSIDE_WORKSPACE", `a folder of the thread ${quote(thread)} is a link or a file`, {
    argument: "thread",
    remedy: "Nothing was opened. Put a folder in its place, or use another thread.",
  });
}
