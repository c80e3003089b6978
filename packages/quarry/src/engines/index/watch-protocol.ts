import type { RelPath } from "../../paths/path.js";
import type { Mount } from "../../workspace/mount.js";

/** Events that are read at once at most: with more the system may have lost some. */
export const MAX_EVENTS = 8_000;
/** Cookies have these names in turn; one is under way at a time. */
export const COOKIES = 8;

/** What the worker finds as its `workerData`. */
export interface WatchTask {
  readonly mount: Omit<Mount, never>;
  /** A folder outside the tree; its files are the cookies. */
  readonly cookies: string;
  /** With more folders the tree is not watched. */
  readonly folders: number;
}

/** What happened between two cookies. */
export interface Happened {
  /** Files that were written, or whose attributes were. */
  readonly touched: readonly RelPath[];
  /** Names that came, went or were exchanged, each with all that is below it. */
  readonly trees: readonly RelPath[];
  /** More than can be told, or than is known: anything may have happened. */
  readonly lost: boolean;
  /** A list of the tree's files may be another one by now: names came or went, or what says which count was written. */
  readonly listed: boolean;
}

/** To the worker: which of these files are not what they were when they were indexed? */
export interface WatchQuestion {
  readonly paths: readonly RelPath[];
  /** By these numbers. */
  readonly stamps: BigInt64Array;
  readonly numbers: readonly number[];
}

export type WatchAnswer =
  /** All folders are watched. */
  | { readonly kind: "ready"; readonly folders: number }
  | ({ readonly kind: "cookie"; readonly cookie: number } & Happened)
  /** Files that are not what they were, or have other names, too. */
  | { readonly kind: "asked"; readonly changed: readonly RelPath[] }
  /** The tree cannot be watched (any more); `tooLarge`: and will not be soon. */
  | { readonly kind: "broken"; readonly why: string; readonly tooLarge: boolean };
