import type { z } from "zod";
import { shown, type Problem } from "./problems.js";
import { configJsonSchema } from "./schema.js";
import type { YamlContent } from "./yaml-file.js";

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** What the schema finds wrong, each with its line, its key and what is accepted there. */
export function explain(issues: readonly z.core.$ZodIssue[], content: YamlContent): Problem[] {
  const schema = configJsonSchema();
  return issues.flatMap((issue) => {
    const { path } = issue;
    if (issue.code === "unrecognized_keys") {
      const known = Object.keys(at(schema, path)?.properties ?? {}).join(", ");
      return issue.keys.map((key) => ({
        line: content.lineOf([...path, key], "key"),
        text: `${keyName([...path, key])} is unknown; accepted are ${known}`,
      }));
    }
    const value = valueAt(content.value, path);
    const found = at(schema, path);
    const accepted = found === null ? "another value" : describe(found);
    const subject = path.length === 0 ? "the file" : keyName(path);
    // A folder of this machine is not repeated: the line says where it stands.
    const is =
      path.at(-1) === "host" && typeof value === "string" ? "is not the path of a folder" : `is ${shown(value)}`;
    return [{ line: content.lineOf(path), text: `${subject} ${is}; accepted is ${accepted}` }];
  });
}

/** `mounts[0].path` */
export function keyName(path: readonly PropertyKey[]): string {
  const name = (key: string): string => (/^[\w/.:-]{1,60}$/.test(key) ? key : shown(key));
  return path
    .map((key, i) => (typeof key === "number" ? `[${key}]` : `${i === 0 ? "" : "."}${name(String(key))}`))
    .join("");
}

/** What stands at a path of plain values; undefined for nothing. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== "object" || found === null) return undefined;
    found = (found as Record<PropertyKey, unknown>)[key];
  }
  return found;
}

/** What a part of the schema accepts, in words. Also for the documentation. */
export function describe(p: JsonSchema): string {
  if (p.enum !== undefined) return `one of ${p.enum.map(String).join(", ")}`;
  switch (p.type) {
    case "integer":
      return `a whole number from ${p.minimum ?? "any"} to ${p.maximum === Number.MAX_SAFE_INTEGER ? "any" : (p.maximum ?? "any")}`;
    case "array":
      return `a list${typeof p.items === "object" && !Array.isArray(p.items) ? ` of ${many(p.items)}` : ""}`;
    case "object":
      return p.properties === undefined ? "a mapping" : `a mapping of ${Object.keys(p.properties).join(", ")}`;
    default:
      return (p.examples ?? []).length > 0 ? `text such as ${(p.examples as unknown[]).join(" or ")}` : "text";
  }
}

function many(items: JsonSchema): string {
  return items.type === "object" ? `mappings with ${Object.keys(items.properties ?? {}).join(", ")}` : describe(items);
}

function at(schema: JsonSchema, path: readonly PropertyKey[]): JsonSchema | null {
  let found: JsonSchema = schema;
  for (const key of path) {
    const next = typeof key === "number" && !Array.isArray(found.items) ? found.items : found.properties?.[String(key)];
    if (typeof next !== "object") return null;
    found = next;
  }
  return found;
}
