import type { RelPath } from "../paths/path.js";
import { readGlobset } from "./globset.js";
import { asBytes } from "./ignore.js";
import { RuleSet } from "./rule-set.js";

/**
 * ripgrep's `--glob` options, as `ignore`'s `OverrideBuilder` reads them: rules of an ignore file, the other way round. Of several that
 * match the last counts. Paths are relative to the folder ripgrep runs in, or absolute where they lie elsewhere.
 */
export class Overrides {
  readonly #rules = new RuleSet();
  /** By rule: true where it leaves out. */
  readonly #leavesOut: boolean[] = [];
  #takes = false;

  /** @throws GlobsetFault for the first glob that ripgrep does not take. */
  constructor(globs: readonly string[]) {
    for (const glob of globs) this.#add(asBytes(glob));
  }

  /** True: taken, whatever else is said of it. False: left out. null: other rules decide. */
  judge(path: RelPath, name: string, isDir: boolean): boolean | null {
    const rule = this.#rules.last(asBytes(path), asBytes(name), isDir);
    if (rule !== -1) return !(this.#leavesOut[rule] as boolean);
    return this.#takes && !isDir ? false : null;
  }

  /** As a line of an ignore file: trailing blanks go, and `#` begins a comment. */
  #add(glob: string): void {
    if (glob.startsWith("#")) return;
    let text = glob.endsWith("\\ ") ? glob : glob.replace(TRAILING_BLANKS, "");
    if (text === "") return;
    let leavesOut = false;
    let absolute = false;
    if (text.startsWith("\\!") || text.startsWith("\\#")) {
      text = text.slice(1);
    } else {
      leavesOut = text.startsWith("!");
      if (leavesOut) text = text.slice(1);
      absolute = text.startsWith("/");
      if (absolute) text = text.slice(1);
    }
    const dirOnly = text.endsWith("/");
    if (dirOnly) text = text.slice(0, -1).replace(/\\$/, "");
    const rule = this.#leavesOut.push(leavesOut) - 1;
    this.#takes ||= !leavesOut;
    for (const pattern of readGlobset(text, absolute || text.includes("/"), dirOnly)) this.#rules.add(rule, pattern);
  }
}

/** Unicode's white space, in Latin-1 bytes of UTF-8 for what is not ASCII. */
const TRAILING_BLANKS =
  /(?:[\t-\r ]|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80)+$/;
