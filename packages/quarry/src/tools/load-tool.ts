import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { ConfiguredTool, QuarryConfig } from "../config/file.js";
import { configError } from "../config/problems.js";
import type { Settings } from "../config/tunables.js";
import type { QuarryError } from "../errors/errors.js";
import type { Workspace } from "../workspace/workspace.js";
import { maskedResult } from "./masked-result.js";
import type { CallOptions, Tool, ToolKind, ToolResult } from "./tool.js";

/** What a function that makes a tool is given. */
export interface ToolContext {
  readonly workspace: Workspace;
  readonly settings: Settings;
  /** As configured. */
  readonly name: string;
  readonly group: string;
  /** As configured; null where it is not. The tool is to hold to it. */
  readonly maxResults: number | null;
  /** As configured, unchecked. */
  readonly options: Readonly<Record<string, unknown>>;
}

const KINDS: Readonly<Record<ToolKind, true>> = {
  grep: true,
  glob: true,
  read_file: true,
  ls: true,
  str_replace: true,
  write_file: true,
  multi_edit: true,
};

/**
 * Loads an operator's own tool: a module beside the configuration file, or a package that is found from there, and in it an export
 * that is a `Tool` or a function that makes one from a `ToolContext`. Host paths in its texts and values are masked.
 * @throws QuarryError CONFIG_INVALID with the line of `use`, without the module's own words: they may hold host paths.
 */
export async function loadTool(config: QuarryConfig, entry: ConfiguredTool, context: ToolContext): Promise<Tool> {
  const wrong = (what: string): QuarryError =>
    configError(config.file, [{ line: entry.line, text: `the tool ${entry.name}: ${what}` }]);
  let module: Record<string, unknown>;
  try {
    const path = createRequire(config.location).resolve(entry.module);
    module = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (error) {
    throw wrong(`the module ${entry.module} ${whyNot(error)}`);
  }
  const exported = Object.hasOwn(module, entry.export) ? module[entry.export] : undefined;
  if (exported === undefined) {
    const names = Object.keys(module).slice(0, 20).join(", ");
    throw wrong(`the module ${entry.module} has no export ${entry.export}; it has ${names || "none"}`);
  }
  let made: unknown = exported;
  if (typeof exported === "function") {
    try {
      made = await (exported as (context: ToolContext) => unknown)(context);
    } catch (error) {
      throw wrong(`${entry.export} of ${entry.module} failed (${nameOf(error)})`);
    }
  }
  const problem = toolProblem(made);
  if (problem !== null) throw wrong(`${entry.export} of ${entry.module} is no tool: ${problem}`);
  return masked(made as Tool, entry.name, context.workspace);
}

function whyNot(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  return code === "MODULE_NOT_FOUND" || code === "ERR_MODULE_NOT_FOUND"
    ? "or one that it imports is not found; a path begins with ./ and starts at the configuration file"
    : `cannot be loaded (${nameOf(error)})`;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

/** What keeps a value from being a `Tool`; null for nothing. */
function toolProblem(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return `it is ${value === null ? "null" : typeof value}`;
  const tool = value as Partial<Record<keyof Tool, unknown>>;
  if (typeof tool.kind !== "string" || !Object.hasOwn(KINDS, tool.kind))
    return `kind must be one of ${Object.keys(KINDS).join(", ")}`;
  for (const key of ["name", "title", "description"] as const)
    if (typeof tool[key] !== "string") return `${key} must be text`;
  if (typeof tool.readOnly !== "boolean") return "readOnly must be true or false";
  if (typeof tool.call !== "function") return "call must be a function";
  const schema = tool.inputSchema as Partial<Record<string, unknown>> | null | undefined;
  if (typeof schema !== "object" || schema === null || schema["type"] !== "object" || !isObject(schema["properties"]))
    return 'inputSchema must be a JSON Schema with type "object" and properties';
  return null;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The tool under its configured name; what it says goes through the mask, also what it throws. */
function masked(tool: Tool, name: string, workspace: Workspace): Tool {
  return {
    kind: tool.kind,
    name,
    title: tool.title,
    description: tool.description,
    inputSchema: tool.inputSchema,
    readOnly: tool.readOnly,
    call: async (args: unknown, options?: CallOptions): Promise<ToolResult<unknown>> => {
      try {
        return maskedResult(await tool.call(args, options), workspace);
      } catch (error) {
        const message = `the tool failed (${nameOf(error)})`;
        const remedy = "Whoever configured it can find out why.";
        return {
          isError: true,
          text: `Error INTERNAL: ${message}. ${remedy}`,
          value: { error: { code: "INTERNAL", message, remedy } },
        };
      }
    },
  };
}
