import { isUtf8 } from "node:buffer";
import { applyEdits, type Edit } from "../files/edit-apply.js";
import { unifiedDiff } from "../files/edit-diff.js";
import { toBytes, toUnits } from "../files/edit-units.js";
import { changeFile, type Content, type WritePlace } from "../files/write-file.js";
import type { FileLocks } from "../files/write-lock.js";
import { QuarryError } from "../errors/errors.js";
import type { EditValue } from "../search/values.js";
import { quote } from "../workspace/refusal.js";
import { Clock } from "./clock.js";
import { editLocks } from "./edit-locks.js";
import type { Rooms } from "./rooms.js";

/** How much of a diff is kept in an answer. */
export const DIFF_LIMITS = { lines: 60, width: 200 } as const;

// oxlint-disable-next-line no-control-regex -- ASCII is the very question
const ASCII = /^[\u0000-\u007f]*$/;
const MIXED =
  "The file holds bytes that are not UTF-8, so it may be in another encoding: the new text's characters outside ASCII were written in UTF-8.";

/** What one edit tool needs beside the rooms: the locks, made at its first call. */
export class Editing {
  readonly rooms: Rooms;
  #locks: FileLocks | null = null;

  constructor(rooms: Rooms) {
    this.rooms = rooms;
  }

  /** `changeFile` with the call's time limit and signal. */
  async change(
    place: WritePlace,
    signal: AbortSignal | undefined,
    change: (content: Content) => Buffer,
  ): ReturnType<typeof changeFile> {
    this.#locks ??= editLocks();
    const clock = new Clock(this.rooms.settings.timeoutMs, signal);
    try {
      return await changeFile(place, this.#locks, clock.signal, change);
    } catch (error) {
      if (error instanceof QuarryError && error.code === "FILE_BUSY" && clock.reason === "cancelled") {
        throw new QuarryError("ABORTED", "the call was cancelled; nothing was changed");
      }
      throw error;
    } finally {
      clock.stop();
    }
  }

  /** One file, one or more replacements, all or none. */
  async replace(
    path: string,
    edits: readonly Edit[],
    ifVersion: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<EditValue> {
    const { workspace } = this.rooms;
    const target = workspace.resolve(path, "file");
    const shown = workspace.show(target, target.path);
    let replacements = 0;
    let diff = { text: "", cut: false };
    let mixed = false;
    const { version, notes } = await this.change(target, signal, (content) => {
      if (content === null)
        throw new QuarryError("NOT_FOUND", `${quote(shown)} does not exist any more`, { argument: "path" });
      requireVersion(content, ifVersion, shown);
      const units = toUnits(content.bytes, quote(shown));
      const applied = applyEdits(units, edits, quote(shown));
      replacements = applied.replacements;
      mixed = !isUtf8(content.bytes) && units.encoding === "utf-8" && edits.some(({ newText }) => !ASCII.test(newText));
      diff = unifiedDiff(units.encoding, units.body, applied.body, applied.changes, DIFF_LIMITS);
      return toBytes(units, applied.body);
    });
    const nothing = diff.text === "" ? ["The edits together leave the file as it was; nothing was written."] : [];
    return {
      path: shown,
      version,
      replacements,
      diff: diff.text,
      ...(diff.cut ? { diffCut: true as const } : {}),
      notes: [...nothing, ...(mixed ? [MIXED] : []), ...notes],
    };
  }
}

/** @throws QuarryError VERSION_MISMATCH where a version is asked for and the content has another one. */
export function requireVersion(content: NonNullable<Content>, ifVersion: string | undefined, shown: string): void {
  if (ifVersion === undefined || ifVersion === content.version) return;
  throw new QuarryError(
    "VERSION_MISMATCH",
    `${quote(shown)} has changed: its content is not that of version ${quote(ifVersion)}`,
    { argument: "if_version" },
  );
}
