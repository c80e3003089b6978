import type { Tool, ToolResult } from "../tools/tool.js";
import type { Coverage } from "../search/coverage.js";
import type { AuditEvent, AuditOutcome, AuditSink } from "./event.js";
import { auditedArguments, auditedPaths } from "./arguments.js";

/** How calls are written down. */
export interface AuditOptions {
  /** Takes host paths out of what a caller wrote; `Workspace.mask`. */
  readonly mask?: (text: string) => string;
}

/** The same tools, and every call of them told to `sink` once it has ended. */
export function audited(tools: readonly Tool[], sink: AuditSink, options: AuditOptions = {}): Tool[] {
  const mask = options.mask ?? ((text: string) => text);
  return tools.map((tool) => ({
    ...tool,
    call: async (args, callOptions) => {
      const started = performance.now();
      const tell = (result: ToolResult<unknown> | null): void => {
        const elapsedMs = Math.round(performance.now() - started);
        sink.record({
          time: new Date().toISOString(),
          tool: tool.name,
          query: auditedArguments(tool.inputSchema, args, mask),
          where: auditedPaths(args, mask),
          ...facts(result),
          elapsedMs,
          outcome: outcome(result, callOptions?.signal?.aborted === true),
        });
      };
      let result: ToolResult<unknown>;
      try {
        result = await tool.call(args, callOptions);
      } catch (thrown) {
        tell(null);
        throw thrown;
      }
      tell(result);
      return result;
    },
  }));
}

function outcome(result: ToolResult<unknown> | null, cancelled: boolean): AuditOutcome {
  if (result === null) return "INTERNAL";
  if (cancelled) return "cancelled";
  if (result.isError) return result.value.error.code;
  if (!result.complete) return "incomplete";
  return result.empty ? "empty" : "ok";
}

function facts(result: ToolResult<unknown> | null): Pick<AuditEvent, "matches" | "shown" | "bytes" | "coverage"> {
  if (result === null) return { matches: null, shown: null, bytes: 0, coverage: null };
  const value = (typeof result.value === "object" && result.value !== null ? result.value : {}) as {
    total?: unknown;
    shown?: unknown;
    coverage?: Coverage;
  };
  return {
    matches: typeof value.total === "number" ? value.total : null,
    shown: typeof value.shown === "number" ? value.shown : null,
    bytes: Buffer.byteLength(result.text),
    coverage: value.coverage ?? null,
  };
}
