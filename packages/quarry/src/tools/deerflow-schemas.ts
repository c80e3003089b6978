import { GLOB_RESULTS, GREP_RESULTS } from "../profiles/deerflow/limits.js";
import type { ObjectSchema } from "./declaration.js";

const text = { type: "string" } as const;
const filled = { type: "string", minLength: 1 } as const;
const flag = { type: "boolean" } as const;
const line = { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER } as const;
const any = { type: "integer", minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER } as const;
const path = (what: string) => ({ ...filled, description: `Absolute path of ${what}` }) as const;
const description = { ...text, description: "Why you call it, for the user interface; changes nothing" } as const;

export const DEERFLOW_GLOB = {
  type: "object",
  properties: {
    pattern: {
      ...filled,
      description: "Relative to path, e.g. **/*.py or src/**/test_*.ts; without / a name at any depth",
    },
    path: path("the directory to search"),
    description,
    include_dirs: { ...flag, description: "Also directories" },
    max_results: { ...any, description: `At most ${GLOB_RESULTS.ceiling}` },
  },
  required: ["pattern", "path"],
  additionalProperties: false,
} as const satisfies ObjectSchema;

export const DEERFLOW_GREP = {
  type: "object",
  properties: {
    pattern: { ...text, description: "Regular expression (Rust's dialect: no look-around, no backreferences)" },
    path: path("a directory or a file"),
    description,
    glob: { ...text, description: "Only files that match, e.g. **/*.py" },
    literal: { ...flag, description: "pattern is plain text" },
    case_sensitive: flag,
    max_results: { ...any, description: `Lines; at most ${GREP_RESULTS.ceiling}` },
  },
  required: ["pattern", "path"],
  additionalProperties: false,
} as const satisfies ObjectSchema;

export const DEERFLOW_LS = {
  type: "object",
  properties: { path: path("the directory"), description },
  required: ["path"],
  additionalProperties: false,
} as const satisfies ObjectSchema;

export const DEERFLOW_READ = {
  type: "object",
  properties: {
    path: path("the file"),
    description,
    start_line: { ...line, description: "From 1" },
    end_line: { ...line, description: "Inclusive" },
  },
  required: ["path"],
  additionalProperties: false,
} as const satisfies ObjectSchema;

export const DEERFLOW_WRITE = {
  type: "object",
  properties: {
    path: path("the file"),
    description,
    content: text,
    append: { ...flag, description: "Add to the end instead of replacing all" },
  },
  required: ["path", "content"],
  additionalProperties: false,
} as const satisfies ObjectSchema;

export const DEERFLOW_REPLACE = {
  type: "object",
  properties: {
    path: path("the file"),
    description,
    old_str: { ...text, description: "Exact text of the file; there once, unless replace_all" },
    new_str: text,
    replace_all: { ...flag, description: "Every place" },
  },
  required: ["path", "old_str", "new_str"],
  additionalProperties: false,
} as const satisfies ObjectSchema;

/** What an argument is where it is not given. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  description: "",
  include_dirs: false,
  literal: false,
  case_sensitive: false,
  append: false,
  replace_all: false,
};

/** The schema as a model is shown it, defaults included. */
export function shownSchema(
  schema: ObjectSchema,
  own: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const defaults = { ...DEFAULTS, ...own };
  const properties = Object.entries(schema.properties).map(([name, property]) => [
    name,
    Object.hasOwn(defaults, name) ? { ...property, default: defaults[name] } : property,
  ]);
  return { ...schema, properties: Object.fromEntries(properties) as Record<string, unknown> };
}
