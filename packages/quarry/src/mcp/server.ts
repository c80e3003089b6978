import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type CallToolResult,
  type InputRequiredResult,
} from "@modelcontextprotocol/server";
import { QuarryError } from "../errors/errors.js";
import { errorResult } from "../tools/answer.js";
import type { ArtifactResources } from "./artifacts.js";
import type { Calls } from "./calls.js";
import { ClientRoots } from "./client-roots.js";
import { definition, instructions, type Offer, type ToolDescription } from "./definitions.js";
import { progressOf } from "./progress.js";
import { callResult } from "./results.js";
import type { Workspaces } from "./workspaces.js";

/** What one connection is served from. */
export interface Connection {
  readonly version: string;
  /** By the names they are served under. */
  readonly served: ReadonlyMap<string, ToolDescription>;
  readonly offer: Offer;
  readonly workspaces: Workspaces;
  readonly calls: Calls;
  /** Of this connection; they belong to it whatever its roots are. */
  readonly artifacts: ArtifactResources;
  readonly log: (line: string) => void;
}

/**
 * The MCP server of one connection. It is the SDK's low-level `Server`: our schemas go out as they stand, and arguments are
 * checked by the tools themselves, so that every face of Quarry refuses with the same words.
 */
export function mcpServer(connection: Connection): Server {
  const { served, offer, workspaces, calls } = connection;
  const server = new Server(
    { name: "quarry", title: "Quarry", version: connection.version },
    { capabilities: { tools: {}, resources: {} }, instructions: instructions(served) },
  );
  const roots = new ClientRoots(server, connection.log);
  const definitions = [...served].map(([name, tool]) => definition(name, tool, offer.structured));

  server.setRequestHandler("tools/list", () => ({ tools: definitions }));

  server.setRequestHandler("tools/call", async (request, ctx): Promise<CallToolResult | InputRequiredResult> => {
    const { name, arguments: args } = request.params;
    const asked = served.get(name);
    if (asked === undefined) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `Unknown tool ${JSON.stringify(name)}; known are ${[...served.keys()].join(", ")}`,
      );
    }
    const { signal } = ctx.mcpReq;
    const work = async (): Promise<CallToolResult | InputRequiredResult> => {
      const found = await roots.of(ctx);
      if ("question" in found) return found.question;
      return workspaces.use(found.uris, async ({ tools }) => {
        const tool = tools.find((one) => one.name === asked.name);
        if (tool === undefined) throw new QuarryError("INTERNAL", `${asked.name} is not there`);
        return callResult(await tool.call(args, { signal, ...progressOf(ctx) }), offer.structured);
      });
    };
    try {
      return (
        (await calls.run(signal, work)) ??
        callResult(
          errorResult(new QuarryError("ABORTED", "the call was cancelled before it started")),
          offer.structured,
        )
      );
    } catch (thrown) {
      return callResult(errorResult(toQuarryError(thrown, connection.log)), offer.structured);
    }
  });

  const refuse = (thrown: unknown): never => {
    const { code, message, remedy } = toQuarryError(thrown, connection.log);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${code}: ${message}. ${remedy}`);
  };

  server.setRequestHandler("resources/list", async () => {
    const list = await connection.artifacts.list().catch(refuse);
    return { resources: list.map(({ uri, name, bytes }) => ({ uri, name, size: bytes, mimeType: "text/plain" })) };
  });

  server.setRequestHandler("resources/read", async (request) => {
    const { uri } = request.params;
    const text = await connection.artifacts.read(uri).catch(refuse);
    if (text === null) throw new ResourceNotFoundError(uri);
    return { contents: [{ uri, mimeType: "text/plain", text }] };
  });

  return server;
}

/** An error that is not ours may hold a host path: it is told without its words, and logged without them too. */
function toQuarryError(thrown: unknown, log: (line: string) => void): QuarryError {
  if (thrown instanceof QuarryError) return thrown;
  const kind = thrown instanceof Error ? thrown.name : typeof thrown;
  log(`unexpected failure: ${kind}`);
  return new QuarryError("INTERNAL", `unexpected failure (${kind})`, {}, { cause: thrown });
}
