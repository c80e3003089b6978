import { FLAG } from "./format.js";
import type { IndexFile, OpenSegment } from "./index-file.js";
import { addPostings, bitmapBytes } from "./segment.js";

/**
 * What a document must have to hold a match: of each set, all trigrams of at least one alternative. Necessary, not sufficient.
 */
export type Requirement = readonly (readonly (readonly number[])[])[];

/** The rarest trigrams of an alternative that are looked up at most: the others hardly ever rule out more. */
const MAX_LOOKED_UP = 8;
/** With so few documents left of a segment it costs less to look into them. */
const FEW_DOCUMENTS = 2;

/**
 * The files of an index that may hold a match: 1 for each that has to be looked into.
 * @param avoidsOddFolds also those with letters that fold oddly.
 * @throws BadIndex where the index proves damaged.
 */
export function candidateFiles(index: IndexFile, requirement: Requirement, avoidsOddFolds: boolean): Uint8Array {
  const { flags } = index;
  const wanted = new Uint8Array(flags.length);
  for (let file = 0; file < flags.length; file++) {
    const flag = flags[file] as number;
    if ((flag & FLAG.indexed) === 0 || (avoidsOddFolds && (flag & FLAG.oddFolds) !== 0)) wanted[file] = 1;
  }
  for (const segment of index.segments) {
    const documents = documentsOf(index, segment, requirement);
    if (documents === null) continue;
    const { files } = segment.table;
    for (let i = 0; i < documents.length; i++) {
      for (let bits = documents[i] as number; bits !== 0; bits &= bits - 1) {
        wanted[files[i * 8 + 31 - Math.clz32(bits & -bits)] as number] = 1;
      }
    }
  }
  return wanted;
}

/** A bit for each document of a segment that meets a requirement; null where none does. */
function documentsOf(index: IndexFile, segment: OpenSegment, requirement: Requirement): Uint8Array | null {
  let all: Uint8Array | null = null;
  for (const alternatives of requirement) {
    let any: Uint8Array | null = null;
    for (const trigrams of alternatives) {
      const some = withAll(index, segment, trigrams);
      if (some === null) continue;
      if (any === null) any = some;
      else for (let i = 0; i < any.length; i++) (any[i] as number) |= some[i] as number;
    }
    if (any === null) return null;
    if (all === null) all = any;
    else if (!intersect(all, any)) return null;
  }
  return all;
}

function withAll(index: IndexFile, segment: OpenSegment, trigrams: readonly number[]): Uint8Array | null {
  const { table } = segment;
  const size = bitmapBytes(table.documents);
  const rarest = trigrams
    .map((trigram) => ({ trigram, length: table.length(trigram) }))
    .sort((a, b) => a.length - b.length)
    .slice(0, MAX_LOOKED_UP);
  if (rarest[0] === undefined || rarest[0].length === 0) return null;
  let found: Uint8Array | null = null;
  for (const { trigram, length } of rarest) {
    const own = new Uint8Array(size);
    addPostings(index.postings(segment, table.start(trigram), length), table.documents, own);
    if (found === null) found = own;
    else if (!intersect(found, own)) return null;
    if (length <= FEW_DOCUMENTS) break;
  }
  return found;
}

/** Leaves in `a` what is also in `b`. @returns false where that is nothing. */
function intersect(a: Uint8Array, b: Uint8Array): boolean {
  let any = 0;
  for (let i = 0; i < a.length; i++) any |= a[i] = (a[i] as number) & (b[i] as number);
  return any !== 0;
}
