import { QuarryError } from "../errors/errors.js";
import type { Tool, ToolKind } from "../tools/tool.js";
import { outputSchema } from "./output-schemas.js";

/** What a tool says of itself, without the workspace behind it. */
export type ToolDescription = Pick<Tool, "kind" | "name" | "title" | "description" | "inputSchema" | "readOnly">;

/** How the tools are offered. */
export interface Offer {
  /** Names of the tools to serve; undefined serves all. */
  readonly only?: readonly string[];
  /** Put in front of every name, for clients with tools of the same name; `""` for none. */
  readonly prefix: string;
  /** Output schemas and structured content beside the text. */
  readonly structured: boolean;
}

/** One entry of `tools/list`. */
export interface ServedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: "object"; [keyword: string]: unknown };
  outputSchema?: { type: "object"; [keyword: string]: unknown };
  annotations: {
    title: string;
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: boolean;
  };
}

// Names that every client takes: letters, digits, `_` and `-`, 64 in all (a client may add a prefix of its own).
const PREFIX = /^[A-Za-z0-9_-]{0,32}$/;

/**
 * The tools that are served, by the names they are served under, in the given order.
 * @throws QuarryError INVALID_ARGUMENT for a name that no tool has, an empty choice, or a prefix that no client takes.
 */
export function offered<T extends ToolDescription>(tools: readonly T[], offer: Offer): ReadonlyMap<string, T> {
  if (!PREFIX.test(offer.prefix)) {
    throw new QuarryError("INVALID_ARGUMENT", "--tool-prefix must be at most 32 letters, digits, _ and -", {
      argument: "tool-prefix",
    });
  }
  const names = tools.map((t) => t.name);
  const unknown = offer.only?.find((name) => !names.includes(name));
  if (unknown !== undefined || offer.only?.length === 0) {
    throw new QuarryError(
      "INVALID_ARGUMENT",
      `--tools must name some of ${names.join(", ")}, not ${JSON.stringify(unknown ?? "")}`,
      { argument: "tools" },
    );
  }
  const chosen = tools.filter((t) => offer.only?.includes(t.name) ?? true);
  return new Map(chosen.map((t) => [offer.prefix + t.name, t]));
}

/** The tool as `tools/list` shows it. */
export function definition(name: string, tool: ToolDescription, structured: boolean): ServedTool {
  return {
    name,
    title: tool.title,
    description: tool.description,
    inputSchema: { ...tool.inputSchema, type: "object" },
    ...(structured ? { outputSchema: outputSchema(tool.kind) } : {}),
    annotations: {
      title: tool.title,
      readOnlyHint: tool.readOnly,
      destructiveHint: !tool.readOnly,
      idempotentHint: tool.readOnly,
      openWorldHint: false,
    },
  };
}

/** What the model is told about the server as a whole; only of tools that are served. */
export function instructions(served: ReadonlyMap<string, ToolDescription>): string {
  const named = (kind: ToolKind): string | undefined => [...served].find(([, tool]) => tool.kind === kind)?.[0];
  const glob = named("glob");
  const grep = named("grep");
  const read = named("read_file");
  const edits = [...served.values()].some((t) => !t.readOnly);
  return [
    glob === undefined ? "" : `${glob} finds files by name.`,
    grep === undefined ? "" : `${grep} finds lines by content.`,
    read === undefined ? "" : `${read} reads a file${edits ? "; read before you edit" : ""}.`,
    "Paths are as the answers show them. An answer marked INCOMPLETE did not look at everything: it says why.",
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");
}
