import { isUtf8 } from "node:buffer";
import os from "node:os";
import { makeEngine } from "../engines/auto/choose.js";
import { hasRawBytes, type RelPath } from "../paths/path.js";
import type { GlobArguments, GrepArguments } from "../profiles/dsh/arguments.js";
import { VCS_FOLDERS } from "../profiles/dsh/command.js";
import { isNoFolder, SearchFailure, tooMuch } from "../profiles/dsh/errors.js";
import type { Finder, FoundLines, Listed, SearchCall } from "../profiles/dsh/finder.js";
import { inOrder } from "../profiles/dsh/order.js";
import type { ListedFile, MatchRecord } from "../profiles/dsh/parse.js";
import type { DshSettings } from "../profiles/dsh/settings.js";
import type { EngineReport, FileBatch, FileHits, HitSink, SearchEngine } from "../search/engine.js";
import type { LineQuery } from "../search/query.js";
import type { Overrides } from "../walk/overrides.js";
import type { EntryRule, WalkReport } from "../walk/query.js";
import { walk } from "../walk/walker.js";
import { asContractFailure, checkNotCancelled, complaintsOf, readGlobs } from "./dsh-failures.js";
import { asText, printed, seenByGlobs, type OpenPlace, type Place } from "./dsh-places.js";
import { Times } from "./dsh-times.js";
import { WholeLines } from "./dsh-whole-lines.js";

/** An answer has few lines: small batches end sooner, and cost a search that goes through nothing. */
const BATCH_FILES = 4_000;
/** What ripgrep prints around one path with its time, and around one matching line, at least. */
const PATH_FRAME_BYTES = 23;
const LINE_FRAME_BYTES = 128;
const VCS_GLOBS = VCS_FOLDERS.map((folder) => `!${folder}`);

/**
 * Finds without any program but where the engine knows a better one: the walker decides about files as ripgrep's options in the contract's
 * commands do, and an engine about lines. Everything is read through the guard.
 */
export function inProcessFinder(open: OpenPlace, engine: SearchEngine = makeEngine("auto")): Finder {
  return {
    listFiles: (args, call, settings) => list(open, args, call, settings),
    findLines: (args, call, settings) => new LineSearch(open, engine, args, call, settings).run(),
  };
}

async function list(open: OpenPlace, args: GlobArguments, call: SearchCall, settings: DshSettings): Promise<Listed> {
  checkNotCancelled("glob", call);
  const overrides = readGlobs([args.pattern, ...VCS_GLOBS]);
  const place = await open("glob", args.path, call);
  if (place.target.kind === "file") throw isNoFolder();
  const decides: EntryRule = (path, name, isDir) =>
    overrides.judge(seenByGlobs(place, printed(place, path)), name, isDir) ?? true;
  const query = { ...EVERYTHING, targets: [place.target], includeIgnored: true, decides };
  const walked = walk(query, signalOf(call));
  const times = new Times(place.target.mount);
  const files: ListedFile[] = [];
  let bytes = 0;
  try {
    for await (const group of walked.entries({ dirs: false })) {
      for (const { path } of group) {
        const time = times.of(path);
        if (time === null) continue;
        const name = printed(place, path);
        bytes += PATH_FRAME_BYTES + name.length;
        if (bytes > settings.rawOutputMaxBytes) throw tooMuch("glob", settings.rawOutputMaxBytes, "the list has");
        files.push({ path: asText(name), time });
      }
    }
  } finally {
    times.close();
  }
  checkNotCancelled("glob", call);
  const complaints = complaintsOf("glob", place, walked.report, [], files.length);
  return { files: inOrder(files), complaints, workdir: place.workdir };
}

/** One grep, from its question to its lines. */
class LineSearch {
  readonly #open: OpenPlace;
  readonly #engine: SearchEngine;
  readonly #args: GrepArguments;
  readonly #call: SearchCall;
  readonly #maxBytes: number;
  readonly #query: LineQuery;
  readonly #whole: WholeLines;
  #records: MatchRecord[] = [];
  #bytes = 0;
  /** Files of which a part is missing. */
  #changed = 0;

  constructor(open: OpenPlace, engine: SearchEngine, args: GrepArguments, call: SearchCall, settings: DshSettings) {
    this.#open = open;
    this.#engine = engine;
    this.#args = args;
    this.#call = call;
    this.#maxBytes = settings.rawOutputMaxBytes;
    const enoughLines = Math.ceil(this.#maxBytes / LINE_FRAME_BYTES);
    this.#query = { ...PLAIN, pattern: args.pattern, bare: true, enoughLines };
    this.#whole = new WholeLines(this.#maxBytes);
  }

  async run(): Promise<FoundLines> {
    checkNotCancelled("grep", this.#call);
    const { include } = this.#args;
    const overrides = include === undefined ? null : readGlobs([include]);
    try {
      const place = await this.#place();
      const decides = grepRule(place, overrides);
      let [report, walked] = await this.#search(place, decides, this.#query);
      if (place.target.kind === "file" && (report.binary > 0 || report.incomplete === "nul-byte")) {
        // A file that is named is searched whatever is in it.
        this.#records = [];
        this.#bytes = 0;
        [report, walked] = await this.#search(place, decides, { ...this.#query, textRule: ANY_TEXT });
      }
      checkNotCancelled("grep", this.#call);
      if (report.incomplete === "engine")
        throw new SearchFailure("SEARCH_FAILED", `grep could not be finished: ${report.reason ?? "the engine failed"}`);
      const unreadable = report.unreadable.map(({ path }) => path);
      const records = this.#records;
      const complaints = complaintsOf("grep", place, walked, unreadable, records.length, this.#changed);
      return { records, complaints, workdir: place.workdir };
    } catch (error) {
      checkNotCancelled("grep", this.#call, { cause: error });
      throw asContractFailure(error);
    } finally {
      this.#whole.close();
    }
  }

  /** A wrong pattern is told before a wrong path, as ripgrep has it. */
  async #place(): Promise<Place> {
    try {
      return await this.#open("grep", this.#args.path, this.#call);
    } catch (error) {
      await this.#ask(this.#query, NOTHING, () => false);
      throw error;
    }
  }

  async #search(place: Place, decides: EntryRule, query: LineQuery): Promise<[EngineReport, WalkReport]> {
    const about = { ...EVERYTHING, targets: [place.target], includeIgnored: false, decides };
    const walked = walk(about, signalOf(this.#call));
    const report = await this.#ask(query, walked.batches(BATCH_FILES), (found) => this.#take(place, found));
    return [report, walked.report];
  }

  #ask(query: LineQuery, batches: AsyncIterable<FileBatch>, sink: HitSink): Promise<EngineReport> {
    const parallel = os.availableParallelism();
    return this.#engine.search({ query, batches, parallel, signal: signalOf(this.#call) }, sink);
  }

  /** @throws SearchFailure SEARCH_RAW_OUTPUT_OVERFLOW: what is held stays bounded. */
  #take(place: Place, found: FileHits): boolean {
    const name = printed(place, found.path);
    const { lines, complete } = this.#whole.of(found);
    if (!complete) this.#changed += 1;
    for (const { line, text } of lines) {
      this.#bytes += LINE_FRAME_BYTES + name.length + text.length;
      if (this.#bytes > this.#maxBytes) throw tooMuch("grep", this.#maxBytes, "the lines have");
      this.#records.push(recordOf(name, line, text));
    }
    return true;
  }
}

/** The rules of a search without options: `--glob` first, then ignore files, then that a hidden name is left out. */
function grepRule(place: Place, include: Overrides | null): EntryRule {
  return (path, name, isDir, ignored) => {
    const asked = include?.judge(seenByGlobs(place, printed(place, path)), name, isDir) ?? null;
    if (asked !== null) return asked;
    return ignored === null ? !name.startsWith(".") : !ignored;
  };
}

const NOTHING: AsyncIterable<FileBatch> = {
  [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: true, value: undefined }) }),
};
const EVERYTHING = { include: [], exclude: [], types: [], maxFileBytes: 0 } as const;
const PLAIN = { literal: false, case: "sensitive", multiline: false, pcre2: false, encoding: null } as const;
/** No file is binary. */
const ANY_TEXT = { nulHeadBytes: 0, maxFileBytes: Number.MAX_SAFE_INTEGER } as const;

function signalOf({ signal }: SearchCall): AbortSignal {
  return signal ?? new AbortController().signal;
}

function recordOf(name: RelPath, lineNumber: number, bytes: Buffer): MatchRecord {
  const valid = isUtf8(bytes);
  return {
    path: asText(name),
    name,
    lineNumber,
    line: bytes.toString("utf8"),
    bytes: valid ? null : bytes,
    lossy: !valid || hasRawBytes(name),
  };
}
