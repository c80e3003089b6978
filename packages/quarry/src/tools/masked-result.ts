import type { Workspace } from "../workspace/workspace.js";
import type { ToolResult } from "./tool.js";

/** A result in which no host folder of the workspace's mounts is named, neither in its text nor in a text of its value. */
export function maskedResult<V>(result: ToolResult<V>, workspace: Workspace): ToolResult<V> {
  return deepMask(result, (text) => workspace.mask(text), 0) as ToolResult<V>;
}

/** Values of JSON, as deep as results are. */
const MAX_DEPTH = 20;

function deepMask(value: unknown, mask: (text: string) => string, depth: number): unknown {
  if (typeof value === "string") return mask(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((one) => deepMask(one, mask, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [mask(key), deepMask(one, mask, depth + 1)]));
}
