import type { Coverage } from "./coverage.js";

/** Facts that may differ between two runs of the same question; never in the text. */
export interface Meta {
  /** The engine that answered. */
  readonly engine: string;
  /** Why another engine that would have been preferred did not; absent where none was asked in vain. */
  readonly fallback?: string;
  readonly elapsedMs: number;
}

/** The complete formatted result in a spill store. */
export interface ArtifactRef {
  /** A virtual path that this owner's read_file and grep open. */
  readonly locator: string;
  /** Lines of the artifact. */
  readonly lines: number;
  readonly bytes: number;
}

/** One matching line as it is shown. */
export interface Match {
  /** Can be given back to any tool as it stands. */
  readonly path: string;
  /** From 1; a line ends at LF or CRLF. */
  readonly line: number;
  /** Of the first match in the line, in code points, from 1; of the whole line, also where `text` is clipped. */
  readonly column: number;
  /** Without its line end. */
  readonly text: string;
  /** Present where `text` is a part of the line, cut around the match. */
  readonly clipped?: true;
  /** Present where bytes that are not text in the file's encoding were replaced by U+FFFD. */
  readonly lossy?: true;
  /** The lines before, oldest first, where context was asked for. */
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

/** A file that matches, and how many of its lines do. */
export interface FileCount {
  readonly path: string;
  readonly count: number;
}

/** What every page says of itself. */
export interface PageFacts {
  /** Results on this page. */
  readonly shown: number;
  /** All results, page or not; of what was searched. */
  readonly total: number;
  /** More results exist after this page. A budget fact: it says nothing about completeness. */
  readonly truncated: boolean;
  /** The `offset` of the next page; present exactly where `truncated`. */
  readonly nextOffset?: number;
  readonly artifact: ArtifactRef | null;
  readonly coverage: Coverage;
  /** Sentences that belong to the answer. */
  readonly notes: readonly string[];
  readonly meta: Meta;
}

/** The structured value of grep: `matches`, or `files` where per-file output was asked for. */
export interface GrepValue extends PageFacts {
  readonly matches?: readonly Match[];
  readonly files?: readonly FileCount[];
  /** Files with at least one matching line. */
  readonly totalFiles: number;
}

/** The structured value of glob. */
export interface GlobValue extends PageFacts {
  /** Folders end in `/`. */
  readonly paths: readonly string[];
}

/** One entry of a folder. */
export interface LsEntry {
  /** Path of the entry, as every tool accepts it; folders end in `/`. */
  readonly path: string;
  readonly kind: "file" | "directory" | "link" | "special";
  /** Present where ignore rules leave it out of grep and glob. */
  readonly ignored?: true;
}

/** The structured value of ls; folders come before what is in them. */
export interface LsValue {
  readonly path: string;
  readonly entries: readonly LsEntry[];
  readonly shown: number;
  readonly total: number;
  readonly truncated: boolean;
  readonly notes: readonly string[];
}

/** What an edit did to one file. */
export interface EditValue {
  readonly path: string;
  /** Of the content that the file has now; `if_version` of the next edit takes it. */
  readonly version: string;
  /** Places where text was replaced; absent for write_file. */
  readonly replacements?: number;
  /** Present where the file is new. */
  readonly created?: true;
  /** What changed, as a unified diff without file names; `""` for a new file and where nothing changed. */
  readonly diff: string;
  /** Present where the diff shows only the first of the changes. */
  readonly diffCut?: true;
  /** Sentences that belong to the answer. */
  readonly notes: readonly string[];
}
