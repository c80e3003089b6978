import { hasRawBytes, type RelPath } from "../../paths/path.js";
import { QuarryError } from "../../errors/errors.js";
import type { FileBatch, WholeTree } from "../../search/engine.js";
import type { FileOpener, OpenFile } from "../../workspace/guard.js";

/** Bytes of arguments for one process: far below what Linux (2 MiB) and macOS (1 MiB) take. */
const MAX_ARGUMENT_BYTES = 600_000;
/** Names that cannot be an argument are opened by us and inherited; at most this many in one process. */
const MAX_INHERITED = 48;
/** The system refuses longer paths as a whole, though every step of them can be taken. */
const MAX_PATH_BYTES = 4_000;

/** A run of a batch's files that one process searches. */
export interface Part {
  readonly batch: FileBatch;
  /** The files `batch.files[from, to)`. */
  readonly from: number;
  readonly to: number;
  /** Indices in there that are not to be searched. */
  readonly without: ReadonlySet<number>;
  /** True for a file whose lines may be so long that not every match in them can be listed. */
  readonly huge: boolean;
  /** How often it was lost already. */
  readonly tried: number;
}

export const NOTHING: ReadonlySet<number> = new Set();

/** What a process is given: places in order, and the files it inherits. */
export interface Places {
  readonly args: readonly string[];
  readonly files: readonly OpenFile[];
  /** Files that are named themselves, not through a folder; by index. */
  readonly named: readonly number[];
  readonly usesTrees: boolean;
  /** Files that the guard could not open, by index. */
  readonly unreadable: readonly number[];
  /** The index of the file that ripgrep calls by this path; undefined for one that is not ours. */
  readonly indexOf: (printed: RelPath) => number | undefined;
}

/**
 * Cuts `batch.files[from, to)` so that each part fits one command line.
 * @param framed the output tells paths apart whatever they hold (JSON).
 */
export function cut(batch: FileBatch, from: number, to: number, without: ReadonlySet<number>, framed: boolean): Part[] {
  const parts: Part[] = [];
  let start = from;
  let bytes = 0;
  let inherited = 0;
  for (const place of walkPlaces({ batch, from, to, without, huge: false, tried: 0 }, framed)) {
    if (place.kind === "inherit") inherited += 1;
    else bytes += place.path.length * 3 + 16;
    if (bytes >= MAX_ARGUMENT_BYTES || inherited >= MAX_INHERITED) {
      parts.push({ batch, from: start, to: place.next, without, huge: false, tried: 0 });
      start = place.next;
      bytes = 0;
      inherited = 0;
    }
  }
  if (start < to) parts.push({ batch, from: start, to, without, huge: false, tried: 0 });
  return parts;
}

/**
 * The places of a part. Names that cannot stand on a command line (bytes that are not UTF-8, too long) or would make the plain
 * output ambiguous (a newline) are opened through the guard and inherited, as `/proc/self/fd/N` (`/dev/fd/N` elsewhere).
 * @param firstDescriptor the number that the first of them has in the child.
 */
export function placesOf(part: Part, opener: FileOpener, framed: boolean, firstDescriptor: number): Places {
  const { batch } = part;
  const args: string[] = [];
  const files: OpenFile[] = [];
  const named: number[] = [];
  const unreadable: number[] = [];
  const byDescriptor = new Map<string, number>();
  let usesTrees = false;
  for (const place of walkPlaces(part, framed)) {
    if (place.kind === "tree") {
      args.push(place.path === "" ? "./" : `./${place.path}`);
      usesTrees = true;
      continue;
    }
    const index = place.next - 1;
    if (place.kind === "name") {
      named.push(index);
      args.push(`./${place.path}`);
      continue;
    }
    try {
      files.push(opener.open(place.path));
      const name = `${DESCRIPTORS}/${firstDescriptor + files.length - 1}`;
      byDescriptor.set(name, index);
      args.push(name);
    } catch (error) {
      if (!(error instanceof QuarryError) || error.code === "SEARCH_FAILED") {
        for (const file of files) file.close();
        throw error;
      }
      unreadable.push(index);
    }
  }
  let byName: Map<string, number> | null = null;
  return {
    args,
    files,
    named,
    usesTrees,
    unreadable,
    indexOf(printed) {
      if (!printed.startsWith("./")) return byDescriptor.get(printed);
      if (byName === null) {
        byName = new Map();
        for (let i = part.from; i < part.to; i++) if (!part.without.has(i)) byName.set(batch.files[i] as RelPath, i);
      }
      return byName.get(printed.slice(2));
    },
  };
}

const DESCRIPTORS = process.platform === "linux" ? "/proc/self/fd" : "/dev/fd";

interface Place {
  readonly kind: "tree" | "name" | "inherit";
  readonly path: RelPath;
  /** The index after its last file. */
  readonly next: number;
}

/** Whole folders where they can stand for their files, single files elsewhere; in order. */
function* walkPlaces(part: Part, framed: boolean): Generator<Place> {
  const { batch, to } = part;
  let tree = 0;
  for (let at = part.from; at < to;) {
    while (tree < batch.trees.length && (batch.trees[tree] as WholeTree).from < at) tree++;
    const whole = batch.trees[tree];
    if (
      whole !== undefined &&
      whole.from === at &&
      whole.to > at &&
      whole.to <= to &&
      treeUsable(part, whole, framed)
    ) {
      at = whole.to;
      yield { kind: "tree", path: whole.path, next: at };
      continue;
    }
    const path = batch.files[at] as RelPath;
    at += 1;
    if (!part.without.has(at - 1)) yield { kind: mustInherit(path, framed) ? "inherit" : "name", path, next: at };
  }
}

function mustInherit(path: RelPath, framed: boolean): boolean {
  return (!framed && path.includes("\n")) || hasRawBytes(path) || tooLong(path);
}

function tooLong(path: RelPath): boolean {
  return path.length > MAX_PATH_BYTES / 3 && Buffer.byteLength(path) > MAX_PATH_BYTES;
}

function treeUsable(part: Part, tree: WholeTree, framed: boolean): boolean {
  if (part.huge || mustInherit(tree.path, framed)) return false;
  for (const index of part.without) if (index >= tree.from && index < tree.to) return false;
  if (hasPlainNames(part.batch)) return true;
  for (let i = tree.from; i < tree.to; i++) {
    const path = part.batch.files[i] as RelPath;
    if ((!framed && path.includes("\n")) || tooLong(path)) return false;
  }
  return true;
}

const PLAIN_NAMES = new WeakMap<FileBatch, boolean>();

/** True where no name of the batch needs care, which is nearly always; looked at once for each batch. */
function hasPlainNames(batch: FileBatch): boolean {
  let plain = PLAIN_NAMES.get(batch);
  if (plain === undefined) {
    plain = !batch.files.some((path) => path.length > MAX_PATH_BYTES / 3 || path.includes("\n"));
    PLAIN_NAMES.set(batch, plain);
  }
  return plain;
}
