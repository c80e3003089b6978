import assert from "node:assert/strict";
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { PACKAGE } from "./tour.js";
import { makeTree } from "./tree.js";
import type { ScriptedOptions } from "./scripted-mcp-server.js";
import { FULL } from "./cases.js";

/** How a server process is started. */
export interface ServerProcess {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Artifacts and locks of the servers that tests start stay out of the user's own cache. */
const CACHE = makeTree({ "cache/.keep": "" });

/** `quarry mcp ...` as a user's client starts it. */
export function quarryServer(args: readonly string[]): ServerProcess {
  return { args: [join(PACKAGE, "bin/quarry.js"), "mcp", ...args], env: { QUARRY_CACHE_DIR: join(CACHE, "cache") } };
}

/** The server of scripted tools. */
export function scriptedServer(options: ScriptedOptions = {}): ServerProcess {
  return { args: [join(PACKAGE, "dist-test/support/scripted-mcp-server.js"), JSON.stringify(options)] };
}

/** The SDK's v1 client; its v2 client as it is by default (the protocol before 2026-07-28); and that one on 2026-07-28. */
export type ClientKind = "v1" | "v2" | "v2-modern";
/** Those that a run asks: all in a full one. */
export const CLIENTS: readonly ClientKind[] = FULL ? ["v1", "v2", "v2-modern"] : ["v1"];

/** What a test sees of a call's result. */
export interface Called {
  readonly text: string;
  readonly isError: boolean;
  readonly structured: unknown;
}

/** The part of the SDK's clients that tests use; the same for each kind. */
export interface TestClient {
  readonly pid: number;
  /** What the server wrote to stderr so far. */
  stderr(): string;
  call(
    name: string,
    args?: Record<string, unknown>,
    options?: { signal?: AbortSignal; onprogress?: (p: { progress: number; message?: string | undefined }) => void },
  ): Promise<Called>;
  tools(): Promise<readonly { readonly name: string; readonly [key: string]: unknown }[]>;
  instructions(): string | undefined;
  resources(): Promise<readonly { readonly uri: string; readonly name: string; readonly size?: number | undefined }[]>;
  read(uri: string): Promise<string>;
  /** Changes the roots and says so. */
  setRoots(uris: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Connects to a fresh process. @param roots root URIs that the client offers; undefined offers none. */
export async function connect(kind: ClientKind, server: ServerProcess, roots?: readonly string[]): Promise<TestClient> {
  const offered = { uris: roots ?? [] };
  const parameters = {
    command: process.execPath,
    args: [...server.args],
    stderr: "pipe" as const,
    ...(server.env === undefined ? {} : { env: { ...server.env } }),
  };
  const capabilities = roots === undefined ? {} : { roots: { listChanged: true } };
  const list = (): { roots: { uri: string }[] } => ({ roots: offered.uris.map((uri) => ({ uri })) });
  const info = { name: "test", version: "1.0.0" };
  if (kind === "v1") {
    const client = new ClientV1(info, { capabilities });
    if (roots !== undefined) client.setRequestHandler(ListRootsRequestSchema, list);
    const transport = new StdioV1(parameters);
    return testClient(client, transport, offered);
  }
  const client = new ClientV2(info, {
    capabilities,
    ...(kind === "v2-modern" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {}),
  });
  if (roots !== undefined) client.setRequestHandler("roots/list", list);
  return testClient(client, new StdioV2(parameters), offered, kind === "v2-modern");
}

async function testClient(
  client: ClientV1 | ClientV2,
  transport: StdioV1 | StdioV2,
  offered: { uris: readonly string[] },
  modern = false,
): Promise<TestClient> {
  let stderr = "";
  transport.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString("utf8");
  });
  if (client instanceof ClientV1) await client.connect(transport as StdioV1);
  else await client.connect(transport as StdioV2);
  const pid = transport.pid;
  assert.ok(pid !== null);
  return {
    pid,
    stderr: () => stderr,
    call: async (name, args, options = {}) => {
      const params = { name, ...(args === undefined ? {} : { arguments: args }) };
      const result =
        client instanceof ClientV1
          ? await client.callTool(params, undefined, options)
          : await client.callTool(params, options);
      const content = result.content as readonly { type: string; text?: string }[];
      assert.deepEqual(
        content.map((c) => c.type),
        ["text"],
      );
      return { text: content[0]?.text ?? "", isError: result.isError === true, structured: result.structuredContent };
    },
    tools: async () => (await client.listTools()).tools,
    instructions: () => client.getInstructions(),
    resources: async () => (await client.listResources()).resources,
    read: async (uri) => {
      const { contents } = await client.readResource({ uri });
      assert.equal(contents.length, 1);
      return (contents[0] as { text: string }).text;
    },
    setRoots: async (uris) => {
      offered.uris = uris;
      if (!modern) await client.sendRootsListChanged();
    },
    close: () => client.close(),
  };
}

export interface RawMessage {
  readonly jsonrpc: string;
  readonly id?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
  readonly result?: Readonly<Record<string, unknown>>;
}

/** Raw lines against a server process. */
export class RawServer {
  readonly child: ChildProcessWithoutNullStreams;
  readonly lines: string[] = [];
  #rest = "";
  #wake: () => void = () => undefined;

  constructor(server: ServerProcess) {
    this.child = spawn(process.execPath, server.args, { stdio: "pipe", env: { ...process.env, ...server.env } });
    this.child.stdin.on("error", () => undefined);
    this.child.stdout.on("data", (chunk: Buffer) => {
      const parts = (this.#rest + chunk.toString("utf8")).split("\n");
      this.#rest = parts.pop() as string;
      this.lines.push(...parts);
      this.#wake();
    });
  }

  send(line: string | object): void {
    this.child.stdin.write(`${typeof line === "string" ? line : JSON.stringify({ jsonrpc: "2.0", ...line })}\n`);
  }

  /** The first message that fits, once it is there. Every line must be a message. */
  async message(fits: (message: RawMessage) => boolean): Promise<RawMessage> {
    for (const end = Date.now() + 10_000; Date.now() < end;) {
      const found = this.messages().find(fits);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        setTimeout(resolve, 200);
      });
    }
    throw new Error(`no such message among ${this.lines.length}`);
  }

  messages(): RawMessage[] {
    return this.lines.map((line) => {
      const message = JSON.parse(line) as RawMessage;
      assert.equal(message.jsonrpc, "2.0");
      return message;
    });
  }

  async initialize(capabilities: object = {}): Promise<void> {
    this.send({
      id: "init",
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities, clientInfo: { name: "raw", version: "1" } },
    });
    await this.message((m) => m.id === "init");
    this.send({ method: "notifications/initialized" });
  }

  /** Exit code, once it has ended. */
  async ended(): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode;
    return new Promise((resolve) => this.child.once("exit", (code) => resolve(code)));
  }
}

/** Live processes below `pid`, itself not included (Linux). */
export function descendants(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readStat(Number(name));
    if (stat !== null && stat.state !== "Z") parents.set(Number(name), stat.parent);
  }
  const found: number[] = [];
  const below = (one: number): void => {
    for (const [child, parent] of parents) {
      if (parent !== one) continue;
      found.push(child);
      below(child);
    }
  };
  below(pid);
  return found;
}

export function isAlive(pid: number): boolean {
  const stat = readStat(pid);
  return stat !== null && stat.state !== "Z";
}

/** Waits until it holds, at most `ms`. */
export async function eventually(holds: () => boolean, ms: number, what: string): Promise<void> {
  for (const end = Date.now() + ms; !holds();) {
    if (Date.now() > end) assert.fail(`not within ${ms} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function readStat(pid: number): { readonly state: string; readonly parent: number } | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return null;
  }
  const [state, parent] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { state: state ?? "", parent: Number(parent) };
}
