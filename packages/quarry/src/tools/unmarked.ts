import { unmarkedUtf16 } from "../files/kind.js";
import { QuarryError } from "../errors/errors.js";
import { NUL_HEAD_BYTES, type FileBatch } from "../search/engine.js";
import { FileOpener, type OpenFile } from "../workspace/guard.js";

/** As many as are looked at to tell UTF-16 from other binaries. */
const HEAD_BYTES = 4_096;
/** Files between two turns of the event loop. */
const FILES_AT_ONCE = 200;

export type UnmarkedEncoding = "utf-16le" | "utf-16be";

/**
 * The files of a walk that look like UTF-16 and have no byte order mark: no engine finds text in them, since nothing says
 * how they are to be read.
 */
export async function unmarkedFiles(
  batches: AsyncIterable<FileBatch>,
  signal: AbortSignal,
): Promise<ReadonlyMap<UnmarkedEncoding, FileBatch[]>> {
  const found = new Map<UnmarkedEncoding, FileBatch[]>();
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  for await (const { target, files } of batches) {
    const opener = new FileOpener(target.mount);
    try {
      const here = new Map<UnmarkedEncoding, string[]>();
      for (const [i, path] of files.entries()) {
        if (i % FILES_AT_ONCE === FILES_AT_ONCE - 1) {
          await new Promise((resolve) => setImmediate(resolve));
          if (signal.aborted) return found;
        }
        const encoding = encodingOf(opener, path, head);
        if (encoding !== null) here.set(encoding, [...(here.get(encoding) ?? []), path]);
      }
      for (const [encoding, some] of here)
        found.set(encoding, [...(found.get(encoding) ?? []), { target, files: some, trees: [] }]);
    } finally {
      opener.close();
    }
  }
  return found;
}

function encodingOf(opener: FileOpener, path: string, head: Buffer): UnmarkedEncoding | null {
  let file: OpenFile;
  try {
    file = opener.open(path);
  } catch (error) {
    // Gone or refused: the search has counted it.
    if (error instanceof QuarryError && error.code !== "SEARCH_FAILED") return null;
    throw error;
  }
  try {
    const first = head.subarray(0, NUL_HEAD_BYTES);
    if (!first.subarray(0, file.read(first, 0)).includes(0)) return null;
    return unmarkedUtf16(head.subarray(0, file.read(head, 0)));
  } catch (error) {
    if (error instanceof QuarryError && error.code !== "SEARCH_FAILED") return null;
    throw error;
  } finally {
    file.close();
  }
}
