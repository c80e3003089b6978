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

/** An argument that the schema's types allow and the tool does not. */
export class ArgumentFailure extends Error {
  readonly argument: string;

  constructor(argument: string, message: string) {
    super(message);
    this.name = "ArgumentFailure";
    this.argument = argument;
  }
}
