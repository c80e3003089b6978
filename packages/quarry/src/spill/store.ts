import type { ArtifactRef } from "../search/values.js";

/** Folder name under which an owner's artifacts are opened: `@artifacts/<id>.txt`. */
export const ARTIFACTS_MOUNT = "@artifacts";

/** The names of artifacts. */
export const ARTIFACT_FILE = /^[0-9a-f]{16}\.txt$/;

/** One artifact while it grows. Methods never throw for a fault of the store: `finish` tells it. */
export interface SpillWriter {
  /** Appends whole lines, each ended by LF. */
  write(text: string): void;
  /** Appends so many whole lines in UTF-8; `text` is the caller's again when this returns. */
  writeLines(text: Uint8Array, lines: number): void;
  /** Keeps it. The locator is the same for the same owner and content. */
  finish(): SpillOutcome;
  /** Throws it away; nothing is left on disk. */
  discard(): void;
}

/** Saved, or the reason in words that hold no host path. */
export type SpillOutcome =
  | { readonly saved: true; readonly artifact: ArtifactRef }
  | { readonly saved: false; readonly reason: string };

/** Where complete results are kept for one owner. */
export interface SpillStore {
  /** Starts an artifact. */
  create(): SpillWriter;
}

/** No store: every result is told as not saved, without a reason. */
export type MaybeStore = SpillStore | null;
