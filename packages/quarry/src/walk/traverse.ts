import fs from "node:fs";
import { QuarryError } from "../errors/errors.js";
import { joinPath, type RelPath } from "../paths/path.js";
import { openFolder, openSubfolder, type OpenFolder, type RawEntry } from "../workspace/guard.js";
import type { Target } from "../workspace/mount.js";
import { below } from "../workspace/system.js";
import { VCS_FOLDERS } from "../workspace/version-control.js";
import type { Evidence } from "./evidence.js";
import { enterFolder, marksOf, type IgnoreState, type IgnoreTrouble } from "./ignore-files.js";
import type { EntryRule, LeftOutReason, WalkEntry, WalkReport } from "./query.js";
import type { Selection } from "./selection.js";

/** Folders of the way down that are kept open; the others are opened again when the walk comes back to them. */
const MAX_OPEN = 128;
/** Entries between two looks at the clock. */
const CLOCK_EVERY = 128;
const MAX_SAMPLES = 20;

/** What a walk hands on, in order. A folder is entered, then come its entries, then it is left. */
export interface WalkSink {
  entry(path: RelPath, kind: WalkEntry["kind"]): void;
  enter(path: RelPath): void;
  /** @param whole true where no regular file below was left out for any reason. */
  leave(path: RelPath, whole: boolean): void;
  /** True where the walk is to pause; asked after every entry. */
  full(): boolean;
}

/** How one target is walked. */
export interface Traversal {
  readonly target: Target;
  /** What counts in the target's folder before its own files are read; null where ignore rules do not count. */
  readonly ignore: IgnoreState | null;
  readonly selection: Selection;
  /** As in `WalkQuery`. */
  readonly ignoresName?: ((name: string) => boolean) | undefined;
  /** As in `WalkQuery`. */
  readonly decides?: EntryRule | undefined;
  /** As in `WalkQuery`; null for the question's own files. */
  readonly only: LeftOutReason | null;
  /** 0: sizes are not asked. */
  readonly maxFileBytes: number;
  /** Levels below the target that are walked. */
  readonly maxDepth: number;
  /** Folders are asked for, so that they are matched and handed on. */
  readonly dirs: boolean;
  /** Links and special files are handed on, beside being counted. */
  readonly others: boolean;
  /** Paths (relative to the mount) that are targets of their own: they are left to their own walk. */
  readonly elsewhere: ReadonlySet<RelPath>;
  /** Folders (relative to the mount) that the globs are relative to; any of them will do. The target's own among them. */
  readonly bases: readonly RelPath[];
  /** Gets what the outcome rests on. */
  readonly evidence?: Evidence | undefined;
}

interface Frame {
  folder: OpenFolder | null;
  readonly path: RelPath;
  readonly name: string;
  /** `path` with a slash behind, or `""` at the root. */
  readonly prefix: RelPath;
  readonly entries: readonly RawEntry[];
  at: number;
  readonly ignore: IgnoreState | null;
  /** Lies in a folder that was left out for the reason that the walk is about. */
  readonly leftOut: boolean;
  whole: boolean;
}

/** Walks one folder in order, without recursion, a slice at a time. What is left out goes into the report. */
export class FolderWalk {
  readonly #how: Traversal;
  readonly #report: WalkReport;
  readonly #trouble: IgnoreTrouble;
  readonly #sink: WalkSink;
  readonly #frames: Frame[] = [];
  /** Components of the target's path. */
  readonly #depth: number;
  #open = 0;
  #ticks = 0;
  #started = false;
  /** Entries that a rule from above the target left out; for the rule that a path that is named is searched. */
  ignoredByAbove = 0;

  constructor(how: Traversal, report: WalkReport, trouble: IgnoreTrouble, sink: WalkSink) {
    this.#how = how;
    this.#report = report;
    this.#trouble = trouble;
    this.#sink = sink;
    this.#depth = how.target.path === "" ? 0 : how.target.path.split("/").length;
  }

  /**
   * Goes on until the folder is done, the sink is full or the clock says so.
   * @param until as `performance.now()` counts.
   * @returns true when the folder is done.
   */
  run(until: number): boolean {
    if (!this.#started) {
      this.#started = true;
      this.#enterTarget();
    }
    for (;;) {
      const frame = this.#frames.at(-1);
      if (frame === undefined) return true;
      const entry = frame.entries[frame.at++];
      if (entry === undefined) {
        this.#leave(frame);
      } else {
        this.#judge(frame, entry);
      }
      if (this.#sink.full()) return false;
      if (++this.#ticks % CLOCK_EVERY === 0 && performance.now() > until) return false;
    }
  }

  /** Closes what is open; for a walk that ends early. */
  close(): void {
    for (const frame of this.#frames) this.#closeFolder(frame);
    this.#frames.length = 0;
  }

  #enterTarget(): void {
    const { target } = this.#how;
    try {
      this.#enter(openFolder(target.mount, target.path), "", this.#how.ignore, this.#depth, false);
    } catch (error) {
      this.#refused(error, target.path, null);
    }
  }

  #judge(frame: Frame, entry: RawEntry): void {
    const { name, kind } = entry;
    const { skipped } = this.#report;
    if (kind === "denied" || kind === "disabled" || kind === "covered") {
      // What another mount covers is nobody's: the mount itself is a target of its own.
      if (kind !== "covered") skipped[kind]++;
      frame.whole = false;
      return;
    }
    if (this.#how.decides !== undefined) {
      if (this.#decided(this.#how.decides, frame, entry)) this.#handOn(frame, name, frame.prefix + name, kind, false);
      else frame.whole = false;
      return;
    }
    if (name === ".git" || (kind === "directory" && VCS_FOLDERS.has(name))) {
      skipped.hidden++;
      frame.whole = false;
      if (this.#how.only === "hidden") this.#handOn(frame, name, frame.prefix + name, kind, true);
      return;
    }
    const path = frame.prefix + name;
    if (this.#how.elsewhere.has(path)) {
      frame.whole = false;
      return;
    }
    if (this.#how.ignoresName?.(name) === true) {
      this.#leaveOut("ignored", path, frame);
      return;
    }
    const isDir = kind === "directory";
    if (frame.ignore !== null && !frame.ignore.chain.empty) {
      const verdict = frame.ignore.chain.judge(path, name, isDir, this.#depth + this.#frames.length);
      if (verdict.ignored) {
        if (verdict.by?.above === true) this.ignoredByAbove++;
        this.#leaveOut("ignored", path, frame);
        if (this.#how.only === "ignored" && !this.#excludes(path, name, isDir))
          this.#handOn(frame, name, path, kind, true);
        return;
      }
    }
    if (!(frame.leftOut && this.#how.only === "excluded") && this.#excludes(path, name, isDir)) {
      this.#leaveOut("excluded", path, frame);
      if (this.#how.only === "excluded") this.#handOn(frame, name, path, kind, true);
      return;
    }
    this.#handOn(frame, name, path, kind, frame.leftOut);
  }

  #decided(decides: EntryRule, { prefix, ignore }: Frame, { name, kind }: RawEntry): boolean {
    const path = prefix + name;
    const isDir = kind === "directory";
    const verdict = ignore?.chain.judge(path, name, isDir, this.#depth + this.#frames.length);
    return decides(path, name, isDir, verdict === undefined || verdict.by === null ? null : verdict.ignored);
  }

  #handOn(frame: Frame, name: string, path: RelPath, kind: RawEntry["kind"], leftOut: boolean): void {
    if (kind === "directory") this.#folder(frame, name, path, leftOut);
    else if (kind === "file") this.#file(frame, name, path, leftOut);
    else {
      // Neither is what a search program that walks by itself would search: the folder may still be whole.
      this.#count(kind === "link" ? "links" : "special", path);
      if (this.#how.others && (kind === "link" || kind === "special") && this.#wants(path, name, false))
        this.#sink.entry(path, kind);
    }
  }

  #folder(frame: Frame, name: string, path: RelPath, leftOut: boolean): void {
    if (this.#how.dirs && this.#wants(path, name, true)) this.#sink.entry(path, "directory");
    if (this.#frames.length >= this.#how.maxDepth) {
      frame.whole = false;
      return;
    }
    try {
      // Nothing below an ignored folder can be taken back, and what git keeps has no rules.
      const ignore = leftOut && this.#how.only !== "excluded" ? null : frame.ignore;
      this.#enter(openSubfolder(this.#opened(frame), name), name, ignore, this.#depth + this.#frames.length, leftOut);
    } catch (error) {
      this.#refused(error, path, frame);
    }
  }

  #file(frame: Frame, name: string, path: RelPath, leftOut: boolean): void {
    const { maxFileBytes, only } = this.#how;
    if (!this.#wants(path, name, false) && !(leftOut && only === "excluded")) {
      this.#leaveOut("excluded", path, frame);
      if (only !== "excluded") return;
      leftOut = true;
    }
    if (maxFileBytes > 0) {
      try {
        if ((sizeOf(this.#opened(frame), name) ?? 0) > maxFileBytes) {
          this.#report.skipped.tooLarge++;
          frame.whole = false;
          if (only === "tooLarge") this.#sink.entry(path, "file");
          return;
        }
      } catch (error) {
        this.#refused(error, path, frame);
        return;
      }
    }
    if (only === null || (leftOut && only !== "tooLarge")) this.#sink.entry(path, "file");
    else frame.whole = false;
  }

  #enter(folder: OpenFolder, name: string, outer: IgnoreState | null, depth: number, leftOut: boolean): void {
    let frame: Frame;
    try {
      const entries = folder.list();
      this.#how.evidence?.enter(folder);
      const ignore = outer === null ? null : enterFolder(outer, folder, depth, marksOf(entries), false, this.#trouble);
      const prefix = folder.path === "" ? "" : `${folder.path}/`;
      frame = { folder, path: folder.path, name, prefix, entries, at: 0, ignore, leftOut, whole: true };
    } catch (error) {
      folder.close();
      throw error;
    }
    this.#open++;
    // Most folders hold files alone: then the descriptor has done its work.
    if (this.#how.maxFileBytes === 0 && !frame.entries.some((e) => e.kind === "directory")) this.#closeFolder(frame);
    this.#frames.push(frame);
    if (this.#open > MAX_OPEN) {
      const oldest = this.#frames.find((f) => f.folder !== null);
      if (oldest !== undefined && oldest !== frame) this.#closeFolder(oldest);
    }
    this.#sink.enter(frame.path);
  }

  #leave(frame: Frame): void {
    this.#closeFolder(frame);
    this.#frames.pop();
    const outer = this.#frames.at(-1);
    if (outer !== undefined && !frame.whole) outer.whole = false;
    this.#sink.leave(frame.path, frame.whole);
  }

  /** The frame's open folder. After a long way down it is opened again, and the frames above it with it, as many as may be open. */
  #opened(frame: Frame): OpenFolder {
    if (frame.folder !== null) return frame.folder;
    const last = this.#frames.indexOf(frame);
    let from = last;
    while (from > 0 && this.#frames[from]?.folder === null) from--;
    const start = this.#frames[from] as Frame;
    let folder = start.folder ?? this.#keep(start, openFolder(this.#how.target.mount, start.path));
    for (let i = from + 1; i <= last; i++) {
      const outer = this.#frames[i - 1] as Frame;
      const inner = this.#frames[i] as Frame;
      folder = this.#keep(inner, openSubfolder(folder, inner.name));
      // A frame that is far above, or that has nothing left, gets along without.
      if (last - i >= MAX_OPEN / 2 || outer.at >= outer.entries.length) this.#closeFolder(outer);
    }
    return folder;
  }

  #keep(frame: Frame, folder: OpenFolder): OpenFolder {
    frame.folder = folder;
    this.#open++;
    return folder;
  }

  #closeFolder(frame: Frame): void {
    if (frame.folder === null) return;
    frame.folder.close();
    frame.folder = null;
    this.#open--;
  }

  #excludes(path: RelPath, name: string, isDir: boolean): boolean {
    return this.#how.bases.every((base) => this.#how.selection.excludes(this.#fromAsked(base, path), name, isDir));
  }

  #wants(path: RelPath, name: string, isDir: boolean): boolean {
    return this.#how.bases.some((base) => this.#how.selection.wants(this.#fromAsked(base, path), name, isDir));
  }

  /** The path as globs take it: from the folder that was asked for. */
  #fromAsked(base: RelPath, path: RelPath): RelPath {
    const { below } = this.#how.target;
    return below === undefined ? relativeTo(base, path) : joinPath(below, relativeTo(base, path));
  }

  #leaveOut(reason: "ignored" | "excluded", path: RelPath, frame: Frame): void {
    this.#count(reason, path);
    frame.whole = false;
  }

  #count(reason: keyof WalkReport["samples"], path: RelPath): void {
    this.#report.skipped[reason]++;
    const samples = this.#report.samples[reason];
    if (samples.length < MAX_SAMPLES) samples.push(path);
  }

  /** A folder or file that could not be opened. What has gone meanwhile was never there; what is our own failure ends the walk. */
  #refused(error: unknown, path: RelPath, frame: Frame | null): void {
    if (!(error instanceof QuarryError) || error.code === "SEARCH_FAILED") throw error;
    if (frame !== null) {
      frame.whole = false;
      if (error.code === "NOT_FOUND") {
        this.#how.evidence?.doubt();
        return;
      }
    }
    if (error.code !== "DENIED" && error.code !== "DISABLED") this.#how.evidence?.doubt();
    if (error.code === "DENIED") this.#report.skipped.denied++;
    else if (error.code === "DISABLED") this.#report.skipped.disabled++;
    else if (error.code === "OUTSIDE_WORKSPACE" && frame !== null) this.#count("links", path);
    else this.#count("unreadable", path);
  }
}

function relativeTo(base: RelPath, path: RelPath): RelPath {
  return base === "" ? path : path.slice(base.length + 1);
}

/** Bytes of the file; null where it has gone. */
export function sizeOf(folder: OpenFolder, name: string): number | null {
  return fs.lstatSync(below(folder.procPath, name), { throwIfNoEntry: false })?.size ?? null;
}
