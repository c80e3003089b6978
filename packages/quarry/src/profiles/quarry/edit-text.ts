import type { EditValue } from "../../search/values.js";
import { plural } from "./coverage-text.js";

/** The text of an edit: what was done and the new version, the diff, and what could not be kept. */
export function editText(value: EditValue): string {
  const what =
    value.created === true
      ? "Created"
      : value.diff === ""
        ? "Unchanged:"
        : value.replacements === undefined
          ? "Wrote"
          : "Edited";
  const count = value.replacements === undefined ? "" : ` (${plural(value.replacements, "replacement")})`;
  const lines = [`${what} ${value.path}${count}, version ${value.version}`];
  if (value.diff !== "") lines.push(value.diff);
  if (value.diffCut === true) lines.push("(The diff is cut here: more was changed than is shown.)");
  lines.push(...value.notes.map((note) => `(${note})`));
  return lines.join("\n");
}
