import { z } from "zod";
import { QuarryError } from "../errors/errors.js";

/**
 * Checks what a caller gave against a tool's schema.
 * @throws QuarryError INVALID_ARGUMENT that names the argument and what would be accepted.
 */
export function readArguments<S extends z.ZodObject>(schema: S, args: unknown): z.output<S> {
  const parsed = schema.safeParse(args ?? {});
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0] as z.core.$ZodIssue;
  const known = Object.keys(schema.shape);
  if (issue.code === "unrecognized_keys") {
    const name = issue.keys[0] as string;
    const inside = issue.path.length === 0 ? "" : ` in ${pathName(issue.path)}`;
    const names = issue.path.length === 0 ? known : Object.keys(schemaAt(schema, issue.path)?.properties ?? {});
    throw new QuarryError(
      "INVALID_ARGUMENT",
      `unknown argument ${quote(name)}${inside}; accepted are ${names.join(", ")}`,
      { argument: name },
    );
  }
  const argument = issue.path.length === 0 ? "arguments" : pathName(issue.path);
  const given = valueAt(args, issue.path);
  const expected = issue.path.length === 0 ? `an object with ${known.join(", ")}` : accepted(schema, issue.path);
  const problem = given === undefined ? "is missing" : `is ${quote(given)}`;
  throw new QuarryError("INVALID_ARGUMENT", `${argument} ${problem}; accepted is ${expected}`, { argument });
}

/** JSON Schema 2020-12 of a tool's arguments, as strict clients take it. */
export function inputSchema(schema: z.ZodObject): Record<string, unknown> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: "input" });
  return { ...json, type: "object", properties: json.properties ?? {} };
}

function accepted(schema: z.ZodObject, path: readonly PropertyKey[]): string {
  const found = schemaAt(schema, path);
  return found === null ? "another value" : describe(found);
}

/** The schema of what stands at a path of the arguments; of an argument's alternatives all together. */
function schemaAt(schema: z.ZodObject, path: readonly PropertyKey[]): z.core.JSONSchema.BaseSchema | null {
  let at: z.core.JSONSchema.BaseSchema = z.toJSONSchema(schema, { io: "input" });
  for (const key of path) {
    if (at.anyOf !== undefined) return at;
    const next = typeof key === "number" && !Array.isArray(at.items) ? at.items : at.properties?.[String(key)];
    if (typeof next !== "object") return null;
    at = next;
  }
  return at;
}

/** `edits[0].old_str` */
function pathName(path: readonly PropertyKey[]): string {
  return path.map((key, i) => (typeof key === "number" ? `[${key}]` : `${i === 0 ? "" : "."}${String(key)}`)).join("");
}

function describe(p: z.core.JSONSchema.BaseSchema): string {
  if (p.enum !== undefined) return `one of ${p.enum.map(quote).join(", ")}`;
  if (p.anyOf !== undefined)
    return p.anyOf.map((one) => (typeof one === "object" ? describe(one) : "anything")).join(" or ");
  switch (p.type) {
    case "integer":
      return `a whole number from ${p.minimum ?? "any"} to ${p.maximum === Number.MAX_SAFE_INTEGER ? "any" : (p.maximum ?? "any")}`;
    case "array":
      return `a list of ${p.minItems ?? 0} or more ${typeof p.items === "object" && !Array.isArray(p.items) && p.items.type === "object" ? "objects" : "strings"}`;
    case "object":
      return `an object with ${Object.keys(p.properties ?? {}).join(", ")}`;
    case "string":
      return (p.minLength ?? 0) > 0 ? "a string that is not empty and holds no NUL" : "a string that holds no NUL";
    case "boolean":
      return "true or false";
    default:
      return `a value of type ${String(p.type)}`;
  }
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== "object" || at === null) return undefined;
    at = (at as Record<PropertyKey, unknown>)[key];
  }
  return at;
}

function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
