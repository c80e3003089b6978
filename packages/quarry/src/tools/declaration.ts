/**
 * How a tool's arguments are declared: as the JSON Schema that clients are shown. Types and checks follow from the same
 * object. It is read here and not by a library, since those take longer to load than a small search takes.
 */

/** A text. None may hold a NUL, which no name, pattern or text file holds. */
interface TextSchema {
  readonly type: "string";
  readonly minLength?: number;
  readonly enum?: readonly string[];
  readonly description?: string;
}
interface WholeSchema {
  readonly type: "integer";
  readonly minimum: number;
  readonly maximum: number;
  readonly description?: string;
}
interface FlagSchema {
  readonly type: "boolean";
  readonly description?: string;
}
interface ListSchema {
  readonly type: "array";
  readonly items: ValueSchema;
  readonly minItems: number;
  readonly maxItems?: number;
  readonly description?: string;
}
interface EitherSchema {
  readonly anyOf: readonly ValueSchema[];
  readonly description?: string;
}

/** What one value may be: the part of JSON Schema 2020-12 that tools need. */
export type ValueSchema = TextSchema | WholeSchema | FlagSchema | ListSchema | EitherSchema | ObjectSchema;

/** An object with these properties and no others. */
export interface ObjectSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, ValueSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties: false;
  readonly description?: string;
}

/** What a value that passed the check is. */
export type ValueOf<S> = S extends { readonly enum: readonly (infer One)[] }
  ? One
  : S extends { readonly type: "string" }
    ? string
    : S extends { readonly type: "integer" }
      ? number
      : S extends { readonly type: "boolean" }
        ? boolean
        : S extends { readonly type: "array"; readonly items: infer Item }
          ? ValueOf<Item>[]
          : S extends { readonly anyOf: readonly (infer One)[] }
            ? ValueOf<One>
            : S extends { readonly properties: infer P }
              ? { [K in keyof P & RequiredOf<S>]: ValueOf<P[K]> } & {
                  [K in Exclude<keyof P, RequiredOf<S>>]?: ValueOf<P[K]> | undefined;
                }
              : never;

type RequiredOf<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never;

/** Where a value breaks its declaration; `unknown` is the name of a property that is not declared there. */
export interface Problem {
  readonly path: readonly (string | number)[];
  readonly unknown?: string;
}

/**
 * The first thing that is wrong with a value, or null. Properties are looked at in the order of their declaration; one that is
 * not declared is wrong too, but told last, so that a missing one is named before a misspelt one.
 */
export function problemOf(schema: ValueSchema, value: unknown): Problem | null {
  if ("anyOf" in schema) return eitherProblem(schema, value);
  switch (schema.type) {
    case "string":
      return typeof value === "string" && textFits(schema, value) ? null : HERE;
    case "integer":
      return Number.isSafeInteger(value) && (value as number) >= schema.minimum && (value as number) <= schema.maximum
        ? null
        : HERE;
    case "boolean":
      return typeof value === "boolean" ? null : HERE;
    case "array":
      return Array.isArray(value) ? listProblem(schema, value) : HERE;
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value) ? objectProblem(schema, value) : HERE;
  }
}

/** A copy of a value that passed the check, of what is declared alone: whatever the caller does with its own later. */
export function copyOf(schema: ValueSchema, value: unknown): unknown {
  // Alternatives are single values or lists of them.
  if ("anyOf" in schema) return Array.isArray(value) ? [...(value as unknown[])] : value;
  if (schema.type === "array") return (value as unknown[]).map((one): unknown => copyOf(schema.items, one));
  if (schema.type !== "object") return value;
  const given = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(schema.properties)
      .filter(([name]) => given[name] !== undefined)
      .map(([name, property]) => [name, copyOf(property, given[name])]),
  );
}

const HERE: Problem = { path: [] };

function textFits(schema: TextSchema, text: string): boolean {
  return (
    !text.includes("\0") &&
    text.length >= (schema.minLength ?? 0) &&
    (schema.enum === undefined || schema.enum.includes(text))
  );
}

/** Where the value is of the kind of one alternative, that one says what is wrong inside it. */
function eitherProblem({ anyOf }: EitherSchema, value: unknown): Problem | null {
  let inside: Problem = HERE;
  for (const one of anyOf) {
    const problem = problemOf(one, value);
    if (problem === null) return null;
    if (problem.path.length > 0) inside = problem;
  }
  return inside;
}

function listProblem({ items, minItems, maxItems = Infinity }: ListSchema, values: readonly unknown[]): Problem | null {
  if (values.length < minItems || values.length > maxItems) return HERE;
  for (const [i, value] of values.entries()) {
    const problem = problemOf(items, value);
    if (problem !== null) return below(i, problem);
  }
  return null;
}

function objectProblem({ properties, required = [] }: ObjectSchema, value: object): Problem | null {
  const given = value as Readonly<Record<string, unknown>>;
  for (const [name, property] of Object.entries(properties)) {
    const one = given[name];
    if (one === undefined && !required.includes(name)) continue;
    const problem = problemOf(property, one);
    if (problem !== null) return below(name, problem);
  }
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(properties, name));
  return unknown === undefined ? null : { path: [], unknown };
}

function below(key: string | number, problem: Problem): Problem {
  return { ...problem, path: [key, ...problem.path] };
}
