import { QuarryError } from "../../errors/errors.js";
import type { RelPath } from "../../paths/path.js";
import type { LineHit } from "../../search/engine.js";
import type { OpenFile } from "../../workspace/guard.js";
import type { Target } from "../../workspace/mount.js";
import { searchArguments } from "./arguments.js";
import type { FoundFile } from "./found.js";
import { PlainReader } from "./plain.js";
import { launch, NO_PLACES, type Runner } from "./slot.js";

/**
 * Asks a text that is UTF-8 already.
 * @param quiet only whether it matches at all.
 */
export async function ask(
  runner: Runner,
  text: Iterable<Buffer>,
  quiet: boolean,
): Promise<{ readonly matched: boolean; readonly hits: LineHit[] } | "failed"> {
  const process = launch(runner, {
    args: [...(quiet ? ["--quiet"] : []), ...searchArguments({ ...runner.query, encoding: "none" }, "plain"), "-"],
    part: null,
    places: NO_PLACES,
    input: text,
    onComplaint: () => undefined,
  });
  const reader = new PlainReader((path) => (path === "<stdin>" ? 0 : undefined));
  const hits: LineHit[] = [];
  const keep = (files: readonly FoundFile[]): void => {
    for (const file of files) for (const hit of file.hits) hits.push(hit);
  };
  for (;;) {
    for (const chunk of process.take() ?? []) keep(reader.push(chunk));
    if (process.finished) break;
    await process.changed();
  }
  keep(reader.end());
  const { exit } = process;
  if (process.inputError !== null || reader.broken !== null || exit?.kind !== "status" || exit.code > 1)
    return "failed";
  return { matched: exit.code === 0, hits };
}

/** Opens the file through the guard; null where that is refused: then nothing of the proposal can be shown. */
export async function withFile<T>(
  runner: Runner,
  subject: { readonly target: Target; readonly path: RelPath },
  use: (file: OpenFile) => T | Promise<T>,
): Promise<T | null> {
  let file: OpenFile;
  try {
    file = runner.ground.opener(subject.target.mount).open(subject.path);
  } catch (error) {
    if (!(error instanceof QuarryError)) throw error;
    return null;
  }
  try {
    return await use(file);
  } finally {
    file.close();
  }
}
