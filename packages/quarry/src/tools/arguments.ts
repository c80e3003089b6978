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
    throw new QuarryError("INVALID_ARGUMENT", `unknown argument ${quote(name)}; accepted are ${known.join(", ")}`, { argument: name });
  }
  const argument = issue.path.length === 0 ? "arguments" : String(issue.path[0]);
  const given = valueAt(args, issue.path);
  const expected = issue.path.length === 0 ? `an object with ${known.join(", ")}` : accepted(schema, argument);
  const problem = given === undefined ? "is missing" : `is ${quote(given)}`;
  throw new QuarryError("INVALID_ARGUMENT", `${argument} ${problem}; accepted is ${expected}`, { argument });
}

/** JSON Schema 2020-12 of a tool's arguments, as strict clients take it. */
export function inputSchema(schema: z.ZodObject): Record<string, unknown> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: "input" });
  return { ...json, type: "object", properties: json.properties ?? {} };
}

function accepted(schema: z.ZodObject, name: string): string {
  const property = (z.toJSONSchema(schema, { io: "input" }).properties ?? {})[name];
  return typeof property === "object" ? describe(property) : "another value";
}

function describe(p: z.core.JSONSchema.BaseSchema): string {
  if (p.enum !== undefined) return `one of ${p.enum.map(quote).join(", ")}`;
  if (p.anyOf !== undefined) return p.anyOf.map((one) => (typeof one === "object" ? describe(one) : "anything")).join(" or ");
  switch (p.type) {
    case "integer":
      return `a whole number from ${p.minimum ?? "any"} to ${p.maximum === Number.MAX_SAFE_INTEGER ? "any" : (p.maximum ?? "any")}`;
    case "array":
      return `a list of ${p.minItems ?? 0} or more strings`;
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
