/** The closed list of what can go wrong in a search of this profile, declared once: the README's table comes from it. */
export const SEARCH_CODES = {
  SEARCH_INVALID_PATTERN: "ripgrep does not take the pattern or a glob; the message holds its reason.",
  SEARCH_FAILED:
    "The search could not be done: the shell or ripgrep did not start or died, a path cannot be read, or ripgrep's output makes no sense.",
  SEARCH_RAW_OUTPUT_OVERFLOW: "ripgrep printed more than `rawOutputMaxBytes`; narrow pattern, path or include.",
  SEARCH_ABORTED: "The call was cancelled, or one of the two time limits was reached; the message says which.",
} as const satisfies Record<string, string>;

export type SearchCode = keyof typeof SEARCH_CODES;

/** A search that has no answer. Never thrown for "nothing found". */
export class SearchFailure extends Error {
  readonly code: SearchCode;

  constructor(code: SearchCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SearchFailure";
    this.code = code;
  }
}

/** The place that a search is to be in is not there. */
export function doesNotExist(tool: "glob" | "grep", path: string): SearchFailure {
  return new SearchFailure(
    "SEARCH_FAILED",
    `${tool} cannot search ${JSON.stringify(path)}: it does not exist in the working directory`,
  );
}

/** @param why what ripgrep says of it, with a colon in front; may be empty. */
export function couldNotSearch(tool: "glob" | "grep", why: string): SearchFailure {
  return new SearchFailure("SEARCH_FAILED", `${tool} could not search everything and found nothing${why}`);
}

/** @param printed by whom the bytes over `maxBytes` are. */
export function tooMuch(tool: "glob" | "grep", maxBytes: number, printed = "ripgrep printed"): SearchFailure {
  return new SearchFailure(
    "SEARCH_RAW_OUTPUT_OVERFLOW",
    `${tool} found more than can be read: ${printed} over ${maxBytes} bytes; narrow ${tool === "glob" ? "pattern or path" : "pattern, path, or include"} and call again`,
  );
}

export function cancelled(tool: "glob" | "grep", options?: ErrorOptions): SearchFailure {
  return new SearchFailure(
    "SEARCH_ABORTED",
    `${tool} was stopped before it finished: the call was cancelled or its own time limit was reached`,
    options,
  );
}

/** An argument that the schema's types allow and the tool does not. */
export class ArgumentFailure extends Error {
  readonly argument: string;

  constructor(argument: string, message: string) {
    super(message);
    this.name = "ArgumentFailure";
    this.argument = argument;
  }
}

export function isNoFolder(): ArgumentFailure {
  return new ArgumentFailure("path", "path must be a directory, and this is a file; give the directory that holds it");
}
