import type fs from "node:fs";
import { parentPort } from "node:worker_threads";
import { crc32 } from "node:zlib";
import { QuarryError } from "../../errors/errors.js";
import { byteOrderMark } from "../../files/decode.js";
import type { RelPath } from "../../paths/path.js";
import { FileOpener, type OpenFile } from "../../workspace/guard.js";
import { isSettled } from "../../workspace/listings.js";
import type { Mount } from "../../workspace/mount.js";
import type { Kernel } from "../kernel/kernel.js";
import { CHUNK_FILES, CLAIM, splitFiles } from "../kernel/protocol.js";
import { holdsOddFold } from "../kernel/scan.js";
import { makeKernel } from "../kernel/wasm.js";
import { copySegments, takeRoom } from "./build-copy.js";
import {
  DOCUMENT_BYTES,
  MAX_FILE_BYTES,
  SHARED,
  type BuildAnswer,
  type BuildTask,
  type CopyTask,
} from "./build-protocol.js";
import { FLAG, PAGE, pageChecksums, pagesOf, writeFully } from "./format.js";
import { SegmentWriter } from "./segment.js";
import { STAMP, isAsStamped, sameStamps, writeStamps } from "../kernel/stamps.js";

/** A worker of a build: reads files through the guard, and writes segments into the index. */

const OPEN_FOLDERS = 64;
const LF = 10;

const kernel: Kernel = makeKernel();
const writer = new SegmentWriter();

parentPort?.on("message", (task: BuildTask | CopyTask) => {
  if (task.kind === "build") new Build(task).run();
  else copySegments(task, send);
});

send({ kind: "ready" });

function send(answer: BuildAnswer): void {
  parentPort?.postMessage(answer);
}

class Build {
  readonly #task: BuildTask;
  #indexed = 0;
  #textBytes = 0;
  #full = false;

  constructor(task: BuildTask) {
    this.#task = task;
  }

  run(): void {
    const { mount, claims, files, names, shared, worker } = this.#task;
    const opener = new FileOpener(mount as Mount, OPEN_FOLDERS);
    writer.forget();
    try {
      for (let chunk = 0; chunk * CHUNK_FILES < files && !this.#full; chunk++) {
        if (Atomics.load(shared, SHARED.stop) !== 0) return send({ kind: "stopped" });
        if (Atomics.compareExchange(claims, chunk * CLAIM.size + CLAIM.owner, 0, worker) !== 0) continue;
        const some = splitFiles(names, claims, chunk);
        some.forEach((path, i) => this.#file(opener, path, chunk * CHUNK_FILES + i));
        Atomics.add(shared, SHARED.filesDone, some.length);
      }
      this.#flush();
    } finally {
      opener.close();
    }
    const { indexed, textBytes } = { indexed: this.#indexed, textBytes: this.#textBytes };
    send(this.#full ? { kind: "tooLarge" } : { kind: "done", indexed, textBytes });
  }

  /** True where the index that is there knows the file as it is. */
  #isKept(opener: FileOpener, path: RelPath, number: number): boolean {
    const { known, stamps, flags } = this.#task;
    const before = known?.numbers[number] ?? -1;
    if (known === null || before < 0) return false;
    const stat = opener.look(path);
    if (stat === null || !isAsStamped(known.stamps, before, stat)) return false;
    const flag = known.flags[before] as number;
    writeStamps(stamps, number, stat);
    flags[number] = flag;
    known.kept[number] = 1;
    if ((flag & FLAG.indexed) !== 0) {
      this.#indexed += 1;
      this.#textBytes += Number(stat.size);
    }
    return true;
  }

  #file(opener: FileOpener, path: RelPath, number: number): void {
    if (this.#isKept(opener, path, number)) return;
    Atomics.add(this.#task.shared, SHARED.filesRead, 1);
    let file: OpenFile | null = null;
    try {
      file = opener.openSeen(path);
      const before = file.stat();
      if (!this.#isIndexable(before)) return;
      if (before.size > MAX_FILE_BYTES) {
        this.#keepUnfit(number, before);
        return;
      }
      const size = Number(before.size);
      if (!reserve(size)) return;
      if (file.read(kernel.window.subarray(0, size), 0) !== size) return;
      if (!sameStamps(before, file.stat())) return;
      if (!isPlainText(size)) {
        this.#keepUnfit(number, before);
        return;
      }
      if (writer.isFull) this.#flush();
      addDocuments(number, size);
      writeStamps(this.#task.stamps, number, before);
      this.#task.flags[number] = FLAG.indexed | (holdsOddFold(kernel, 0, size) ? FLAG.oddFolds : 0);
      this.#indexed += 1;
      this.#textBytes += size;
    } catch (error) {
      // What cannot be opened or read is not in the index, and a search finds out anew.
      if (!(error instanceof QuarryError)) throw error;
    } finally {
      file?.close();
    }
  }

  /** The device is told by the stamps of the root, which the main thread has put behind the last file's. */
  #isIndexable(stat: fs.BigIntStats): boolean {
    const device = this.#task.stamps[this.#task.files * STAMP.numbers + STAMP.device];
    return stat.isFile() && stat.dev === device && isSettled(stat);
  }

  #keepUnfit(number: number, stat: fs.BigIntStats): void {
    writeStamps(this.#task.stamps, number, stat);
    this.#task.flags[number] = FLAG.unfit;
  }

  #flush(): void {
    if (writer.documents === 0 || this.#full) return;
    const { table, postings, documents } = writer.finish();
    const tableRoom = pagesOf(table.length) * PAGE;
    const room = tableRoom + pagesOf(postings.length) * PAGE;
    const at = takeRoom(this.#task, room);
    if (at === null) {
      this.#full = true;
      return;
    }
    writeFully(this.#task.fd, table, at);
    writeFully(this.#task.fd, postings, at + tableRoom);
    send({
      kind: "segment",
      place: {
        table: { at, bytes: table.length, crc: crc32(table) },
        at: at + tableRoom,
        bytes: postings.length,
        documents,
        dead: 0,
      },
      checksums: pageChecksums(postings),
    });
  }
}

function reserve(bytes: number): boolean {
  try {
    if (kernel.window.length < bytes + 1) kernel.reserve(Math.max(bytes + 1, 1_048_576));
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Of files that are searched in another way than as they stand nothing is promised. */
function isPlainText(size: number): boolean {
  const mark = byteOrderMark(Buffer.from(kernel.window.subarray(0, Math.min(size, 3))));
  return (mark === null || mark.encoding === "utf-8") && kernel.firstNul(0, size) === size;
}

function addDocuments(number: number, size: number): void {
  const { window } = kernel;
  const text = Buffer.from(window.buffer, window.byteOffset, size);
  let line = 1;
  for (let from = 0; from < size;) {
    const to = size - from <= DOCUMENT_BYTES ? size : documentEnd(text, from);
    writer.add(window, from, to, number, from, line);
    if (to < size) line += kernel.countLines(from, to);
    from = to;
  }
}

function documentEnd(text: Buffer, from: number): number {
  const before = text.lastIndexOf(LF, from + DOCUMENT_BYTES - 1);
  if (before >= from) return before + 1;
  const behind = text.indexOf(LF, from + DOCUMENT_BYTES);
  return behind === -1 ? text.length : behind + 1;
}
