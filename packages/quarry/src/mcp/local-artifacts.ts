import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { QuarryError } from "../errors/errors.js";
import { ARTIFACTS_MOUNT, ARTIFACT_FILE } from "../spill/store.js";
import {
  MAX_RESOURCE_BYTES,
  artifactLocator,
  artifactUri,
  type ArtifactResource,
  type ArtifactResources,
} from "./artifacts.js";

/** Listed at most; the newest. */
const MAX_LISTED = 200;

/**
 * The artifacts in one owner's folder (`SpillStore.folder`), as resources.
 * @param folder asked when it is needed: it need not exist.
 */
export function localArtifacts(folder: () => string): ArtifactResources {
  return {
    list: async () => {
      const found: (ArtifactResource & { readonly at: number })[] = [];
      for (const name of names(folder())) {
        const stat = statSync(join(folder(), name), { throwIfNoEntry: false });
        if (stat === undefined) continue;
        const locator = `${ARTIFACTS_MOUNT}/${name}`;
        found.push({ uri: artifactUri(locator), name: locator, bytes: stat.size, at: stat.mtimeMs });
      }
      found.sort((a, b) => b.at - a.at || (a.name < b.name ? -1 : 1));
      return found.slice(0, MAX_LISTED).map(({ uri, name, bytes }) => ({ uri, name, bytes }));
    },
    read: async (uri) => {
      const locator = artifactLocator(uri);
      const name = locator?.startsWith(`${ARTIFACTS_MOUNT}/`) === true ? locator.slice(ARTIFACTS_MOUNT.length + 1) : "";
      return ARTIFACT_FILE.test(name) ? readArtifact(join(folder(), name), locator as string) : null;
    },
  };
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => ARTIFACT_FILE.test(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new QuarryError("UNREADABLE", "the folder of the artifacts cannot be listed", {}, { cause: error });
  }
}

function readArtifact(path: string, locator: string): string | null {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new QuarryError("UNREADABLE", `${locator} cannot be opened`, {}, { cause: error });
  }
  try {
    const { size } = fstatSync(fd);
    if (size <= MAX_RESOURCE_BYTES) return readFileSync(fd, "utf8");
    throw new QuarryError(
      "INVALID_ARGUMENT",
      `${locator} has ${size} bytes, more than one message holds (${MAX_RESOURCE_BYTES})`,
      {
        argument: "uri",
        remedy: `Read it by lines: read_file with path ${locator}.`,
      },
    );
  } finally {
    closeSync(fd);
  }
}
