import z from "@deepseek-ai/schemastery";
import {
  DSH_ENGINES,
  DSH_SETTINGS,
  resolveDshSettings,
  type DshEngine,
  type DshSettingName,
  type DshSettings,
} from "quarry/dsh";

/**
 * What a composition may set; everything has a default, and every number is a positive integer.
 *
 * - `engine` (bash): Who finds. `bash`: The ripgrep of the harness' bash service: searches wherever that bash runs. `auto`: Quarry's own
 *   engines, in the harness' process: needs no ripgrep and runs no command; searches this machine.
 * - `globMaxResults` (100): Paths that one glob call keeps inline.
 * - `grepMaxMatches` (250): Matching lines that one grep call keeps inline.
 * - `grepMaxLineBytes` (2000): Bytes of one matching line that are shown; the cut keeps characters whole and is marked.
 * - `rawOutputMaxBytes` (20000000): Bytes of ripgrep's own output that are read; more is SEARCH_RAW_OUTPUT_OVERFLOW.
 * - `timeoutMs` (30000): Time limit of one call, which the harness' tool call timeout policy enforces.
 */
export type Config = { readonly [K in DshSettingName]?: number } & { readonly engine?: DshEngine };

const ENGINES = Object.keys(DSH_ENGINES) as DshEngine[];
const [DEFAULT_ENGINE = "bash"] = ENGINES;

/** The harness' schema of `Config`, made from the tables of settings. */
export const Config: z<Config> = z.object({
  engine: z.union(ENGINES).default(DEFAULT_ENGINE).description("Who finds."),
  ...Object.fromEntries(
    Object.entries(DSH_SETTINGS).map(([name, setting]) => [
      name,
      z.natural().min(1).default(setting.default).description(setting.meaning),
    ]),
  ),
});

/**
 * The settings of a composition, complete.
 * @throws Error for an unknown field or engine, and for a value that is not a positive integer.
 */
export function readConfig({ engine = DEFAULT_ENGINE, ...numbers }: Config = {}): {
  readonly engine: DshEngine;
  readonly settings: DshSettings;
} {
  if (!ENGINES.includes(engine))
    throw new Error(`tool-fs-search: engine must be ${ENGINES.join(" or ")}, not ${JSON.stringify(engine)}`);
  try {
    return { engine, settings: resolveDshSettings(numbers) };
  } catch (error) {
    throw new Error(`tool-fs-search: ${(error as Error).message}`, { cause: error });
  }
}
