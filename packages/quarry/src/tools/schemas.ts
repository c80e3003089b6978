import { TUNABLES, type TunableName } from "../config/tunables.js";

const count = (name: TunableName) =>
  ({ type: "integer", minimum: TUNABLES[name].min, maximum: TUNABLES[name].max }) as const;
const text = { type: "string" } as const;
const filled = { type: "string", minLength: 1 } as const;
const flag = { type: "boolean" } as const;
const from = (minimum: number) => ({ type: "integer", minimum, maximum: Number.MAX_SAFE_INTEGER }) as const;

const encoding = {
  description: "WHATWG label for files without a byte order mark, e.g. gbk (default: UTF-8)",
  ...text,
} as const;

const paging = {
  max_results: { description: `Results per page (default ${TUNABLES.maxResults.default})`, ...count("maxResults") },
  offset: { description: "First result to show, from 0", ...from(0) },
  include_ignored: { description: "Also look at files that ignore rules leave out", ...flag },
} as const;

export const GREP_ARGUMENTS = {
  type: "object",
  properties: {
    pattern: { ...text, description: "Rust regex, as ripgrep; a match is a line" },
    path: {
      description: "File or folder, or several",
      anyOf: [text, { minItems: 1, type: "array", items: text }],
    },
    glob: { description: "Only files that match, e.g. *.{ts,tsx} or src/**", ...text },
    exclude: { description: "Leave out files and folders that match", ...text },
    type: { description: "ripgrep type or extension: py, rust, tsx", ...text },
    literal: { description: "pattern is plain text", ...flag },
    case: { description: "Default sensitive", ...text, enum: ["sensitive", "insensitive", "smart"] },
    context: { description: "Lines around each match", ...count("context") },
    multiline: { description: "A match may span lines", ...flag },
    output: { description: "Default matches", ...text, enum: ["matches", "files", "count"] },
    encoding,
    ...paging,
  },
  required: ["pattern"],
  additionalProperties: false,
} as const;

export const GLOB_ARGUMENTS = {
  type: "object",
  properties: {
    pattern: { ...filled, description: "e.g. **/*.ts; without / a name at any depth" },
    path: { description: "Folder to look in", ...text },
    include_dirs: { description: "Also folders", ...flag },
    sort: { description: "modified: newest first (default path)", ...text, enum: ["path", "modified"] },
    ...paging,
  },
  required: ["pattern"],
  additionalProperties: false,
} as const;

export const READ_FILE_ARGUMENTS = {
  type: "object",
  properties: {
    path: filled,
    start_line: { description: "From 1", ...from(1) },
    end_line: { description: "Inclusive", ...from(1) },
    encoding,
  },
  required: ["path"],
  additionalProperties: false,
} as const;

export const LS_ARGUMENTS = {
  type: "object",
  properties: {
    path: text,
    depth: { description: `Levels (default ${TUNABLES.lsDepth.default})`, ...count("lsDepth") },
  },
  additionalProperties: false,
} as const;
