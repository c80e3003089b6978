import type { Readable, Writable } from "node:stream";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { ArtifactResources } from "./artifacts.js";
import { Calls } from "./calls.js";
import { offered, type Offer, type ToolDescription } from "./definitions.js";
import { onClientGone } from "./lifetime.js";
import { mcpServer } from "./server.js";
import { StdioWire } from "./wire.js";
import { Workspaces, type WorkspaceSource } from "./workspaces.js";

/** Time that running calls have to end what they started, once the client is gone. In milliseconds. */
const END_MS = 1_000;

/** A server on stdio. */
export interface StdioServer extends WorkspaceSource {
  readonly version: string;
  /** What there is to serve; needs no workspace, since a client lists tools before it tells its roots. */
  readonly describe: readonly ToolDescription[];
  readonly offer: Offer;
  readonly artifacts: ArtifactResources;
  /** Tool calls that run at once; others wait. */
  readonly callsAtOnce: number;
  readonly input: Readable;
  readonly output: Writable;
}

/**
 * Serves one client until it is gone (end of stdin, closed stdout, SIGTERM, SIGINT, SIGHUP, death of the parent), ends what
 * its calls started, and returns.
 * @throws QuarryError INVALID_ARGUMENT for a choice of tools or a prefix that cannot be served.
 */
export async function serveClient(options: StdioServer): Promise<void> {
  const served = offered(options.describe, options.offer);
  const workspaces = new Workspaces(options);
  const calls = new Calls(options.callsAtOnce);
  const wire = new StdioWire(options.input, options.output);
  const { version, offer, artifacts, log } = options;
  await new Promise<void>((resolve) => {
    let ended = false;
    const handle = serveStdio(() => mcpServer({ version, served, offer, workspaces, calls, artifacts, log }), {
      transport: wire,
      onerror: (error) => {
        if (!ended) log(firstLine(error.message));
      },
    });
    const end = (): void => {
      if (ended) return;
      ended = true;
      stopWatching();
      void handle.close().finally(resolve);
    };
    const stopWatching = onClientGone(end);
    const onclose = wire.onclose;
    wire.onclose = () => {
      onclose?.();
      end();
    };
  });
  await calls.settled(END_MS);
  await workspaces.close();
}

function firstLine(text: string): string {
  const line = text.split("\n", 1)[0] as string;
  return line.length > 200 ? `${line.slice(0, 200)}...` : line;
}
