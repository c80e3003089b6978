import { crc32 } from "node:zlib";
import { SHARED, type BuildAnswer, type CopiedSegment, type CopyTask } from "./build-protocol.js";
import { BadIndex, PAGE, pagesOf, readFully, readPart, writeFully } from "./format.js";
import { DEAD, SegmentTable } from "./segment.js";

/** Pages that are copied at once. */
const BLOCK_PAGES = 256;

/** A place for so many bytes in the index that is written; null where it would become too large, and then all stop. */
export function takeRoom(
  { end, shared, maxBytes }: Pick<CopyTask, "end" | "shared" | "maxBytes">,
  bytes: number,
): number | null {
  const at = Number(Atomics.add(end, 0, BigInt(bytes)));
  if (at + bytes <= maxBytes) return at;
  Atomics.store(shared, SHARED.stop, 1);
  return null;
}

/** Copies segments of which no file is read: only what their tables say of files is written anew. */
export function copySegments(task: CopyTask, send: (answer: BuildAnswer) => void): void {
  try {
    for (const segment of task.segments) {
      if (Atomics.load(task.shared, SHARED.stop) !== 0) return send({ kind: "stopped" });
      if (!copy(task, segment, send)) return send({ kind: "tooLarge" });
    }
    // What is kept was counted when its files were met.
    send({ kind: "done", indexed: 0, textBytes: 0 });
  } catch (error) {
    if (!(error instanceof BadIndex)) throw error;
    send({ kind: "damaged" });
  }
}

/** @returns false where the index would become too large. */
function copy(task: CopyTask, { place, checksums }: CopiedSegment, send: (answer: BuildAnswer) => void): boolean {
  const table = readPart(task.from, place.table);
  const dead = renumber(new SegmentTable(table, place.documents), task.renumbered);
  if (dead === place.documents) return true;
  const tableRoom = pagesOf(table.length) * PAGE;
  const at = takeRoom(task, tableRoom + pagesOf(place.bytes) * PAGE);
  if (at === null) return false;
  writeFully(task.fd, table, at);
  copyPages(task, place.at, place.bytes, at + tableRoom, checksums);
  send({
    kind: "segment",
    place: { ...place, table: { at, bytes: table.length, crc: crc32(table) }, at: at + tableRoom, dead },
    checksums,
  });
  return true;
}

/** @returns documents whose text is no longer so. */
function renumber({ files, offsets, documents }: SegmentTable, renumbered: Int32Array): number {
  let dead = 0;
  for (let i = 0; i < documents; i++) {
    const number = renumbered[files[i] as number] as number;
    files[i] = number < 0 ? -1 - number : number;
    if (number < 0) offsets[i] = DEAD;
    if (offsets[i] === DEAD) dead += 1;
  }
  return dead;
}

/** @throws BadIndex where they are not what was written. */
function copyPages({ from, fd }: CopyTask, start: number, bytes: number, to: number, checksums: Uint32Array): void {
  const block = Buffer.alloc(Math.min(BLOCK_PAGES * PAGE, bytes));
  for (let at = 0; at < bytes; at += block.length) {
    const some = block.subarray(0, Math.min(block.length, bytes - at));
    if (readFully(from, some, start + at) !== some.length) throw new BadIndex("it is cut");
    for (let i = 0; i < some.length; i += PAGE)
      if (crc32(some.subarray(i, i + PAGE)) !== checksums[(at + i) / PAGE]) throw new BadIndex("it is damaged");
    writeFully(fd, some, to + at);
  }
}
