import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parentPath, toHostBytes, type RelPath } from "#src/paths/path.js";

/** What stands at one path of a fixture. A string or Buffer is a file's content; folders on the way are made. */
export type Entry =
  | string
  | Buffer
  | { readonly text: string | Buffer; readonly mode?: number }
  | { readonly dir: true; readonly mode?: number }
  /** A symbolic link; the target may hang. */
  | { readonly link: string }
  | { readonly fifo: true }
  /** `/dev/zero`'s twin: a device that never ends. Needs root. */
  | { readonly device: true };

/** Paths relative to the fixture's root, as `RelPath`: a lone U+DC80..U+DCFF is the byte 0x80..0xFF. */
export type TreeSpec = { readonly [path: RelPath]: Entry };

const made = new Set<string>();

process.on("exit", () => {
  for (const root of made) removeTree(root);
});

/**
 * Makes a folder in the system's temporary folder and fills it. Modes are set last, so that a closed folder may have content.
 * @returns its canonical absolute path. It is removed when the test process ends (or by `removeTree`).
 */
export function makeTree(spec: TreeSpec): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "quarry-test-")));
  made.add(root);
  chmodSync(root, 0o755); // Tests run children as another user.
  addToTree(root, spec);
  return root;
}

/** Adds to a tree, or writes over what is there. */
export function addToTree(root: string, spec: TreeSpec): void {
  const modes: [string | Buffer, number][] = [];
  for (const [path, entry] of Object.entries(spec)) {
    const at = hostPath(root, path);
    mkdirSync(hostPath(root, parentPath(path)), { recursive: true });
    if (typeof entry === "string" || Buffer.isBuffer(entry)) writeFileSync(at, entry);
    else if ("text" in entry) writeFileSync(at, entry.text);
    else if ("dir" in entry) mkdirSync(at, { recursive: true });
    else if ("link" in entry) symlinkSync(toHostBytes(entry.link), at);
    else if ("fifo" in entry) execFileSync("mkfifo", [String(at)]);
    else execFileSync("mknod", [String(at), "c", "1", "5"]);
    if (typeof entry === "object" && "mode" in entry && entry.mode !== undefined) modes.push([at, entry.mode]);
  }
  for (const [at, mode] of modes.reverse()) chmodSync(at, mode);
}

/**
 * A chain of folders, all called `name`, each in the one before it, deeper than any path the system takes as a whole.
 * @returns the path of the deepest folder, relative to the root.
 */
export function makeDeepFolders(root: string, name: string, levels: number, fileAtEnd?: string): RelPath {
  let folder = openSync(root, constants.O_RDONLY | constants.O_DIRECTORY);
  for (let i = 0; i < levels; i++) {
    const next = `/proc/self/fd/${folder}/${name}`;
    mkdirSync(next);
    const inner = openSync(next, constants.O_RDONLY | constants.O_DIRECTORY);
    closeSync(folder);
    folder = inner;
  }
  if (fileAtEnd !== undefined) writeFileSync(`/proc/self/fd/${folder}/${fileAtEnd}`, "deep\n");
  closeSync(folder);
  return Array.from({ length: levels }, () => name).join("/");
}

/** Removes a tree that `makeTree` made, closed folders and very deep ones included. */
export function removeTree(root: string): void {
  if (!made.delete(root)) throw new Error(`not made here: ${root}`);
  try {
    rmSync(root, { recursive: true, force: true });
  } catch {
    // Closed folders, or paths longer than the system takes: the tools that go through descriptors can.
    execFileSync("chmod", ["-R", "u+rwx", root], { stdio: "ignore" });
    execFileSync("rm", ["-rf", root]);
  }
}

/** The form of a path in a fixture that `node:fs` takes. */
export function hostPath(root: string, path: RelPath): string | Buffer {
  return toHostBytes(path === "" ? root : `${root}/${path}`);
}
