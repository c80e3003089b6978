import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { buildIndex, type BuildOutcome } from "#src/engines/index/build.js";
import { IndexEngine } from "#src/engines/index/engine.js";
import { IndexStore } from "#src/engines/index/store.js";
import { RipgrepEngine } from "#src/engines/ripgrep/engine.js";
import { makeTree } from "../support/tree.js";
import { ask, run, type Place } from "./place.js";

/** A folder for indexes, for a test's own. */
export function indexFolder(): string {
  const folder = join(makeTree({}), "index");
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

/** Files are indexed only when their last change is this long ago, in milliseconds. */
export const SETTLED_MS = 80;

/** Builds the index of a place once its files have settled. */
export async function buildOf(place: Place, store: IndexStore, signal?: AbortSignal): Promise<BuildOutcome> {
  await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
  return buildIndex({
    mount: place.target.mount,
    store,
    maxBytes: 1e9,
    signal: signal ?? new AbortController().signal,
  });
}

/** A place with an index that is watched. */
export async function watched(place: Place): Promise<{ readonly engine: IndexEngine; readonly store: IndexStore }> {
  const folder = indexFolder();
  const store = new IndexStore(folder);
  const outcome = await buildOf(place, store);
  assert.ok(outcome.built);
  const engine = new IndexEngine({ fallback: new RipgrepEngine(), folder: () => folder, watches: true });
  await run(engine, place, ask("needle"));
  for (let i = 0; i < 400 && !engine.isWatched(place.root); i++) await sleep(10);
  assert.ok(engine.isWatched(place.root));
  return { engine, store };
}
