import { readGlobArguments, readGrepArguments } from "./arguments.js";
import type { Finder, SearchCall } from "./finder.js";
import { saveComplete, type ResultOwner } from "./save.js";
import { globSearch, grepSearch, type GlobFound, type GrepFound } from "./search.js";
import type { DshSettings } from "./settings.js";
import { globArtifact, grepArtifact, type SavedResult } from "./text.js";

/** A whole answer: everything that was found, and where the complete text is if the page holds less. */
export type GlobAnswer = GlobFound & { readonly saved: SavedResult | null };
export type GrepAnswer = GrepFound & { readonly saved: SavedResult | null };

/** What every call needs beside its arguments. */
export interface DshRooms {
  readonly finder: Finder;
  readonly settings: DshSettings;
}

/** @throws ArgumentFailure, SearchFailure. */
export async function answerGlob(
  { finder, settings }: DshRooms,
  args: unknown,
  call: SearchCall,
  owner: ResultOwner,
): Promise<GlobAnswer> {
  const found = await globSearch(finder, readGlobArguments(args), call, settings);
  const over = found.paths.length > settings.globMaxResults;
  return { ...found, saved: over ? await saveComplete(owner, "glob-results.txt", globArtifact(found)) : null };
}

/** @throws ArgumentFailure, SearchFailure. */
export async function answerGrep(
  { finder, settings }: DshRooms,
  args: unknown,
  call: SearchCall,
  owner: ResultOwner,
): Promise<GrepAnswer> {
  const found = await grepSearch(finder, readGrepArguments(args), call, settings);
  const over = found.matches.length > settings.grepMaxMatches;
  return {
    ...found,
    saved: over ? await saveComplete(owner, "grep-results.txt", grepArtifact(found, settings)) : null,
  };
}
