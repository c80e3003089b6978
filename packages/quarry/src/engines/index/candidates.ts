import { Documents, type DocumentBits } from "./documents.js";
import { FileSet } from "./file-set.js";
import { FLAG } from "./format.js";
import type { IndexFile, OpenSegment } from "./index-file.js";
import { addPostings, bitmapBytes, DEAD } from "./segment.js";

/**
 * What a document must have to hold a match: of each set, all trigrams of at least one alternative. Necessary, not sufficient.
 */
export type Requirement = readonly (readonly (readonly number[])[])[];

/** The rarest trigrams of an alternative that are looked up at most: the others hardly ever rule out more. */
const MAX_LOOKED_UP = 8;
/** With so few documents left of a segment it costs less to look into them. */
const FEW_DOCUMENTS = 2;

/** Answers of one index that are kept: an answer is asked for again by the second look, and by whoever asks the same again. */
const MAX_KEPT = 32;

/** What an index says of one question. Not to be changed. */
export interface Candidates {
  /** The files that may hold a match, and those of which nothing is known: they have to be looked into. */
  readonly files: FileSet;
  /** Of a file that is what it was, the parts in which matches may be, as of `Documents.parts`; null where all of it has to be looked into. */
  parts(file: number): readonly number[] | null;
}

/** What was worked out of one index. */
interface Kept {
  /** Files that are looked into in any case: those without trigrams, and with the odd folds. */
  readonly always: FileSet;
  readonly alwaysOdd: FileSet;
  /** By question. The one that was asked longest ago comes first. */
  readonly answers: Map<string, Candidates>;
}

const kept = new WeakMap<IndexFile, Kept>();

/**
 * Where in an index there may be a match.
 * @param avoidsOddFolds also those with letters that fold oddly.
 * @throws BadIndex where the index proves damaged.
 */
export function candidateFiles(index: IndexFile, requirement: Requirement, avoidsOddFolds: boolean): Candidates {
  let own = kept.get(index);
  if (own === undefined) kept.set(index, (own = keptOf(index)));
  const key = JSON.stringify([avoidsOddFolds, requirement]);
  const known = own.answers.get(key);
  own.answers.delete(key);
  const found = known ?? find(index, requirement, avoidsOddFolds ? own.alwaysOdd : own.always);
  own.answers.set(key, found);
  if (own.answers.size > MAX_KEPT) own.answers.delete(own.answers.keys().next().value as string);
  return found;
}

function keptOf({ flags }: IndexFile): Kept {
  const always = new FileSet(flags.length);
  const alwaysOdd = new FileSet(flags.length);
  for (let file = 0; file < flags.length; file++) {
    const flag = flags[file] as number;
    if ((flag & FLAG.indexed) === 0) always.add(file);
    if ((flag & FLAG.indexed) === 0 || (flag & FLAG.oddFolds) !== 0) alwaysOdd.add(file);
  }
  return { always, alwaysOdd, answers: new Map() };
}

function find(index: IndexFile, requirement: Requirement, always: FileSet): Candidates {
  const wanted = always.copy();
  const found: (Uint8Array | null)[] = [];
  for (const segment of index.segments) {
    const documents = documentsOf(index, segment, requirement);
    found.push(documents);
    if (documents === null) continue;
    const { files, offsets } = segment.table;
    for (let i = 0; i < documents.length; i++) {
      for (let bits = documents[i] as number; bits !== 0; bits &= bits - 1) {
        const document = i * 8 + 31 - Math.clz32(bits & -bits);
        if (offsets[document] !== DEAD) wanted.add(files[document] as number);
      }
    }
  }
  const bits: DocumentBits = found;
  return { files: wanted, parts: (file) => (always.has(file) ? null : Documents.of(index).parts(file, bits)) };
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
