import type { ToolKind } from "../tools/tool.js";

/** A JSON Schema 2020-12 object schema. */
export interface ObjectSchema {
  type: "object";
  properties: Record<string, unknown>;
  required?: readonly string[];
  [keyword: string]: unknown;
}

const integer = { type: "integer" } as const;
const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const maybeText = { type: ["string", "null"] } as const;
const listOf = (items: unknown): unknown => ({ type: "array", items });
const object = (properties: Record<string, unknown>, optional: readonly string[] = []): ObjectSchema => ({
  type: "object",
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

const skipped = object({
  ignored: integer,
  hidden: integer,
  excluded: integer,
  binary: integer,
  tooLarge: integer,
  unreadable: integer,
  links: integer,
  special: integer,
  denied: integer,
  disabled: integer,
});

const page = {
  shown: integer,
  total: integer,
  truncated: flag,
  nextOffset: integer,
  artifact: { ...object({ locator: text, lines: integer, bytes: integer }), type: ["object", "null"] },
  coverage: object({ complete: flag, reason: maybeText, filesSearched: integer, skipped }),
  notes: listOf(text),
  meta: object({ engine: text, fallback: text, elapsedMs: integer }, ["fallback"]),
};

const match = object(
  {
    path: text,
    line: integer,
    column: integer,
    text,
    clipped: flag,
    lossy: flag,
    before: listOf(text),
    after: listOf(text),
  },
  ["clipped", "lossy", "before", "after"],
);

const entry = object(
  { path: text, kind: { type: "string", enum: ["file", "directory", "link", "special"] }, ignored: flag },
  ["ignored"],
);

const line = object({ line: integer, text, clipped: flag, lineBytes: integer }, ["clipped", "lineBytes"]);

const edited = {
  path: text,
  version: text,
  replacements: integer,
  created: flag,
  diff: text,
  diffCut: flag,
  notes: listOf(text),
};

/** An error's value. It shares the tool's schema, since an output schema has no top-level union: nothing is required at the top. */
const error = object({ code: text, message: text, remedy: text, argument: text, nearNames: listOf(text) }, [
  "argument",
  "nearNames",
]);

const VALUES: { readonly [kind in ToolKind]: Record<string, unknown> } = {
  grep: { ...page, matches: listOf(match), files: listOf(object({ path: text, count: integer })), totalFiles: integer },
  glob: { ...page, paths: listOf(text) },
  read_file: {
    path: text,
    startLine: integer,
    endLine: integer,
    totalLines: integer,
    lines: listOf(line),
    truncated: flag,
    nextStartLine: integer,
    version: text,
    encoding: text,
    eol: text,
    bytes: integer,
    notes: listOf(text),
    binary: object({ kind: text, mime: text, width: integer, height: integer }, ["width", "height"]),
  },
  str_replace: edited,
  multi_edit: edited,
  write_file: edited,
  ls: { path: text, entries: listOf(entry), shown: integer, total: integer, truncated: flag, notes: listOf(text) },
};

/** The schema of what a tool of this kind gives as structured content: its value, or `{ error }`. */
export function outputSchema(kind: ToolKind): ObjectSchema {
  return { type: "object", properties: { ...VALUES[kind], error } };
}
