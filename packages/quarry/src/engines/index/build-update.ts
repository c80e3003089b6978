import type { RelPath } from "../../paths/path.js";
import type { CopiedSegment, KnownFiles } from "./build-protocol.js";
import { FLAG } from "./format.js";
import type { IndexFile, OpenSegment } from "./index-file.js";
import { DEAD, SEGMENT_DOCUMENTS } from "./segment.js";

/** A segment with more documents whose text is no longer so is made anew, from the files that are still in it. */
const MAX_DEAD_SHARE = 0.25;
/** One with fewer documents is small. Each update adds some. */
const SMALL_DOCUMENTS = SEGMENT_DOCUMENTS / 4;
/** With more small ones than this they are made anew together. */
const MAX_SMALL = 8;

/** What a build takes from the index that is there. */
export interface BuildUpdate {
  readonly known: KnownFiles;
  /** Its descriptor. */
  readonly from: number;
  readonly segments: readonly CopiedSegment[];
  /** As of `CopyTask`; to be asked when workers have met all files. */
  renumbered(): Int32Array;
}

/** @returns null where little of it is of use: then everything is read. */
export function planUpdate(old: IndexFile, files: readonly RelPath[]): BuildUpdate | null {
  const numbers = sharedNumbers(files.length);
  const isAnew = filesMadeAnew(old);
  let known = 0;
  for (let i = 0; i < files.length; i++) {
    const number = old.numberOf(files[i] as RelPath);
    const isKnown = number >= 0 && isAnew[number] === 0;
    numbers[i] = isKnown ? number : -1;
    if (isKnown) known += 1;
  }
  if (known * 2 < files.length || known === 0) return null;
  const kept = new Uint8Array(new SharedArrayBuffer(files.length));
  return {
    known: { numbers, stamps: old.stamps, flags: old.flags, kept },
    from: old.descriptor,
    segments: old.segments
      .filter((segment) => !madeAnew(old).has(segment))
      .map((segment) => ({ place: segment.place, checksums: old.checksums(segment) })),
    renumbered: () => renumber(old.paths.length, numbers, kept),
  };
}

/** 1 for each file that is read in any case. */
function filesMadeAnew(old: IndexFile): Uint8Array {
  const isAnew = new Uint8Array(old.paths.length);
  // Of what was not indexed nothing is known, but that it cannot be.
  old.flags.forEach((flag, number) => {
    if ((flag & (FLAG.indexed | FLAG.unfit)) === 0) isAnew[number] = 1;
  });
  for (const { table } of madeAnew(old))
    for (let i = 0; i < table.documents; i++) if (table.offsets[i] !== DEAD) isAnew[table.files[i] as number] = 1;
  return isAnew;
}

function madeAnew({ segments }: IndexFile): ReadonlySet<OpenSegment> {
  const small = segments.filter(({ place }) => place.documents < SMALL_DOCUMENTS);
  const poor = segments.filter(({ place }) => place.dead > place.documents * MAX_DEAD_SHARE);
  return new Set(small.length > MAX_SMALL ? [...small, ...poor] : poor);
}

/** The new number of each old file; where it is not what it was, `-1 - n` with a number near. */
function renumber(count: number, numbers: Int32Array, kept: Uint8Array): Int32Array {
  const renumbered = sharedNumbers(count);
  // Both lists are in the same order.
  let near = 0;
  let next = 0;
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i] as number;
    if (number < 0) continue;
    for (; next < number; next++) renumbered[next] = -1 - near;
    near = i;
    renumbered[next++] = kept[i] === 1 ? i : -1 - i;
  }
  for (; next < count; next++) renumbered[next] = -1 - near;
  return renumbered;
}

function sharedNumbers(length: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer(length * Int32Array.BYTES_PER_ELEMENT));
}
