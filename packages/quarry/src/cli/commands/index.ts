import { Command } from "commander";
import { resolveSettings } from "../../config/settings.js";
import { plural } from "../../profiles/quarry/coverage-text.js";
import { buildIndexes, dropIndexes, indexStates, type IndexState } from "../../tools/indexes.js";
import { Workspace } from "../../workspace/workspace.js";
import { EXIT, print } from "../run.js";
import { chooseRoots } from "../session.js";
import { spinner } from "../terminal.js";

interface IndexOptions {
  readonly root?: string[];
  readonly anew?: boolean;
  readonly json?: boolean;
}

export function indexCommand(): Command {
  const build = command(
    "build",
    "build the index of the root, or bring it up to date; searches use it from then on",
    runBuild,
  ).option("--anew", "read every file, also those that have not changed since the index was built");
  const status = command("status", "say whether there is an index of the root, and how large and old it is", runStatus);
  const drop = command("drop", "delete the index of the root", runDrop);
  return new Command("index")
    .description("an index that makes searches of large folders faster: build, status, drop")
    .addCommand(build)
    .addCommand(status)
    .addCommand(drop);
}

function command(name: string, description: string, run: (options: IndexOptions) => Promise<void>): Command {
  return new Command(name)
    .description(description)
    .option(
      "--root <folder>",
      "folder to work in; repeatable (default: the folder you are in)",
      (one: string, all: string[] = []) => [...all, one],
    )
    .option("--json", "print it as JSON")
    .action(run)
    .exitOverride();
}

function open(options: IndexOptions): Promise<Workspace> {
  return Workspace.open({ mounts: chooseRoots(options.root).map((host) => ({ host })) });
}

async function runBuild(options: IndexOptions): Promise<void> {
  const workspace = await open(options);
  const abort = new AbortController();
  const onInterrupt = (): void => abort.abort();
  process.once("SIGINT", onInterrupt);
  process.once("SIGTERM", onInterrupt);
  const busy = spinner();
  busy.update("listing files");
  let outcomes: Awaited<ReturnType<typeof buildIndexes>>;
  try {
    outcomes = await buildIndexes(workspace, resolveSettings({}), {
      signal: abort.signal,
      anew: options.anew === true,
      onProgress: ({ done, files }) =>
        busy.update(`indexed ${done.toLocaleString("en-US")} of ${plural(files, "file")}`),
    });
  } finally {
    busy.stop();
    process.off("SIGINT", onInterrupt);
    process.off("SIGTERM", onInterrupt);
  }
  if (options.json === true) print(JSON.stringify(outcomes.map(asJson), null, 2));
  else for (const outcome of outcomes) say(outcome);
  if (abort.signal.aborted) process.exitCode = EXIT.incomplete;
  else if (!outcomes.every((outcome) => outcome.built)) process.exitCode = EXIT.error;
}

type Outcome = Awaited<ReturnType<typeof buildIndexes>>[number];

function asJson(outcome: Outcome): unknown {
  const { root } = outcome;
  if (!outcome.built) return { root, built: false, reason: outcome.reason };
  const { files, indexed, bytes, textBytes } = outcome.meta;
  return {
    root,
    built: true,
    files,
    indexed,
    read: outcome.read,
    bytes,
    textBytes,
    elapsedMs: Math.round(outcome.elapsedMs),
  };
}

function say(outcome: Outcome): void {
  if (!outcome.built) {
    process.stderr.write(`${outcome.root}: no index was built: ${outcome.reason}\n`);
    return;
  }
  const { files, bytes, textBytes } = outcome.meta;
  const seconds = (outcome.elapsedMs / 1_000).toFixed(1);
  const read = outcome.read === files ? "" : ` (${plural(outcome.read, "file")} read)`;
  print(
    `${outcome.root}: ${plural(files, "file")}${read}, ${size(bytes)} for ${size(textBytes)} of text, in ${seconds} s`,
  );
}

async function runStatus(options: IndexOptions): Promise<void> {
  const states = indexStates(await open(options));
  if (options.json === true) print(JSON.stringify(states, null, 2));
  else for (const state of states) print(stateText(state));
  if (states.some(({ index }) => index === null)) process.exitCode = EXIT.none;
}

function stateText({ root, index, unbuildable, building }: IndexState): string {
  const also = building ? "; it is being built now" : "";
  if (index === null)
    return `${root}: no index${building ? also : ` (${unbuildable ?? "make one: quarry index build"})`}`;
  const { files, bytes, textBytes, builtAt, unwatched } = index;
  const asked = unwatched === null ? "" : `; it is not watched, each search asks about every file: ${unwatched}`;
  return `${root}: ${plural(files, "file")}, ${size(bytes)} for ${size(textBytes)} of text, begun ${builtAt}${asked}${also}`;
}

async function runDrop(options: IndexOptions): Promise<void> {
  const dropped = dropIndexes(await open(options));
  if (options.json === true) print(JSON.stringify(dropped, null, 2));
  else
    for (const { root, bytes } of dropped) print(`${root}: ${bytes === null ? "no index" : `deleted ${size(bytes)}`}`);
}

function size(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
