import { realpathSync, statSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { QuarryError } from "../errors/errors.js";

/** Canonical absolute folders, and one sentence for each root that was left out. Sentences hold no host path. */
export interface ClientFolders {
  readonly folders: readonly string[];
  readonly ignored: readonly string[];
}

/** More roots than this are not looked at: a client has a handful. */
const MAX_ROOTS = 256;

/** The folders that a client's roots name: `file:` URIs, decoded, links resolved. */
export function clientFolders(uris: readonly string[]): ClientFolders {
  const folders: string[] = [];
  const ignored: string[] = [];
  uris.slice(0, MAX_ROOTS).forEach((uri, i) => {
    const found = folderOf(uri);
    if ("folder" in found) folders.push(found.folder);
    else ignored.push(`client root ${i + 1} of ${uris.length} ignored: ${found.why}`);
  });
  if (uris.length > MAX_ROOTS) ignored.push(`client roots after the first ${MAX_ROOTS} ignored`);
  return { folders, ignored };
}

function folderOf(uri: string): { readonly folder: string } | { readonly why: string } {
  let path: string;
  try {
    path = fileURLToPath(uri);
  } catch {
    return { why: "not a file: URI of this machine" };
  }
  try {
    const folder = realpathSync.native(path);
    return statSync(folder).isDirectory() ? { folder } : { why: "not a folder" };
  } catch {
    return { why: "it does not exist or cannot be opened" };
  }
}

/**
 * What lies in both: of every pair the inner folder. Nested folders are told once, by the outermost.
 * @param allowed the command line's folders.
 * @param client canonical folders, as `clientFolders` gives them.
 * @throws QuarryError NOT_FOUND where a folder of the command line does not exist.
 */
export function narrower(allowed: readonly string[], client: readonly string[]): ClientFolders {
  const canonical = allowed.map(canonicalFolder);
  const both = new Set<string>();
  const ignored: string[] = [];
  client.forEach((folder, i) => {
    const inside = canonical.some((root) => isWithin(folder, root));
    const around = canonical.filter((root) => isWithin(root, folder));
    if (inside) both.add(folder);
    else if (around.length > 0) for (const root of around) both.add(root);
    else
      ignored.push(
        `client root ${i + 1} of ${client.length} ignored: it is outside the folders this server was started with`,
      );
  });
  return { folders: outermost([...both]), ignored };
}

/** The folders that lie in no other one of them. */
export function outermost(folders: readonly string[]): string[] {
  return folders.filter((one) => !folders.some((other) => other !== one && isWithin(one, other)));
}

function canonicalFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch (error) {
    throw new QuarryError(
      "NOT_FOUND",
      "a folder given with --root does not exist or cannot be opened",
      { argument: "root" },
      { cause: error },
    );
  }
}

/** True where `path` is `folder` or lies in it; both canonical. */
function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
