import type { LineQuery, TextRule } from "../../search/query.js";
import { fitsKernel, foldsOddly, needleOf, type Needle } from "./needles.js";
import { parsePattern, type Parsed } from "./parse.js";
import { literalsOf, requiredTexts } from "./required.js";
import { translate, type LinePattern } from "./translate.js";

/** How the kernel answers a question. Plain data: it goes to workers. */
export interface KernelPlan {
  readonly needles: readonly Needle[];
  /** True where files with U+017F or U+212A in them are not decided here. */
  readonly avoidsOddFolds: boolean;
  /** What decides about the lines that hold a needle; null where the needle alone does. */
  readonly pattern: LinePattern | null;
  /** As in the question. */
  readonly textRule: TextRule | null;
  /** As in the question; Infinity where all lines count. */
  readonly enoughLines: number;
  /** What any match in another letter case must hold; null where that is not asked. Such matches may hold U+017F or U+212A as well. */
  readonly otherCase: readonly Needle[] | null;
}

/** Who chooses an engine and the engine both ask. */
const plans = new WeakMap<LineQuery, KernelPlan | null>();

/** The plan for a question; null where another engine has to answer all of it. */
export function planQuery(query: LineQuery): KernelPlan | null {
  let plan = plans.get(query);
  if (plan === undefined) plans.set(query, (plan = makePlan(query)));
  return plan;
}

function makePlan(query: LineQuery): KernelPlan | null {
  if (query.multiline || query.pcre2 || query.encoding !== null || query.pattern === "") return null;
  const plan = query.literal ? planLiteral(query) : planRegex(query);
  // How a translated pattern takes a CR is proven for CRLF line ends alone.
  return plan === null || (query.bare === true && plan.pattern !== null)
    ? null
    : { ...plan, textRule: query.textRule ?? null, enoughLines: query.enoughLines ?? Infinity, otherCase: null };
}

/** A question in any letter case, and its plan; null where it is that already, or another engine has to answer it. */
export function anyCaseOf(query: LineQuery): { readonly query: LineQuery; readonly plan: KernelPlan } | null {
  if (query.case === "insensitive") return null;
  const any: LineQuery = { ...query, case: "insensitive" };
  const plan = planQuery(any);
  return plan === null ? null : { query: any, plan };
}

type SearchPlan = Omit<KernelPlan, "textRule" | "enoughLines" | "otherCase">;

function planLiteral({ pattern, case: mode }: LineQuery): SearchPlan | null {
  if (/[\r\n\0]|\p{Surrogate}/u.test(pattern)) return null;
  // Smart case is settled here only where ASCII settles it; so is what folds.
  const ascii = !/[^\0-\x7f]/.test(pattern);
  if (mode !== "sensitive" && !ascii) return null;
  const fold = mode === "insensitive" || (mode === "smart" && !/[A-Z]/.test(pattern));
  return withNeedles([needleOf(pattern, fold)], null);
}

function planRegex(query: LineQuery): SearchPlan | null {
  const parsed = parseQuery(query);
  return parsed === null ? null : planOf(parsed);
}

/** A regular expression of the proven part of the dialect, with its letter case settled; null for all others. */
export function parseQuery({ pattern, case: mode }: LineQuery): Parsed | null {
  let parsed = parsePattern(pattern, mode === "insensitive");
  if (parsed !== null && mode === "smart") {
    if (/[^\0-\x7f]/.test(pattern)) return null;
    if (parsed.anyLiteral && !parsed.anyUpper) parsed = parsePattern(pattern, true);
  }
  return parsed;
}

function planOf({ node, fold }: Parsed): SearchPlan | null {
  const texts = literalsOf(node);
  if (texts !== null && !texts.includes("")) {
    const plan = withNeedles(
      [...new Set(texts)].map((text) => needleOf(text, fold)),
      null,
    );
    if (plan !== null) return plan;
  }
  const pattern = translate(node);
  const required = pattern === null ? null : requiredTexts(node);
  return required === null
    ? null
    : withNeedles(
        required.map((text) => needleOf(text, fold)),
        pattern,
      );
}

function withNeedles(needles: readonly Needle[], pattern: LinePattern | null): SearchPlan | null {
  return fitsKernel(needles) ? { needles, avoidsOddFolds: foldsOddly(needles), pattern } : null;
}
