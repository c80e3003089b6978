import { existsSync } from "node:fs";
import { join } from "node:path";

/** Where Debian's package is unpacked by CI and in CONTRIBUTING.md. Not below any git work tree: its .gitignore starts with `/*`. */
const USUAL_PLACE = "/usr/src/linux-source-6.1";

/**
 * The large real corpus: the unpacked source of Linux 6.1 (78,579 files), or null where it is not on this machine.
 * `QUARRY_LINUX_SOURCE` names another place. Tests over it are skipped with the reason `NO_LINUX_SOURCE` where it is null.
 */
export function linuxSource(): string | null {
  const folder = process.env["QUARRY_LINUX_SOURCE"] ?? USUAL_PLACE;
  return existsSync(join(folder, "MAINTAINERS")) ? folder : null;
}

/** The reason to skip with: `{ skip: linuxSource() === null && NO_LINUX_SOURCE }`. CI installs the corpus and accepts no such skip. */
export const NO_LINUX_SOURCE = "linux-source-6.1 is not installed here (see CONTRIBUTING.md)";
