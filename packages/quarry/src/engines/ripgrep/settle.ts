import { BINARY_HEAD_BYTES } from "../../files/decode.js";
import type { RelPath } from "../../paths/path.js";
import type { IncompleteReason } from "../../search/coverage.js";
import type { LineHit } from "../../search/engine.js";
import type { Target } from "../../workspace/mount.js";
import { ask, withFile } from "./ask.js";
import type { FoundFile } from "./found.js";
import { fillColumns } from "./columns.js";
import { firstNul, linesBeforeNul, linesFromNul } from "./nul.js";
import type { Runner } from "./slot.js";

/** What is reported of a file in which something was found. */
export interface Settled {
  /** True where it is binary: a match, and a NUL in its first 64 KiB. */
  readonly binary: boolean;
  readonly hits: readonly LineHit[];
  readonly problem: { readonly reason: IncompleteReason; readonly words: string | null } | null;
}

interface Subject {
  readonly target: Target;
  readonly path: RelPath;
  readonly file: FoundFile;
  readonly huge: boolean;
}

/**
 * Applies the rules for NUL bytes to what a process printed of a file. ripgrep takes a NUL for a line end and, from the
 * buffer on that holds the first, prints no lines but one notice; so for a file with a notice about a NUL behind its first 64
 * KiB the lines before the NUL and the rest are asked once more, each for itself. Across lines ripgrep looks for NULs in its
 * first buffer only, so there we look.
 */
export function settle(runner: Runner, subject: Subject): Settled | Promise<Settled> {
  const { file } = subject;
  if (file.nul !== null && file.nul < BINARY_HEAD_BYTES) return { binary: true, hits: [], problem: null };
  if (runner.query.multiline && runner.query.textRule === undefined)
    return file.nul !== null || file.long ? dropBehindNul(runner, subject) : whole(file.hits);
  if (file.nul !== null) return askAgain(runner, subject);
  return subject.huge ? fillColumns(runner, subject, file.hits).then(whole) : whole(file.hits);
}

function whole(hits: readonly LineHit[]): Settled {
  return { binary: false, hits, problem: null };
}

/** The guard does not open the file any more. */
const REFUSED: Settled = { binary: false, hits: [], problem: { reason: "changed", words: null } };
const BEHIND_NUL = { reason: "nul-byte", words: null } as const;

async function dropBehindNul(runner: Runner, subject: Subject): Promise<Settled> {
  const { hits } = subject.file;
  const nul = await withFile(runner, subject, (file) => ({ place: firstNul(file, runner.query.encoding) }));
  if (nul === null) return REFUSED;
  if (nul.place === null) return whole(hits);
  if (nul.place.offset < BINARY_HEAD_BYTES) return { binary: true, hits: [], problem: null };
  const { line } = nul.place;
  const before = hits.filter((hit) => hit.line < line);
  return { binary: false, hits: before, problem: before.length < hits.length ? BEHIND_NUL : null };
}

async function askAgain(runner: Runner, subject: Subject): Promise<Settled> {
  const { encoding } = runner.query;
  const before = await withFile(runner, subject, (file) => ask(runner, linesBeforeNul(file, encoding), false));
  const behind = await withFile(runner, subject, (file) => ask(runner, linesFromNul(file, encoding), true));
  if (before === null || behind === null) return REFUSED;
  if (before === "failed" || behind === "failed") {
    return {
      binary: false,
      hits: [],
      problem: { reason: "engine", words: "ripgrep failed on a file with a NUL byte" },
    };
  }
  return { binary: false, hits: before.hits, problem: behind.matched ? BEHIND_NUL : null };
}
