import { QuarryError } from "../errors/errors.js";
import { compose, type Change } from "./edit-changes.js";
import { Finder, replacement, type Span } from "./edit-find.js";
import { explainAbsence } from "./edit-nearest.js";
import { encodeUnits, showUnits, type Units } from "./edit-units.js";
import { MAX_EDIT_BYTES } from "./write-atomic.js";

/** One replacement, as it is asked for. */
export interface Edit {
  readonly oldText: string;
  readonly newText: string;
  /** Replace every place; where false there must be exactly one. */
  readonly all: boolean;
}

export interface Applied {
  readonly body: string;
  /** From the old body to the new one. */
  readonly changes: readonly Change[];
  /** Places that were replaced, all edits together. */
  readonly replacements: number;
}

/** Candidates of a text that is not unique: counted up to here, and this many of their lines are named. */
const COUNT_LIMIT = 1_000;
const NAMED_LIMIT = 20;
/** Places that one edit replaces at most: a bound on memory. */
const MAX_PLACES = 500_000;

/**
 * Applies edits in order, each to the result of the one before. All or none: where one cannot be applied, nothing is.
 * @param name the file in messages, quoted.
 * @throws QuarryError OLD_STR_NOT_FOUND with the nearest line, OLD_STR_NOT_UNIQUE with the lines of the candidates,
 * INVALID_ARGUMENT for texts that cannot be meant; where there are several edits the message says which one.
 */
export function applyEdits(units: Units, edits: readonly Edit[], name: string): Applied {
  let body = units.body;
  let changes: readonly Change[] = [];
  let replacements = 0;
  edits.forEach((edit, i) => {
    const which = edits.length === 1 ? "" : `edit ${i + 1} of ${edits.length}: `;
    checkTexts(edit, which);
    const old = encodeUnits(units.encoding, edit.oldText);
    const now = encodeUnits(units.encoding, edit.newText);
    const spans = find(body, old, edit, { units, which, name, changed: i > 0 });
    if (body.length + spans.length * now.length > MAX_EDIT_BYTES) {
      throw new QuarryError(
        "FILE_TOO_LARGE",
        `${which}${name} would grow over the ${MAX_EDIT_BYTES / 1_000_000} MB that are edited at most`,
      );
    }
    const parts: string[] = [];
    const steps = [];
    let at = 0;
    for (const span of spans) {
      const text = replacement(body, span, old, now);
      parts.push(body.slice(at, span.from), text);
      steps.push({ from: span.from, to: span.to, length: text.length });
      at = span.to;
    }
    parts.push(body.slice(at));
    body = parts.join("");
    changes = compose(changes, steps);
    replacements += spans.length;
  });
  return { body, changes, replacements };
}

interface Place {
  readonly units: Units;
  readonly which: string;
  readonly name: string;
  /** True where an edit before this one has changed the text. */
  readonly changed: boolean;
}

function find(body: string, old: string, edit: Edit, { units, which, name, changed }: Place): readonly Span[] {
  const finder = new Finder(body, old);
  const candidates = edit.all ? finder.all(MAX_PLACES + 1) : finder.candidates(COUNT_LIMIT);
  if (candidates.length === 0) {
    const after = changed ? " as the edits before have left it" : "";
    const show = (piece: string): string => showUnits(units.encoding, piece);
    const why = explainAbsence(show(body), edit.oldText);
    throw new QuarryError("OLD_STR_NOT_FOUND", `${which}old_str is not in ${name}${after}. ${why}`, {
      argument: "old_str",
    });
  }
  if (edit.all && candidates.length > MAX_PLACES) {
    throw new QuarryError("INVALID_ARGUMENT", `${which}old_str is in ${name} more than ${MAX_PLACES} times`, {
      argument: "old_str",
      remedy: "Nothing was changed. Give a longer text.",
    });
  }
  if (edit.all || candidates.length === 1) return candidates;
  const lines = lineNumbers(body, candidates.slice(0, NAMED_LIMIT));
  const many = candidates.length === COUNT_LIMIT ? `${COUNT_LIMIT} times or more` : `${candidates.length} times`;
  const more = candidates.length > NAMED_LIMIT ? ", ..." : "";
  throw new QuarryError(
    "OLD_STR_NOT_UNIQUE",
    `${which}old_str is in ${name} ${many}: at lines ${lines.join(", ")}${more}`,
    { argument: "old_str" },
  );
}

function checkTexts(edit: Edit, which: string): void {
  if (edit.oldText === "") {
    throw new QuarryError("INVALID_ARGUMENT", `${which}old_str is empty, so that it does not say what to replace`, {
      argument: "old_str",
      remedy:
        "Nothing was changed. To insert, give a line that is there as old_str, and repeat it in new_str; to write a whole file use write_file.",
    });
  }
  if (edit.oldText === edit.newText) {
    throw new QuarryError("INVALID_ARGUMENT", `${which}old_str and new_str are the same: nothing would change`, {
      argument: "new_str",
    });
  }
  checkText("old_str", edit.oldText, which);
  checkText("new_str", edit.newText, which);
}

/** @throws QuarryError INVALID_ARGUMENT for text that no encoding can hold. */
export function checkText(argument: string, text: string, which = ""): void {
  if (!/\p{Surrogate}/u.test(text)) return;
  throw new QuarryError(
    "INVALID_ARGUMENT",
    `${which}${argument} holds half a surrogate pair, which is not a character`,
    { argument },
  );
}

/** The line each span begins on, from 1. A span that begins with a line end begins on the line that this ends. */
function lineNumbers(body: string, spans: readonly Span[]): number[] {
  const out: number[] = [];
  let line = 1;
  let at = 0;
  for (const span of spans) {
    for (let end = body.indexOf("\n", at); end !== -1 && end < span.from; end = body.indexOf("\n", at)) {
      line += 1;
      at = end + 1;
    }
    out.push(line);
  }
  return out;
}
