import type { LineQuery } from "../../search/query.js";
import { needleOf } from "../kernel/needles.js";
import { parseQuery, type KernelPlan } from "../kernel/plan.js";
import { allRequiredTexts } from "../kernel/required.js";
import type { Requirement } from "./candidates.js";
import { trigramsOf } from "./trigrams.js";

/**
 * What a document must have to hold a match of a question that the kernel answers by `plan`; null where nothing that trigrams could tell.
 * A match lies in one line and a line in one document, so that all of it must be there at once.
 */
export function requirementOf(query: LineQuery, plan: KernelPlan): Requirement | null {
  const sets = [plan.needles.map(({ bytes }) => trigramsOf(bytes))];
  if (plan.pattern !== null) {
    const parsed = parseQuery(query);
    for (const texts of parsed === null ? [] : allRequiredTexts(parsed.node))
      sets.push(texts.map((text) => trigramsOf(needleOf(text, true).bytes)));
  }
  const known = sets.filter((alternatives) => alternatives.every((trigrams) => trigrams.length > 0));
  return known.length === 0 ? null : known;
}
