import type { Tool } from "../tools/tool.js";

/** Arguments that hold what is, or will be, in a file. */
const CONTENT: ReadonlySet<string> = new Set([
  "old_str",
  "new_str",
  "content",
  "text",
  "insert_text",
  "new_text",
  "old_text",
  "patch",
  "diff",
]);

const MAX_TEXT = 500;
const MAX_ITEMS = 20;

/**
 * What is written down of a call's arguments: those that the tool declares, without contents. Of an argument that it does
 * not know nothing is kept but the size, since nobody can tell what it holds.
 */
export function auditedArguments(
  inputSchema: Tool["inputSchema"],
  args: unknown,
  mask: (text: string) => string,
): Record<string, unknown> {
  if (typeof args !== "object" || args === null || Array.isArray(args))
    return args === undefined || args === null ? {} : { arguments: size(args) };
  const declared = inputSchema["properties"];
  const known = typeof declared === "object" && declared !== null ? declared : {};
  const kept: [string, unknown][] = [];
  let unknown = 0;
  for (const [name, value] of Object.entries(args)) {
    if (Object.hasOwn(known, name)) kept.push([name, record(name, value, mask)]);
    else unknown += size(value).bytes;
  }
  return { ...Object.fromEntries(kept), ...(unknown > 0 ? { unknown: { bytes: unknown } } : {}) };
}

/** The paths that a call named. */
export function auditedPaths(args: unknown, mask: (text: string) => string): string[] {
  if (typeof args !== "object" || args === null || !("path" in args)) return [];
  const paths: unknown[] = Array.isArray(args.path) ? args.path : [args.path];
  return paths.slice(0, MAX_ITEMS).flatMap((path) => (typeof path === "string" ? [clip(mask(path))] : []));
}

function record(name: string, value: unknown, mask: (text: string) => string): unknown {
  if (CONTENT.has(name)) return size(value);
  if (typeof value === "string") return clip(mask(value));
  if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
  if (Array.isArray(value)) {
    // A list of objects is a list of edits: only sizes of it are kept.
    const items = value
      .slice(0, MAX_ITEMS)
      .map((one: unknown) => (typeof one === "object" ? size(one) : record("", one, mask)));
    return value.length > MAX_ITEMS ? [...items, `... ${value.length - MAX_ITEMS} more`] : items;
  }
  return size(value);
}

/** Bytes of a text, or of the JSON of anything else. */
function size(value: unknown): { readonly bytes: number } {
  return { bytes: Buffer.byteLength(typeof value === "string" ? value : (JSON.stringify(value) ?? "")) };
}

function clip(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}... (${Buffer.byteLength(text)} bytes)` : text;
}
