import type { ServerContext } from "@modelcontextprotocol/server";
import type { CallOptions } from "../tools/tool.js";

const EVERY_MS = 250;

/**
 * Tells a client that asked for it how far a call is, at most four times a second, and only while it moves on: MCP wants
 * `progress` to grow from one notification to the next.
 */
export function progressOf(
  ctx: ServerContext,
  now: () => number = () => performance.now(),
): Pick<CallOptions, "onProgress"> {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return {};
  let told = 0;
  let next = now();
  return {
    onProgress: ({ files, matches }) => {
      const progress = files + matches;
      if (ctx.mcpReq.signal.aborted || progress <= told || now() < next) return;
      told = progress;
      next = now() + EVERY_MS;
      // A client that has gone is told by the wire, once.
      ctx.mcpReq
        .notify({
          method: "notifications/progress",
          params: { progressToken, progress, message: `${files} files, ${matches} matches` },
        })
        .catch(() => undefined);
    },
  };
}
