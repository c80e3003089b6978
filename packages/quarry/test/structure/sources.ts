import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root. This file runs from `packages/quarry/dist-test/structure/`. */
export const REPOSITORY = join(dirname(fileURLToPath(import.meta.url)), "../../../..");

/** What git tracks or would track, relative to the root: files that are ignored or deleted are not in it. */
export function repositoryFiles(): string[] {
  const list = (...args: string[]): string[] =>
    execFileSync("git", ["ls-files", "-z", ...args], { cwd: REPOSITORY, encoding: "utf8" })
      .split("\0")
      .filter((f) => f !== "");
  const gone = new Set(list("--deleted"));
  return list("--cached", "--others", "--exclude-standard").filter((file) => !gone.has(file));
}

/** The text of a file of the repository. */
export function textOf(file: string): string {
  return readFileSync(join(REPOSITORY, file), "utf8");
}

const IMPORTS: readonly RegExp[] = [
  /^\s*(?:import|export)\s[^"';]*?\bfrom\s*["']([^"']+)["']/gm,
  /^\s*import\s*["']([^"']+)["']/gm,
  /\bimport\(\s*["']([^"']+)["']\s*\)/g,
  /\bnew URL\(\s*["'](\.[^"']+)["']\s*,\s*import\.meta\.url/g,
];

/** The modules that a source names, types and workers included, as written. Comments do not count. */
export function importsOf(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  return IMPORTS.flatMap((pattern) => [...code.matchAll(pattern)].map((match) => match[1] as string));
}

/** The file of the repository that a relative import of a source means; null for a package. `#src/` is for tests alone. */
export function resolveImport(from: string, specifier: string): string | null {
  if (specifier.startsWith("#")) throw new Error(`${from} imports ${specifier}: product code imports by relative path`);
  if (!specifier.startsWith(".")) return null;
  const target = posix.join(posix.dirname(from), specifier);
  return target.includes("/src/") ? target.replace(/\.js$/, ".ts") : target;
}

/** The first cycle found, as the files on it with the first repeated at the end; null where there is none. */
export function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] | null {
  const done = new Set<string>();
  const way: string[] = [];
  const visit = (file: string): string[] | null => {
    const at = way.indexOf(file);
    if (at !== -1) return [...way.slice(at), file];
    if (done.has(file)) return null;
    way.push(file);
    for (const next of graph.get(file) ?? []) {
      const cycle = visit(next);
      if (cycle !== null) return cycle;
    }
    way.pop();
    done.add(file);
    return null;
  };
  for (const file of graph.keys()) {
    const cycle = visit(file);
    if (cycle !== null) return cycle;
  }
  return null;
}
