import z from "@deepseek-ai/schemastery";
import { DSH_SETTINGS, resolveDshSettings, type DshSettingName, type DshSettings } from "quarry/dsh";

/**
 * What a composition may set; everything has a default, and every value is a positive integer.
 *
 * - `globMaxResults` (100): Paths that one glob call keeps inline.
 * - `grepMaxMatches` (250): Matching lines that one grep call keeps inline.
 * - `grepMaxLineBytes` (2000): Bytes of one matching line that are shown; the cut keeps characters whole and is marked.
 * - `rawOutputMaxBytes` (20000000): Bytes of ripgrep's own output that are read; more is SEARCH_RAW_OUTPUT_OVERFLOW.
 * - `timeoutMs` (30000): Time limit of one call, which the harness' tool call timeout policy enforces.
 */
export type Config = { readonly [K in DshSettingName]?: number };

/** The harness' schema of `Config`, made from the one table of settings. */
export const Config: z<Config> = z.object(
  Object.fromEntries(
    Object.entries(DSH_SETTINGS).map(([name, setting]) => [
      name,
      z.natural().min(1).default(setting.default).description(setting.meaning),
    ]),
  ),
);

/**
 * The settings of a composition, complete.
 * @throws Error for an unknown field, and for a value that is not a positive integer.
 */
export function readConfig(config: Config | undefined): DshSettings {
  try {
    return resolveDshSettings(config ?? {});
  } catch (error) {
    throw new Error(`tool-fs-search: ${(error as Error).message}`, { cause: error });
  }
}
