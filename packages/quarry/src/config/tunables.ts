/**
 * Every number a user can turn, declared once: name, default, bounds, unit and one sentence. Tool schemas, command line
 * help, `docs/settings.md` and the errors for wrong values come from this table.
 */
export interface Tunable {
  /** The value where nobody says otherwise. */
  readonly default: number;
  /** Smallest accepted value, inclusive. */
  readonly min: number;
  /** Largest accepted value, inclusive. */
  readonly max: number;
  readonly unit:
    | "results"
    | "lines"
    | "bytes"
    | "milliseconds"
    | "levels"
    | "processes"
    | "files"
    | "code points"
    | "days"
    | "calls";
  /** One sentence, shown as help. */
  readonly help: string;
}

/** All of them, by name. */
export const TUNABLES = {
  maxResults: {
    default: 100,
    min: 1,
    max: 10_000,
    unit: "results",
    help: "Results on one page of grep and glob.",
  },
  pageBytes: {
    default: 20_000,
    min: 1_000,
    max: 1_000_000,
    unit: "bytes",
    help: "Size of one page of text, in bytes of UTF-8; a page is cut between results.",
  },
  context: {
    default: 0,
    min: 0,
    max: 20,
    unit: "lines",
    help: "Lines shown before and after each match.",
  },
  lineWidth: {
    default: 300,
    min: 40,
    max: 20_000,
    unit: "code points",
    help: "A longer line is cut around its match, and the cut is marked.",
  },
  readLines: {
    default: 2_000,
    min: 1,
    max: 100_000,
    unit: "lines",
    help: "Lines that one read_file call shows at most.",
  },
  readBytes: {
    default: 60_000,
    min: 1_000,
    max: 10_000_000,
    unit: "bytes",
    help: "Bytes of text that one read_file call shows at most; it says how to go on.",
  },
  lsDepth: {
    default: 1,
    min: 1,
    max: 20,
    unit: "levels",
    help: "Levels of folders that ls shows.",
  },
  lsMaxEntries: {
    default: 500,
    min: 1,
    max: 10_000,
    unit: "results",
    help: "Entries that one ls call shows at most.",
  },
  timeoutMs: {
    default: 30_000,
    min: 10,
    max: 3_600_000,
    unit: "milliseconds",
    help: "Time limit of one call; what was found until then is shown, marked INCOMPLETE.",
  },
  maxFileBytes: {
    default: 0,
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    unit: "bytes",
    help: "Larger files are left out of grep and counted; 0 means no limit.",
  },
  engineProcesses: {
    default: 0,
    min: 0,
    max: 64,
    unit: "processes",
    help: "Engine processes or workers at once; 0 means one for each core.",
  },
  chunkFiles: {
    default: 16_000,
    min: 1,
    max: 100_000,
    unit: "files",
    help: "Files given to one engine process.",
  },
  secondLookFiles: {
    default: 5_000,
    min: 0,
    max: 1_000_000,
    unit: "files",
    help: "Left-out files that an empty grep or glob looks at once more, to say whether they would have matched.",
  },
  artifactBytes: {
    default: 268_435_456,
    min: 1_000,
    max: Number.MAX_SAFE_INTEGER,
    unit: "bytes",
    help: "Size of one artifact; a larger result is not saved, and the answer says so.",
  },
  artifactTotalBytes: {
    default: 1_073_741_824,
    min: 1_000,
    max: Number.MAX_SAFE_INTEGER,
    unit: "bytes",
    help: "Size of all artifacts of a user together; the oldest go first.",
  },
  artifactDays: {
    default: 7,
    min: 1,
    max: 3_650,
    unit: "days",
    help: "Artifacts older than this are deleted when the next one is saved.",
  },
  indexMinFiles: {
    default: 2_000,
    min: 0,
    max: 100_000_000,
    unit: "files",
    help: "A server builds the index of a folder by itself from so many files on; 0 means never.",
  },
  indexTotalBytes: {
    default: 2_147_483_648,
    min: 1_000_000,
    max: Number.MAX_SAFE_INTEGER,
    unit: "bytes",
    help: "Size of all indexes of a user together; those used longest ago go first, and a larger one is not made.",
  },
  auditMaxBytes: {
    default: 10_000_000,
    min: 10_000,
    max: 1_000_000_000,
    unit: "bytes",
    help: "Size at which the audit file is put aside as FILE.1 and a new one begins.",
  },
  auditFiles: {
    default: 5,
    min: 1,
    max: 100,
    unit: "files",
    help: "Audit files that are kept, the current one included; the oldest goes first.",
  },
  mcpCalls: {
    default: 8,
    min: 1,
    max: 1_000,
    unit: "calls",
    help: "Tool calls that an MCP server works on at once; others wait their turn.",
  },
} as const satisfies Record<string, Tunable>;

/** The name of a tunable. */
export type TunableName = keyof typeof TUNABLES;

/** One resolved value for every tunable. After this nothing is optional. */
export type Settings = { readonly [K in TunableName]: number };

/** What is wrong with a value, or null. The sentence lists what is accepted. */
export function tunableProblem(name: TunableName, value: unknown): string | null {
  const t: Tunable = TUNABLES[name];
  const accepted = `a whole number from ${t.min} to ${t.max} (${t.unit}; default ${t.default})`;
  if (typeof value !== "number" || !Number.isInteger(value)) {
    return `${name} must be ${accepted}, not ${JSON.stringify(value) ?? typeof value}`;
  }
  if (value < t.min || value > t.max) return `${name} must be ${accepted}, not ${value}`;
  return null;
}
