import { QuarryError } from "../errors/errors.js";
import { checkText } from "../files/edit-apply.js";
import { unifiedDiff } from "../files/edit-diff.js";
import { encodeUnits, lineEnds, toBytes, toUnits } from "../files/edit-units.js";
import type { EditValue } from "../search/values.js";
import { quote } from "../workspace/refusal.js";
import { DIFF_LIMITS, requireVersion, type Editing } from "./edit-call.js";
import { placeToWrite } from "./write-place.js";

/** Makes a file of this text, or replaces all of one, as `write_file` promises. @throws QuarryError as `changeFile` and `placeToWrite`, and where a version does not fit. */
export async function writeWhole(
  editing: Editing,
  path: string,
  text: string,
  createFolders: boolean,
  ifVersion: string | undefined,
  signal: AbortSignal | undefined,
): Promise<EditValue> {
  checkText("content", text);
  const { shown, ...place } = placeToWrite(editing.rooms.workspace, path, createFolders);
  let created = false;
  let rewritten: Rewritten = { bytes: Buffer.alloc(0), diff: { text: "", cut: false }, notes: [] };
  const { version, notes } = await editing.change(place, signal, (content) => {
    created = content === null;
    if (content === null) {
      if (ifVersion === undefined) return Buffer.from(text, "utf8");
      throw new QuarryError(
        "VERSION_MISMATCH",
        `${quote(shown)} does not exist (any more), and if_version asks for a content that it has`,
        {
          argument: "if_version",
          remedy: "Nothing was written. Leave if_version out to make a new file.",
        },
      );
    }
    if (ifVersion === undefined)
      throw new QuarryError(
        "FILE_EXISTS",
        `${quote(shown)} exists, and if_version does not say which content is to be replaced`,
        { argument: "if_version" },
      );
    requireVersion(content, ifVersion, shown);
    rewritten = rewrite(content.bytes, text, quote(shown));
    return rewritten.bytes;
  });
  const { diff } = rewritten;
  return {
    path: shown,
    version,
    ...(created ? { created: true as const } : {}),
    diff: diff.text,
    ...(diff.cut ? { diffCut: true as const } : {}),
    notes: [
      ...(created || diff.text !== "" ? [] : ["The file already holds this content; nothing was written."]),
      ...rewritten.notes,
      ...notes,
    ],
  };
}

interface Rewritten {
  readonly bytes: Buffer;
  readonly diff: { readonly text: string; readonly cut: boolean };
  readonly notes: readonly string[];
}

/**
 * A whole new text in the form of the old one: its encoding and byte order mark stay, and so does CR LF where all of its
 * lines end so and the new text holds no CR.
 */
export function rewrite(old: Buffer, text: string, name: string): Rewritten {
  const units = toUnits(old, name);
  const notes: string[] = [];
  const marked = units.mark.length > 0;
  let wanted = marked && text.startsWith("\ufeff") ? text.slice(1) : text;
  if (marked)
    notes.push(
      units.encoding === "utf-8"
        ? "The byte order mark was kept."
        : `The file's encoding was kept: ${units.encoding}, with its byte order mark.`,
    );
  if (lineEnds(units.body) === "crlf" && wanted.includes("\n") && !wanted.includes("\r")) {
    wanted = wanted.replaceAll("\n", "\r\n");
    notes.push("The file's line ends were kept: CR LF.");
  }
  const body = encodeUnits(units.encoding, wanted);
  const whole = { from: 0, to: units.body.length, start: 0, end: body.length };
  const same = body === units.body && units.rest.length === 0;
  const diff = same ? { text: "", cut: false } : unifiedDiff(units.encoding, units.body, body, [whole], DIFF_LIMITS);
  return { bytes: toBytes({ ...units, rest: Buffer.alloc(0) }, body), diff, notes: same ? [] : notes };
}
