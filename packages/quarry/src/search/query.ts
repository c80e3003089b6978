/** How letter case counts: `smart` is insensitive unless the pattern holds an upper-case letter (ripgrep's rule). */
export type CaseMode = "sensitive" | "insensitive" | "smart";

/**
 * What the lines of a file are asked: everything that changes which lines match, and nothing else. Engines see this.
 * The dialect is ripgrep's default (Rust regex) with `--crlf`: a line ends at LF or CRLF, nothing else.
 */
export interface LineQuery {
  /** Never empty of meaning: an empty pattern matches every line, as ripgrep has it. Holds no NUL. */
  readonly pattern: string;
  /** The pattern is plain text. */
  readonly literal: boolean;
  readonly case: CaseMode;
  /** A match may span lines; `.` still does not match LF (as `rg -U`). */
  readonly multiline: boolean;
  /** Allows look-around and backreferences on the native binary only; the configuration decides, never a caller. */
  readonly pcre2: boolean;
  /** A WHATWG label for files whose encoding cannot be detected; null detects by BOM and takes UTF-8 otherwise. */
  readonly encoding: string | null;
  /** The asker's own rule for which files are text, in place of the engines'. Absent: theirs. */
  readonly textRule?: TextRule;
  /**
   * What ripgrep makes of the pattern without further options: a line ends at LF alone, so that a CR before it is part of the line for the
   * pattern, and what is wrong with a pattern only ripgrep says, in its own words (the error's `cause`).
   */
  readonly bare?: true;
  /** The asker gives up where one file has more matching lines: the rest of that file need not be kept. Absent: all count. */
  readonly enoughLines?: number;
}

/**
 * A rule of the asker for which files are text. Engines then take a NUL for a character like any other (as `rg --text`): no file is
 * binary to them, and nothing ends at a NUL. Of files that are no text by the rule the asker shows nothing, so that some of their lines are
 * enough.
 */
export interface TextRule {
  /** A NUL in so many bytes at its start makes a file one that is no text. */
  readonly nulHeadBytes: number;
  /** So is a larger file. */
  readonly maxFileBytes: number;
}
