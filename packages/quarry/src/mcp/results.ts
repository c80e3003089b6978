import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ToolResult } from "../tools/tool.js";

/**
 * A tool's outcome for the client. Text alone by default: common clients drop the text where there is structured content,
 * and the model would not see what is incomplete.
 */
export function callResult(result: ToolResult<unknown>, structured: boolean): CallToolResult {
  return {
    content: [{ type: "text", text: result.text }],
    ...(structured ? { structuredContent: plainObject(result.value) } : {}),
    ...(result.isError ? { isError: true } : {}),
  };
}

/** What JSON can carry of a value: `undefined` members gone, nothing shared with the tool. */
function plainObject(value: unknown): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
}
