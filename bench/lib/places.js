// @ts-check
/** Where the bench finds what it measures. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const REPOSITORY = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The committed command line entry. */
export const QUARRY = join(REPOSITORY, "packages/quarry/bin/quarry.js");

/** `@ff-labs/fff-node`, where it is installed: apart, since not every registry has its binaries for every system. */
export const FFF = join(REPOSITORY, "bench/peers/node_modules/@ff-labs/fff-node");

/** The published harness plugin, which the tests of ours bring. */
export const PUBLISHED_PLUGIN = join(REPOSITORY, "node_modules/@deepseek-ai/dsh-tool-fs-search");

const ofQuarry = createRequire(join(REPOSITORY, "packages/quarry/package.json"));

/** @returns {Promise<string>} The packaged ripgrep binary, the same that Quarry runs. */
export async function ripgrep() {
  const { rgPath } = await import(pathToFileURL(ofQuarry.resolve("@vscode/ripgrep")).href);
  return rgPath;
}

/** @returns {Promise<typeof import("../../packages/quarry/dist/index.js")>} The built library. */
export function library() {
  return import(pathToFileURL(join(REPOSITORY, "packages/quarry/dist/index.js")).href);
}

/** @returns {Promise<typeof import("../../packages/quarry/dist/deerflow.js")>} What `quarry/deerflow` exports. */
export function deerflowLibrary() {
  return import(pathToFileURL(join(REPOSITORY, "packages/quarry/dist/deerflow.js")).href);
}
