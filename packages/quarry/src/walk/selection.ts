import type { QuarryError } from "../errors/errors.js";
import type { RelPath } from "../paths/path.js";
import { GlobList } from "./glob.js";
import type { WalkQuery } from "./query.js";
import { typeRules } from "./types.js";

/** The include globs, exclude globs and types of one query, ready to be asked. */
export class Selection {
  readonly #include: GlobList;
  readonly #exclude: GlobList;
  readonly #types: ReturnType<typeof typeRules>;

  /** @throws QuarryError INVALID_GLOB, INVALID_ARGUMENT. */
  constructor(query: Pick<WalkQuery, "include" | "exclude" | "types">) {
    this.#include = new GlobList(query.include, "glob");
    this.#exclude = new GlobList(query.exclude, "exclude");
    this.#types = typeRules(query.types);
  }

  /** Sentences about how the query was understood. */
  get notes(): readonly string[] {
    return this.#types.notes;
  }

  /** @param path relative to the searched folder. */
  excludes(path: RelPath, name: string, isDir: boolean): boolean {
    return this.#exclude.size > 0 && this.#exclude.matches(path, name, isDir);
  }

  /** For an entry that no exclude glob matches: is it asked for? Types are of files; where one is set no folder is. */
  wants(path: RelPath, name: string, isDir: boolean): boolean {
    if (this.#include.size > 0 && !this.#include.matches(path, name, isDir)) return false;
    return this.#types.rules === null || (!isDir && this.#types.rules.last(null, name, false) !== -1);
  }

  /** When all was walked: the error of a glob that is only meaningful as a name that nothing had. */
  doubt(): QuarryError | null {
    return this.#include.doubt() ?? this.#exclude.doubt();
  }
}
