import { QuarryError } from "../errors/errors.js";
import { copyOf, problemOf, type ObjectSchema, type Problem, type ValueOf, type ValueSchema } from "./declaration.js";

/**
 * Checks what a caller gave against a tool's declaration.
 * @throws QuarryError INVALID_ARGUMENT that names the argument and what would be accepted.
 */
export function readArguments<const S extends ObjectSchema>(schema: S, args: unknown): ValueOf<S> {
  const given = args ?? {};
  const problem = problemOf(schema, given);
  if (problem === null) return copyOf(schema, given) as ValueOf<S>;
  throw problem.unknown === undefined
    ? wrongValue(schema, given, problem)
    : unknownName(schema, problem.unknown, problem);
}

function unknownName(schema: ObjectSchema, name: string, { path }: Problem): QuarryError {
  const holder = schemaAt(schema, path);
  const names = holder !== null && "properties" in holder ? Object.keys(holder.properties) : [];
  const inside = path.length === 0 ? "" : ` in ${pathName(path)}`;
  return new QuarryError(
    "INVALID_ARGUMENT",
    `unknown argument ${quote(name)}${inside}; accepted are ${names.join(", ")}`,
    { argument: name },
  );
}

function wrongValue(schema: ObjectSchema, args: unknown, { path }: Problem): QuarryError {
  const argument = path.length === 0 ? "arguments" : pathName(path);
  const given = valueAt(args, path);
  const found = schemaAt(schema, path);
  const expected = found === null ? "another value" : describe(found);
  const problem = given === undefined ? "is missing" : `is ${quote(given)}`;
  return new QuarryError("INVALID_ARGUMENT", `${argument} ${problem}; accepted is ${expected}`, { argument });
}

/** JSON Schema 2020-12 of a tool's arguments, as strict clients take it. */
export function inputSchema(schema: ObjectSchema): Record<string, unknown> {
  return { ...schema };
}

/** The schema of what stands at a path of the arguments; of an argument's alternatives all together. */
function schemaAt(schema: ObjectSchema, path: Problem["path"]): ValueSchema | null {
  let at: ValueSchema = schema;
  for (const key of path) {
    if ("anyOf" in at) return at;
    const next: ValueSchema | undefined =
      at.type === "array" ? at.items : at.type === "object" ? at.properties[String(key)] : undefined;
    if (next === undefined) return null;
    at = next;
  }
  return at;
}

/** `edits[0].old_str` */
function pathName(path: Problem["path"]): string {
  return path.map((key, i) => (typeof key === "number" ? `[${key}]` : `${i === 0 ? "" : "."}${key}`)).join("");
}

function describe(schema: ValueSchema): string {
  if ("anyOf" in schema) return schema.anyOf.map(describe).join(" or ");
  switch (schema.type) {
    case "integer":
      return `a whole number from ${schema.minimum} to ${schema.maximum === Number.MAX_SAFE_INTEGER ? "any" : schema.maximum}`;
    case "array":
      return `a list of ${schema.minItems} or more ${"type" in schema.items && schema.items.type === "object" ? "objects" : "strings"}`;
    case "object":
      return `an object with ${Object.keys(schema.properties).join(", ")}`;
    case "string":
      if (schema.enum !== undefined) return `one of ${schema.enum.map(quote).join(", ")}`;
      return (schema.minLength ?? 0) > 0 ? "a string that is not empty and holds no NUL" : "a string that holds no NUL";
    case "boolean":
      return "true or false";
  }
}

function valueAt(value: unknown, path: Problem["path"]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== "object" || at === null) return undefined;
    at = (at as Record<string | number, unknown>)[key];
  }
  return at;
}

function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
