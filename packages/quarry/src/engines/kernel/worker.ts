import { parentPort } from "node:worker_threads";
import { QuarryError } from "../../errors/errors.js";
import type { RelPath } from "../../paths/path.js";
import { FileOpener, type OpenFile } from "../../workspace/guard.js";
import type { Mount } from "../../workspace/mount.js";
import { isAsStamped } from "./stamps.js";
import { HitWriter, OUTCOME, type Outcome } from "./packed.js";
import {
  CHUNK_FILES,
  CLAIM,
  MAX_WAITING_BYTES,
  RANGE_NUMBERS,
  SEEN,
  SHARED,
  splitFiles,
  type Answer,
  type PortionTask,
  type Skips,
} from "./protocol.js";
import { Scanner, STOPPED } from "./scan.js";
import { makeKernel } from "./wasm.js";

/** A search worker: reads files through the guard, and the kernel searches them. Nothing else of the product runs here. */

/** What was found is sent after this time or this much of it; that nothing was found can wait longer. A message costs both threads some 0.1 ms. */
const SEND_AFTER_MS = 12;
const SEND_NOTHING_AFTER_MS = 60;
const SEND_BYTES = 262_144;
/** Folders that stay open on the way through a portion. */
const OPEN_FOLDERS = 64;

const kernel = makeKernel();
const writer = new HitWriter();
/** Of the last search, which the next task is likely to belong to. */
let scanner: { readonly search: number; readonly scanner: Scanner; readonly shared: Int32Array } | null = null;

parentPort?.on("message", (message: PortionTask) => searchPortion(likeOwn(message)));

send({ kind: "ready" });

function send(answer: Answer): void {
  const transfer =
    answer.kind === "found" ? [answer.numbers.buffer as ArrayBuffer, answer.text.buffer as ArrayBuffer] : [];
  parentPort?.postMessage(answer, transfer);
}

/** The same, made here: what came in a message has its properties in a table, and looking them up for each file costs. */
function likeOwn(message: PortionTask): PortionTask {
  const { kind, search, portion, task, worker, plan, shared, claims, mount, names, files } = message;
  const { shortReadsEnd, otherCaseFiles, skips } = message;
  return {
    kind,
    search,
    portion,
    task,
    worker,
    plan: { ...plan },
    shared,
    claims,
    mount: { ...mount },
    names,
    files,
    shortReadsEnd,
    otherCaseFiles,
    skips: skips === null ? null : { ...skips },
  };
}

function searchPortion(task: PortionTask): void {
  const { shared, claims, search, portion } = task;
  const opener = new FileOpener(task.mount as Mount, OPEN_FOLDERS, task.shortReadsEnd);
  const report = new Report(task);
  try {
    for (let chunk = 0; chunk * CLAIM.size < claims.length; chunk++) {
      if (Atomics.load(shared, SHARED.stop) !== 0) return;
      const at = chunk * CLAIM.size;
      if (Atomics.load(claims, at + CLAIM.owner) !== 0) continue;
      if (Atomics.load(shared, SHARED.waitingBytes) > MAX_WAITING_BYTES && !isNext(task, chunk)) {
        report.send();
        send({ kind: "paused", search, portion });
        return;
      }
      if (Atomics.compareExchange(claims, at + CLAIM.owner, 0, task.worker) !== 0) continue;
      searchChunk(task, opener, chunk, report);
    }
  } catch (error) {
    if (error !== STOPPED) throw error;
    writer.drop();
  } finally {
    opener.close();
    report.leave();
  }
}

/** True where everything before this chunk is done. */
function isNext({ shared, portion }: PortionTask, chunk: number): boolean {
  return Atomics.load(shared, SHARED.nextPortion) === portion && Atomics.load(shared, SHARED.nextChunk) === chunk;
}

function searchChunk(task: PortionTask, opener: FileOpener, chunk: number, report: Report): void {
  const first = chunk * CHUNK_FILES;
  const last = Math.min(first + CHUNK_FILES, task.files);
  const files = splitFiles(task.names, task.claims, chunk);
  const own = scannerFor(task);
  for (let index = first + Atomics.load(task.claims, chunk * CLAIM.size + CLAIM.done); index < last; index++) {
    if (Atomics.load(task.shared, SHARED.stop) !== 0) throw STOPPED;
    const path = files[index - first] as RelPath;
    if (!isSkipped(task.skips, opener, index, path)) searchFile(task, own, opener, index, path, report);
    report.done(chunk, index + 1 - first, index + 1 === last);
  }
}

/** True where the index knows that nothing is in this file, and it is what it was then. */
function isSkipped(skips: Skips | null, opener: FileOpener, index: number, path: RelPath): boolean {
  const number = skips?.numbers[index] ?? -1;
  if (skips === null || number < 0 || partsAt(skips, index) >= 0) return false;
  const stat = opener.look(path);
  const same = stat !== null && isAsStamped(skips.stamps, number, stat);
  skips.seen[index] = !same ? SEEN.changed : stat.nlink === 1n ? SEEN.same : SEEN.linked;
  return same;
}

/** Where the parts of a file begin in `ranges`; -1 where it has none. */
function partsAt({ parts }: Skips, index: number): number {
  return parts === null ? -1 : (parts[index] as number);
}

/** The parts of a file in which something may be; null where all of it has to be looked into. */
function partsOf(skips: Skips | null, file: OpenFile, index: number): Uint32Array | null {
  if (skips === null || skips.ranges === null) return null;
  const at = partsAt(skips, index);
  if (at < 0) return null;
  if (!isAsStamped(skips.stamps, skips.numbers[index] as number, file.stat())) {
    skips.seen[index] = SEEN.changed;
    return null;
  }
  return skips.ranges.subarray(at + 1, at + 1 + (skips.ranges[at] as number) * RANGE_NUMBERS);
}

function searchFile(
  { shared, skips, otherCaseFiles }: PortionTask,
  own: Scanner,
  opener: FileOpener,
  index: number,
  path: RelPath,
  report: Report,
): void {
  const asks = index < otherCaseFiles && Atomics.load(shared, SHARED.found) === 0;
  let outcome: Outcome;
  /** Of a file that is searched in parts the others are not looked at. */
  let mayOtherwise = true;
  writer.begin(index);
  let file: OpenFile | null = null;
  try {
    file = opener.openSeen(path);
    const parts = partsOf(skips, file, index);
    const inParts = parts === null ? null : own.scanParts(file, writer, parts);
    outcome = inParts ?? own.scan(file, writer, asks);
    mayOtherwise = inParts !== null || own.mayOtherwise;
    if (own.nulHead) report.nulHeads.push(index);
  } catch (error) {
    if (error instanceof RangeError) outcome = OUTCOME.elsewhere; // No memory for a window of this size.
    else if (!(error instanceof QuarryError)) throw error;
    else if (error.code === "SEARCH_FAILED") {
      report.words ??= error.message;
      outcome = OUTCOME.failed;
    } else outcome = OUTCOME.unreadable;
  } finally {
    file?.close();
  }
  if (writer.hits > 0) Atomics.store(shared, SHARED.found, 1);
  else if (asks && (mayOtherwise || outcome !== OUTCOME.hits)) report.otherCase.push(index);
  writer.end(outcome);
}

function scannerFor({ search, shared, plan }: PortionTask): Scanner {
  if (scanner === null || scanner.search !== search) {
    scanner = { search, shared, scanner: new Scanner(kernel, plan, () => Atomics.load(shared, SHARED.stop) !== 0) };
  }
  return scanner.scanner;
}

/** What is to be told of one portion. */
class Report {
  words: string | null = null;
  nulHeads: number[] = [];
  otherCase: number[] = [];
  readonly #task: PortionTask;
  #progress: [chunk: number, files: number][] = [];
  #since = performance.now();

  constructor(task: PortionTask) {
    this.#task = task;
  }

  /** So many files of a chunk are done; sends where it is time. */
  done(chunk: number, files: number, whole: boolean): void {
    const last = this.#progress.at(-1);
    if (last !== undefined && last[0] === chunk) last[1] = files;
    else this.#progress.push([chunk, files]);
    if (writer.bytes > SEND_BYTES || (whole && this.#waits())) this.send();
  }

  #waits(): boolean {
    return performance.now() - this.#since > (writer.bytes === 0 ? SEND_NOTHING_AFTER_MS : SEND_AFTER_MS);
  }

  /** The last words of this worker on this portion. */
  leave(): void {
    if (this.#progress.length > 0) this.send(true);
    else send({ kind: "over", search: this.#task.search, over: this.#task.task });
  }

  send(last = false): void {
    this.#since = performance.now();
    if (this.#progress.length === 0) return;
    const { search, portion, shared } = this.#task;
    Atomics.add(shared, SHARED.waitingBytes, writer.bytes);
    send({
      kind: "found",
      search,
      portion,
      ...writer.take(),
      progress: this.#progress,
      nulHeads: this.nulHeads,
      otherCase: this.otherCase,
      words: this.words,
      over: last ? this.#task.task : null,
    });
    this.#progress = [];
    this.nulHeads = [];
    this.otherCase = [];
    this.words = null;
  }
}
