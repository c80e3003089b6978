import type { ErrorCode, QuarryError } from "../../errors/errors.js";

/** The next step, in this profile's words; a code without one has its general remedy. */
const REMEDIES: { readonly [C in ErrorCode]?: string } = {
  INVALID_GLOB: "Use *, ?, [abc], {a,b} and **; the pattern is relative to path.",
  OUTSIDE_WORKSPACE: "Use an absolute path below a root of this sandbox.",
  NOT_FOUND: "Check the path with ls, or find it with glob.",
  NOT_A_DIRECTORY: "Give the directory that holds it.",
  NOT_A_FILE: "Use ls for a directory.",
  BINARY_FILE: "It cannot be shown as text.",
  SEARCH_FAILED: "This is not an empty answer: try again, or narrow the path.",
  READ_ONLY: "Nothing was changed.",
  ENGINE_UNAVAILABLE: "This is not an empty answer.",
  TIMED_OUT: "Narrow the path or the pattern, or add a glob filter.",
};

/** `Error: ...`: what is wrong, close names, and the next step, as a model reads it. */
export function errorText(error: QuarryError): string {
  const near = error.details.nearNames ?? [];
  const names = near.length === 0 ? "" : ` Close names: ${near.join(", ")}.`;
  const remedy = isUnsupported(error) ? WITHOUT_IT : (error.details.remedy ?? REMEDIES[error.code] ?? error.remedy);
  return `Error: ${ended(sentence(error))}${names} ${remedy}`;
}

/** What only a backtracking engine has: nobody can switch it on in this profile. */
function isUnsupported(error: QuarryError): boolean {
  return error.code === "INVALID_PATTERN" && /look-around|backreference|atomic/.test(error.message);
}

const WITHOUT_IT =
  "Search for the part without it, and narrow with a more specific pattern or glob, or pass literal: true.";

function sentence(error: QuarryError): string {
  if (error.code === "INVALID_PATTERN") {
    const reason = error.details.engineReason ?? error.message.replace(/^the pattern is not valid: /, "");
    return `Invalid regex pattern: ${reason}`;
  }
  return error.message;
}

function ended(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
