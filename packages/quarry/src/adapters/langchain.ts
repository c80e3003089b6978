/**
 * The tools for LangChain.js and LangGraph.js. This file alone loads `@langchain/core`, an optional peer dependency.
 *
 * ```ts
 * const { tools } = await openConfigured(await loadConfig("quarry.yaml"), { thread: "t-1" });
 * const node = new ToolNode(langchainTools(tools));
 * ```
 */
import { ToolMessage } from "@langchain/core/messages";
import {
  DynamicStructuredTool,
  type DynamicStructuredToolInput,
  type StructuredToolCallInput,
  type StructuredToolInterface,
  type ToolReturnType,
  type ToolRunnableConfig,
} from "@langchain/core/tools";
import type { JSONSchema } from "@langchain/core/utils/json_schema";
import type { Tool, ToolResult } from "../tools/tool.js";

/** How far a long call is. */
export interface LangchainProgress {
  /** The name a model called the tool by. */
  readonly tool: string;
  /** The tool call's id; null where the tool was not called by a model's tool call. */
  readonly callId: string | null;
  /** Files seen so far. */
  readonly files: number;
  readonly matches: number;
}

/** How the tools behave. */
export interface LangchainToolsOptions {
  /** Told now and then how far a long call is. Must not throw. */
  readonly onProgress?: (progress: LangchainProgress) => void;
}

/**
 * Tools of any profile as tools of `@langchain/core`, in the same order, with the same names, descriptions and JSON Schemas.
 *
 * A model's tool call is answered with a `ToolMessage`: the text as content; the structured value as `artifact`, which no model is
 * sent; `status: "error"` for an error, whose text says what to do. Wrong arguments are such an error too, in our words. A call without
 * a tool call's id is answered with the text alone.
 *
 * The call's `signal` (or `timeout`) ends the search and everything it started. A call that it cut short then rejects with the
 * signal's reason, as runnables do; one that was done by then, such as a change that is already on disk, still answers.
 */
export function langchainTools(
  tools: readonly Tool[],
  { onProgress }: LangchainToolsOptions = {},
): StructuredToolInterface[] {
  return tools.map((tool) => {
    const { name, description } = tool;
    // A copy: what a provider's package changes for its own API changes no other face.
    const schema = structuredClone(tool.inputSchema) as JSONSchema;
    return new QuarryTool({
      name,
      description,
      schema,
      func: (args, _run, config) => answer(tool, args, config ?? {}, onProgress),
    });
  });
}

/** Text where nobody made a tool call. */
type Answer = string | ToolMessage;

/** Shows its schema to models, and leaves the check of arguments to the tool, whose words a model can act on. */
class QuarryTool extends DynamicStructuredTool<JSONSchema, unknown, unknown, Answer> {
  /** This tool, but with a schema that takes everything: the library's own check throws, and does not say what is wrong. */
  readonly #unchecked: this;

  constructor(fields: DynamicStructuredToolInput<JSONSchema, unknown, Answer>) {
    super(fields);
    this.#unchecked = Object.create(this, { schema: { value: true } }) as this;
  }

  override invoke<I extends StructuredToolCallInput<JSONSchema>, C extends ToolRunnableConfig | undefined>(
    input: I,
    config?: C,
  ): Promise<ToolReturnType<I, C, Answer>> {
    return super.invoke.call(this.#unchecked, input, config) as Promise<ToolReturnType<I, C, Answer>>;
  }
}

async function answer(
  tool: Tool,
  args: unknown,
  { signal, toolCall }: ToolRunnableConfig,
  onProgress: LangchainToolsOptions["onProgress"],
): Promise<Answer> {
  const callId = toolCall?.id ?? null;
  const result = await tool.call(args, {
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined
      ? {}
      : { onProgress: (progress) => onProgress({ tool: tool.name, callId, ...progress }) }),
  });
  if (wasCutShort(result)) signal?.throwIfAborted();
  if (callId === null) return result.text;
  return new ToolMessage({
    name: tool.name,
    tool_call_id: callId,
    status: result.isError ? "error" : "success",
    content: result.text,
    artifact: result.value,
  });
}

function wasCutShort(result: ToolResult<unknown>): boolean {
  return result.isError ? result.value.error.code === "ABORTED" : !result.complete;
}
