// @ts-check
/**
 * What every program is asked.
 *
 * @typedef {object} Question
 * @property {"grep" | "glob"} tool
 * @property {string} pattern
 * @property {boolean} [plain] The pattern is plain text: peers that search such text otherwise are told so.
 * @property {boolean} [anyCase]
 * @property {boolean} [broad] So many results that a peer which hands over all of them at once takes half a minute: it shows a page alone.
 * @property {{ rg: number, fff?: number }} [asked] Times faster than ripgrep and than fff, on the largest corpus.
 */

/** @type {readonly Question[]} */
export const QUESTIONS = [
  { tool: "grep", pattern: "zzz_no_such_symbol", plain: true, asked: { rg: 140, fff: 20 } },
  { tool: "grep", pattern: "EXPORT_SYMBOL_GPL\\(tcp_sendmsg", asked: { rg: 140, fff: 20 } },
  { tool: "grep", pattern: "kmalloc_array", plain: true, asked: { rg: 16, fff: 7 } },
  { tool: "grep", pattern: "kmalloc_array", plain: true, anyCase: true, asked: { rg: 16, fff: 7 } },
  { tool: "grep", pattern: "TODO|FIXME", asked: { rg: 7, fff: 14 } },
  { tool: "grep", pattern: "[A-Z]+_SUSPEND", asked: { rg: 7, fff: 9 } },
  { tool: "grep", pattern: "struct\\s+sk_buff\\s+\\*skb", asked: { rg: 11, fff: 30 } },
  { tool: "grep", pattern: "\\bmutex_lock\\b", asked: { rg: 5 } },
  { tool: "grep", pattern: "if \\(!\\w+->dev\\)", asked: { rg: 4 } },
  { tool: "grep", pattern: "static int", plain: true, broad: true, asked: { rg: 2.7 } },
  { tool: "glob", pattern: "**/*.h", asked: { rg: 7 } },
];

/** Those of the short form: nothing found, few, many, and file names. */
export const QUICK = QUESTIONS.filter(
  ({ pattern, anyCase }) =>
    ["zzz_no_such_symbol", "kmalloc_array", "TODO|FIXME", "**/*.h"].includes(pattern) && anyCase !== true,
);

/** The one for everything that is measured with a single question: some files have it, and few lines. */
export const COMMON = /** @type {Question} */ (QUESTIONS[2]);

/** The one that no file answers: what a search of everything costs. */
export const NOTHING = /** @type {Question} */ (QUESTIONS[0]);

/** @param {Question} question */
export function titleOf({ tool, pattern, anyCase }) {
  return `${tool} ${pattern}${anyCase === true ? " (any case)" : ""}`;
}
