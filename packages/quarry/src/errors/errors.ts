/**
 * The closed list of error codes. Machines branch on the code; the sentence a model reads is `message`, followed by
 * the code's remedy, which is added at the edge (profiles, CLI, MCP) and nowhere else.
 *
 * `docs/errors.md` is generated from this table.
 */
export const ERROR_CODES = {
  INVALID_ARGUMENT: {
    meaning: "An argument is unknown, missing or of the wrong type or range.",
    remedy: "Correct the named argument; the message lists what is accepted.",
  },
  INVALID_PATTERN: {
    meaning: "The pattern is not a valid regular expression of the dialect (Rust regex, as ripgrep uses it).",
    remedy: "Fix the pattern, or pass literal: true to search for it as plain text.",
  },
  INVALID_GLOB: {
    meaning: "A glob cannot be understood.",
    remedy: "Use *, ?, [abc], {a,b} and **; a glob is relative to the searched path and uses / as separator.",
  },
  OUTSIDE_WORKSPACE: {
    meaning: "The path is not inside the workspace, or a link on the way leads out of it.",
    remedy: "Use a path inside the workspace; ls without a path lists its roots.",
  },
  DENIED: {
    meaning: "The workspace's rules do not allow this path.",
    remedy: "Use another path; this one cannot be opened.",
  },
  DISABLED: {
    meaning: "The folder is there for others and switched off here, such as a skill that is disabled.",
    remedy: "Use another folder; whoever configures Quarry can switch it on.",
  },
  NOT_FOUND: {
    meaning: "The path does not exist.",
    remedy: "Check the spelling; glob finds files by name.",
  },
  NOT_A_DIRECTORY: {
    meaning: "A directory is needed and the path is a file.",
    remedy: "Give the directory that holds it.",
  },
  NOT_A_FILE: {
    meaning: "A regular file is needed and the path is a directory or a special file.",
    remedy: "Use ls for a directory; a device, pipe or socket cannot be read.",
  },
  UNREADABLE: {
    meaning: "The file or folder exists and the system refuses to read it.",
    remedy: "Check its permissions.",
  },
  BINARY_FILE: {
    meaning: "The file is not text.",
    remedy: "Use a tool made for this kind of file.",
  },
  SEARCH_FAILED: {
    meaning: "The search engine could not do its work. This is not an empty answer.",
    remedy: "Run `quarry doctor`; try another engine with --engine.",
  },
  ENGINE_UNAVAILABLE: {
    meaning: "The chosen engine cannot run here.",
    remedy: "Run `quarry doctor`; choose another engine, or leave the choice to `auto`.",
  },
  READ_ONLY: {
    meaning: "The file lies where this workspace, or the system, only allows reading.",
    remedy: "Nothing was changed. Writing has to be allowed by whoever started Quarry (--allow-write).",
  },
  OLD_STR_NOT_FOUND: {
    meaning: "The text to replace is not in the file.",
    remedy: "Nothing was changed. Read the file again and copy the text exactly as it stands.",
  },
  OLD_STR_NOT_UNIQUE: {
    meaning: "The text to replace is in the file more than once.",
    remedy:
      "Nothing was changed. Give more of the lines around the one that is meant, or replace_all: true for every one.",
  },
  VERSION_MISMATCH: {
    meaning: "The file's content is not the one that the edit was made for.",
    remedy: "Nothing was changed. Read the file again, and edit what it holds now.",
  },
  FILE_EXISTS: {
    meaning: "A whole file would be replaced without its version.",
    remedy: "Nothing was changed. Read the file and pass its version as if_version, or use str_replace.",
  },
  FILE_BUSY: {
    meaning: "Another edit of the same file did not end in time.",
    remedy: "Nothing was changed. Call again.",
  },
  FILE_TOO_LARGE: {
    meaning: "The file is larger than the edit tools take.",
    remedy: "Nothing was changed. Use a tool made for large files.",
  },
  WRITE_FAILED: {
    meaning: "The system refused to write. The file is as it was.",
    remedy: "Check permissions and free space; the message has the system's reason.",
  },
  CONFIG_INVALID: {
    meaning: "The configuration file cannot be used.",
    remedy:
      "Correct the lines that are named; docs/configuration.md lists every key, docs/quarry.schema.json is for editors.",
  },
  ABORTED: {
    meaning: "The call was cancelled.",
    remedy: "Call again if the answer is still wanted.",
  },
  TIMED_OUT: {
    meaning: "The time limit was reached before there was anything to show.",
    remedy: "Narrow the path or the pattern, or raise the time limit.",
  },
  INTERNAL: {
    meaning: "A defect in Quarry itself.",
    remedy: "Report it with the call that led here.",
  },
} as const satisfies Record<string, { meaning: string; remedy: string }>;

/** One of the closed codes. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** Details for the programs that branch on more than the code. Values are JSON. Never a host path. */
export interface ErrorDetails {
  /** The argument that is at fault. */
  readonly argument?: string;
  /** Names inside the workspace that are close to the one that does not exist, best first. */
  readonly nearNames?: readonly string[];
  /** The engine's own reason, host paths already masked. */
  readonly engineReason?: string;
  /** Replaces the code's general remedy where a better next step is known. */
  readonly remedy?: string;
}

/**
 * The only error that leaves a room on purpose. `message` says what is wrong and why, in one sentence that a model can
 * act on, and holds no host path: the room that throws knows the virtual name.
 */
export class QuarryError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = "QuarryError";
    this.code = code;
    this.details = details;
  }

  /** The next step for whoever asked. */
  get remedy(): string {
    return this.details.remedy ?? ERROR_CODES[this.code].remedy;
  }
}
