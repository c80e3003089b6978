import { BaseChatModel, type BindToolsInput } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import type { ChatResult } from "@langchain/core/outputs";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";

/** A tool as a provider's API is sent it. */
export type Offered = ReturnType<typeof convertToOpenAITool>;

/** One call that the model makes. `args` is what a real model may send too: anything. */
export interface Step {
  readonly name: string;
  readonly args: unknown;
}

/** What the model does next, given what the tools said last, in the order of its calls. Several steps are called at once. */
export type Script = Generator<Step | readonly Step[], void, string>;

/** A chat model that follows a script, and ends where the script does. */
class ScriptedModel extends BaseChatModel {
  readonly #script: Script;
  /** What `bindTools` was given, as a provider is sent it. */
  offered: readonly Offered[] = [];
  #calls = 0;

  constructor(script: Script) {
    super({});
    this.#script = script;
  }

  override _llmType(): string {
    return "scripted";
  }

  override bindTools(tools: BindToolsInput[]): this {
    this.offered = tools.map((tool) => convertToOpenAITool(tool as StructuredToolInterface));
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const answers: string[] = [];
    for (const message of messages.toReversed()) {
      if (!ToolMessage.isInstance(message)) break;
      answers.unshift(message.text);
    }
    const next = this.#script.next(answers.join("\n---\n"));
    const steps = next.done === true ? [] : [next.value].flat();
    const calls = steps.map(({ name, args }) => {
      const id = `call-${++this.#calls}`;
      return { name, args: args as ToolCall["args"], id, type: "tool_call" as const };
    });
    const message = new AIMessage({ content: calls.length === 0 ? "done" : "", tool_calls: calls });
    return { generations: [{ text: message.text, message }] };
  }
}

/** What a run of the agent leaves. */
export interface Run {
  readonly offered: readonly Offered[];
  /** What the tools answered, in order. */
  readonly answers: readonly ToolMessage[];
  /** What the model said last. */
  readonly last: string;
}

/** Runs a LangGraph agent, a model and a node of tools in a loop, to the end of the script. */
export async function runAgent(
  tools: StructuredToolInterface[],
  script: Script,
  config?: RunnableConfig,
): Promise<Run> {
  const model = new ScriptedModel(script);
  const bound = model.bindTools(tools);
  const agent = new StateGraph(MessagesAnnotation)
    .addNode("agent", async ({ messages }, inner) => ({ messages: [await bound.invoke(messages, inner)] }))
    .addNode("tools", new ToolNode(tools))
    .addEdge(START, "agent")
    .addConditionalEdges("agent", toolsCondition, ["tools", END])
    .addEdge("tools", "agent")
    .compile();
  const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] }, config);
  return {
    offered: model.offered,
    answers: messages.filter((message) => ToolMessage.isInstance(message)),
    last: messages.at(-1)?.text ?? "",
  };
}
