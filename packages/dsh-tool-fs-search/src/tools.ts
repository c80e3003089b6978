import type { Context } from "@deepseek-ai/cordis";
import {
  defineTool,
  type ParameterPropertySpec,
  type ToolDefinition,
  type ToolRunContext,
} from "@deepseek-ai/dsh-tools";
import {
  GLOB,
  GREP,
  answerGlob,
  answerGrep,
  globText,
  grepText,
  type DshDefinition,
  type DshRooms,
  type ResultOwner,
  type ResultStore,
  type SearchCall,
} from "quarry/dsh";
import { withHarnessErrors } from "./error.js";

const STRINGS = { type: "array", required: true, items: { type: "string" } } as const;
const SAVED = {
  type: "object",
  additionalProperties: false,
  properties: { locator: { type: "string", required: true }, hint: { type: "string", required: true } },
} as const;

/** The tool that finds files. Its value holds every path; the text holds a page of them. */
export function globTool(ctx: Context, rooms: DshRooms): ToolDefinition {
  return defineTool({
    ...shared(GLOB, rooms),
    output: {
      schema: {
        type: "object",
        additionalProperties: false,
        properties: { paths: STRINGS, notes: STRINGS, saved: SAVED },
      },
      render: (_args, { saved, ...found }) => [{ type: "text", text: globText(found, saved ?? null, rooms.settings) }],
    },
    execute: (args, exec) =>
      withHarnessErrors(async () => {
        const { paths, notes, saved } = await answerGlob(rooms, args, callOf(exec), ownerOf(ctx, exec));
        return { paths: [...paths], notes: [...notes], ...(saved === null ? {} : { saved: { ...saved } }) };
      }),
  });
}

/** The tool that finds lines. Its value holds every match with its whole line; the text holds a page of them. */
export function grepTool(ctx: Context, rooms: DshRooms): ToolDefinition {
  return defineTool({
    ...shared(GREP, rooms),
    output: {
      schema: {
        type: "object",
        additionalProperties: false,
        properties: {
          matches: {
            type: "array",
            required: true,
            items: {
              type: "object",
              additionalProperties: false,
              properties: {
                path: { type: "string", required: true },
                lineNumber: { type: "integer", required: true },
                line: { type: "string", required: true },
              },
            },
          },
          notes: STRINGS,
          saved: SAVED,
        },
      },
      render: (_args, { saved, ...found }) => [{ type: "text", text: grepText(found, saved ?? null, rooms.settings) }],
    },
    execute: (args, exec) =>
      withHarnessErrors(async () => {
        const { matches, notes, saved } = await answerGrep(rooms, args, callOf(exec), ownerOf(ctx, exec));
        return { matches: [...matches], notes: [...notes], ...(saved === null ? {} : { saved: { ...saved } }) };
      }),
  });
}

/** What both tools declare alike. */
function shared(tool: DshDefinition, { settings }: DshRooms) {
  const parameters: Record<string, ParameterPropertySpec> = {};
  for (const [name, parameter] of Object.entries(tool.parameters)) parameters[name] = { type: "string", ...parameter };
  return {
    name: tool.name,
    description: tool.description(settings),
    parameters,
    timeoutMs: settings.timeoutMs,
    // Searches change nothing that another call could see.
    isConcurrencySafe: () => true,
  };
}

function callOf(exec: ToolRunContext): SearchCall {
  const workdir = exec.agent?.session.header.cwd;
  return { signal: exec.signal, ...(workdir === undefined ? {} : { workdir }) };
}

function ownerOf(ctx: Context, exec: ToolRunContext): ResultOwner {
  return {
    toolName: exec.name,
    callId: exec.callId,
    sessionId: exec.agent?.session?.header?.id,
    store: ctx.get("spillStore") as ResultStore | undefined,
    warn: (message) => ctx.logger.warn(`tool-fs-search: ${message}`),
  };
}
