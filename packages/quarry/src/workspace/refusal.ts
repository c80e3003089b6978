import { QuarryError, type ErrorCode } from "../errors/errors.js";
import { showPath, type RelPath } from "../paths/path.js";

/**
 * The one refusal for everything that is not inside: outside every mount, `..` out of one, a link out of one, a sibling
 * such as `/a/dir-evil` for `/a/dir`. Every tool says this sentence and no other, and it tells nothing about the host.
 * @param asked the path as the caller wrote it.
 */
export function outsideWorkspace(asked: string): QuarryError {
  return new QuarryError("OUTSIDE_WORKSPACE", `${quote(asked)} is not inside the workspace`, { argument: "path" });
}

/** The one answer for what the rules deny; it does not say whether the path exists. */
export function deniedPath(asked: string): QuarryError {
  return new QuarryError("DENIED", `${quote(asked)} is denied by the workspace's rules`, { argument: "path" });
}

/** The one answer for what the configuration switched off; it does not say whether the path exists. */
export function disabledPath(asked: string): QuarryError {
  return new QuarryError("DISABLED", `${quote(asked)} is switched off in the configuration`, { argument: "path" });
}

/** A path in a sentence: controls and raw bytes escaped, the middle of very long ones left out. */
export function quote(path: RelPath): string {
  const shown = showPath(path);
  const points = shown.length > 400 ? [...shown] : [];
  return `"${points.length > 400 ? `${points.slice(0, 200).join("")}…${points.slice(-150).join("")}` : shown}"`;
}

/** What the system refused to open, as an error in our words; `asked` is relative to the mount, never a host path. */
export function systemRefusal(error: unknown, asked: RelPath, wanted: "file" | "folder"): QuarryError {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  const [ours, sentence] = REFUSALS[code] ?? [
    "UNREADABLE",
    `cannot be opened (${/^[A-Z0-9_]+$/.test(code) ? code : "unknown reason"})`,
  ];
  if (code === "ENOTDIR" && wanted === "file") return new QuarryError("NOT_FOUND", `${quote(asked)} does not exist`);
  return new QuarryError(ours, `${quote(asked)} ${sentence}`);
}

const REFUSALS: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ENOENT: ["NOT_FOUND", "does not exist"],
  ENAMETOOLONG: ["NOT_FOUND", "does not exist"],
  ENOTDIR: ["NOT_A_DIRECTORY", "is not a directory"],
  EISDIR: ["NOT_A_FILE", "is a directory"],
  ENXIO: ["NOT_A_FILE", "is not a regular file"],
  ENODEV: ["NOT_A_FILE", "is not a regular file"],
  ESPIPE: ["NOT_A_FILE", "is not a regular file"],
  EACCES: ["UNREADABLE", "cannot be opened: permission denied"],
  EPERM: ["UNREADABLE", "cannot be opened: not permitted"],
  EMFILE: ["SEARCH_FAILED", "cannot be opened: this process has too many open files"],
  ENFILE: ["SEARCH_FAILED", "cannot be opened: the system has too many open files"],
};
