/**
 * An MCP server over tools with scripted behaviour, for what a real search cannot show on demand. Run as a process:
 * `node scripted-mcp-server.js '<JSON of ScriptedOptions>'`.
 */
import { spawn } from "node:child_process";
import { pathToFileURL } from "node:url";
import { QuarryError } from "#src/errors/errors.js";
import { artifactUri } from "#src/mcp/artifacts.js";
import { serveClient } from "#src/mcp/serve.js";
import { takeStdout } from "#src/mcp/stdout-guard.js";
import { errorResult } from "#src/tools/answer.js";
import type { Tool, ToolKind, ToolResult } from "#src/tools/tool.js";

export interface ScriptedOptions {
  readonly roots?: readonly string[];
  /** Stands for the folder the server was started in; null refuses, as a home folder does. */
  readonly cwd?: string | null;
  readonly callsAtOnce?: number;
  readonly structured?: boolean;
  readonly prefix?: string;
  readonly only?: readonly string[];
}

/** Lets a call last until its signal. */
const untilAborted = (signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted === true) resolve();
    signal?.addEventListener("abort", () => resolve(), { once: true });
  });

const answered = (text: string): ToolResult<unknown> => ({
  isError: false,
  text,
  value: { notes: [text] },
  complete: true,
  empty: false,
});

function tool(name: string, kind: ToolKind, call: Tool["call"]): Tool {
  const inputSchema = { type: "object", properties: { text: { type: "string" } } };
  return {
    kind,
    name,
    title: `Scripted ${name}`,
    description: `Does what ${name} does.`,
    inputSchema,
    readOnly: true,
    call,
  };
}

function scripted(folders: readonly string[]): Tool[] {
  return [
    tool("folders", "ls", async () => answered(JSON.stringify(folders))),
    tool("echo", "read_file", async (args) => answered(JSON.stringify(args ?? null))),
    tool("noisy", "glob", async () => {
      console.log("console.log from a tool");
      process.stdout.write("stdout.write from a tool\n");
      return answered("said nothing");
    }),
    tool("refuses", "grep", async () => errorResult(new QuarryError("NOT_FOUND", "no such thing"))),
    tool("throws", "grep", async () => {
      throw new Error("a defect in /secret/host/path");
    }),
    tool("counts", "grep", async (_args, options) => {
      for (let files = 1; files <= 40; files++) {
        options?.onProgress?.({ files, matches: 0 });
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return answered("counted");
    }),
    // Starts a process as an engine does, and ends it when the call is ended.
    tool("spawns", "grep", async (_args, options) => {
      const child = spawn("sleep", ["300"], { stdio: "ignore" });
      process.stderr.write(`child ${child.pid}\n`);
      await untilAborted(options?.signal);
      child.kill("SIGKILL");
      return answered("ended");
    }),
  ];
}

async function main(options: ScriptedOptions): Promise<void> {
  const output = takeStdout();
  console.log("printed at start");
  await serveClient({
    version: "0.0.0",
    describe: scripted([]),
    roots: options.roots ?? [],
    fallback: () => {
      if (options.cwd === null || options.cwd === undefined)
        throw new QuarryError("INVALID_ARGUMENT", "this is a home folder");
      return [options.cwd];
    },
    open: async (folders) => ({
      tools: scripted(folders),
    }),
    artifacts: {
      list: async () => [{ uri: artifactUri("@artifacts/ab.txt"), name: "@artifacts/ab.txt", bytes: 6 }],
      read: async (uri) => (uri === artifactUri("@artifacts/ab.txt") ? "whole\n" : null),
    },
    log: (line) => process.stderr.write(`${line}\n`),
    offer: {
      prefix: options.prefix ?? "",
      structured: options.structured ?? false,
      ...(options.only === undefined ? {} : { only: options.only }),
    },
    callsAtOnce: options.callsAtOnce ?? 8,
    input: process.stdin,
    output,
  });
  process.exit(0);
}

const argument = process.argv[2];
if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href && argument !== undefined)
  await main(JSON.parse(argument) as ScriptedOptions);
