// @ts-check
/** Where things are in this repository. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root folder. */
export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** @returns {string[]} The folders of the workspace's packages, absolute, by name. */
export function listPackages() {
  const folder = join(ROOT, "packages");
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
    .filter((path) => existsSync(join(path, "package.json")));
}

/**
 * A compiled test whose source is gone is not a test any more: `tsc -b` never deletes what it once wrote.
 * @returns {string[]} Compiled test files, absolute, by path.
 */
export function listCompiledTests() {
  const found = [];
  for (const folder of listPackages()) {
    const compiled = join(folder, "dist-test");
    if (!existsSync(compiled)) continue;
    for (const name of /** @type {string[]} */ (readdirSync(compiled, { recursive: true }))) {
      if (!name.endsWith(".test.js")) continue;
      if (existsSync(join(folder, "test", name.replace(/\.js$/, ".ts")))) found.push(join(compiled, name));
    }
  }
  return found.sort();
}

/**
 * True for a compiled test that takes a number of generated cases (`test/support/cases.ts`).
 * @param {string} file
 */
export function hasGeneratedCases(file) {
  return /\b(?:generatedRuns|oracle)\(/.test(readFileSync(file, "utf8"));
}
