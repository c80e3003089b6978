import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { buildIndex, type BuildOutcome } from "#src/engines/index/build.js";
import type { IndexStore } from "#src/engines/index/store.js";
import { makeTree } from "../support/tree.js";
import type { Place } from "./place.js";

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
