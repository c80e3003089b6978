import type { TestContext } from "node:test";

/** What fast-check's `assert` takes. */
export interface GeneratedRuns {
  readonly numRuns: number;
  readonly seed: number;
}

/** True in `npm run check` and CI; `npm test` leaves out what repeats. */
export const FULL: boolean = process.env["QUARRY_FULL"] === "1";

/** `npm test` runs this share of the generated cases; `npm run check` and CI run all of them (`QUARRY_FULL=1`). */
const QUICK_SHARE = 0.2;

/**
 * How many generated cases a test runs and from which seed, printed beside its result so that a failure can be run again.
 * `QUARRY_TIMES` runs so many times as many, which `npm run soak` does for every test whose file calls this; `QUARRY_CASES` and
 * `QUARRY_SEED` choose number and seed.
 * @param usual Cases in a full run.
 * @param most Cases in the longest run, where one of them is many calls.
 */
export function generatedRuns(t: TestContext, usual: number, most = Infinity): GeneratedRuns {
  const share = wholeNumber("QUARRY_TIMES") ?? (FULL ? 1 : QUICK_SHARE);
  const numRuns = Math.min(wholeNumber("QUARRY_CASES") ?? Math.ceil(usual * share), most);
  const seed = wholeNumber("QUARRY_SEED") ?? Math.floor(Math.random() * 2 ** 31);
  t.diagnostic(`${t.name}: ${numRuns} cases, QUARRY_SEED=${seed}`);
  return { numRuns, seed };
}

function wholeNumber(name: string): number | null {
  const text = process.env[name];
  if (text === undefined || text === "") return null;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`${name} must be a whole number, not ${text}`);
  return value;
}
