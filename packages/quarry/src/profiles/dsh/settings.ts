/** One number that a composition can set. */
export interface DshSetting {
  readonly default: number;
  readonly unit: "paths" | "matches" | "bytes" | "milliseconds";
  /** One sentence. */
  readonly meaning: string;
}

/** The fields of the plugin's `Config`, declared once: its schema, its README and the errors for wrong values come from here. */
export const DSH_SETTINGS = {
  globMaxResults: { default: 100, unit: "paths", meaning: "Paths that one glob call keeps inline." },
  grepMaxMatches: { default: 250, unit: "matches", meaning: "Matching lines that one grep call keeps inline." },
  grepMaxLineBytes: {
    default: 2_000,
    unit: "bytes",
    meaning: "Bytes of one matching line that are shown; the cut keeps characters whole and is marked.",
  },
  rawOutputMaxBytes: {
    default: 20_000_000,
    unit: "bytes",
    meaning: "Bytes of ripgrep's own output that are read; more is SEARCH_RAW_OUTPUT_OVERFLOW.",
  },
  timeoutMs: {
    default: 30_000,
    unit: "milliseconds",
    meaning: "Time limit of one call, which the harness' tool call timeout policy enforces.",
  },
} as const satisfies Record<string, DshSetting>;

/** Who finds, for the plugin's field `engine`, declared once: the first is the default. */
export const DSH_ENGINES = {
  bash: "The ripgrep of the harness' bash service: searches wherever that bash runs.",
  auto: "Quarry's own engines, in the harness' process: needs no ripgrep and runs no command; searches this machine.",
} as const satisfies Record<string, string>;

/** One of `DSH_ENGINES`. */
export type DshEngine = keyof typeof DSH_ENGINES;

export type DshSettingName = keyof typeof DSH_SETTINGS;
export type DshSettings = { readonly [K in DshSettingName]: number };

/**
 * Applies what was given over the defaults.
 * @throws RangeError for an unknown name, and for a value that is not a whole number of at least 1.
 */
export function resolveDshSettings(given: Readonly<Record<string, unknown>> = {}): DshSettings {
  const settings = Object.fromEntries(Object.entries(DSH_SETTINGS).map(([name, s]) => [name, s.default])) as Record<
    DshSettingName,
    number
  >;
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(DSH_SETTINGS, name)) {
      throw new RangeError(`unknown setting ${name}; known are ${Object.keys(DSH_SETTINGS).join(", ")}`);
    }
    if (value === undefined) continue;
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1) {
      throw new RangeError(`${name} must be a positive integer, not ${JSON.stringify(value) ?? typeof value}`);
    }
    settings[name as DshSettingName] = value;
  }
  return Object.freeze(settings);
}
