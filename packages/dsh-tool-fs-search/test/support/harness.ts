import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import { Context, type Message } from "@deepseek-ai/cordis";
import Loader, { type Entry } from "@deepseek-ai/cordis-plugin-loader";
import { SESSION_FORMAT_VERSION, Session, type SessionId } from "@deepseek-ai/dsh-session";
import type { ToolExecutionInput, ToolExecutionResult } from "@deepseek-ai/dsh-tools";
import type {} from "@deepseek-ai/dsh-system-prompt";
import { stringify } from "yaml";

/** One row of a composition. */
export interface Row {
  readonly id: string;
  readonly name: string;
  readonly config?: Readonly<Record<string, unknown>>;
}

/** The rows that every composition here has: the real registry, prompt, processes and time limits. */
export const BASE: readonly Row[] = [
  { id: "system-prompt", name: "@deepseek-ai/dsh-system-prompt" },
  { id: "tools", name: "@deepseek-ai/dsh-tools" },
  { id: "subprocess", name: "@deepseek-ai/dsh-subprocess-local" },
  { id: "timeouts", name: "@deepseek-ai/dsh-tool-call-timeout-policy" },
];
export const BASH: Row = { id: "bash", name: "@deepseek-ai/dsh-bash-local" };

/** The plugin under test. */
export function search(config: Readonly<Record<string, number | string>> = {}, name = "dsh-tool-fs-search"): Row {
  return { id: "search", name, config };
}

/** A spill backend that keeps its files below `root`. */
export function spill(root: string): Row {
  return { id: "spill", name: "@deepseek-ai/dsh-spill-local", config: { root } };
}

/** A composition that is running. */
export class Harness {
  readonly ctx: Context;
  readonly #log: readonly Message[];

  constructor(ctx: Context, log: readonly Message[]) {
    this.ctx = ctx;
    this.#log = log;
  }

  /** The loaded row of this id. */
  entry(id: string): Entry {
    for (const entry of this.ctx.loader.entries()) if (entry.options.id === id) return entry;
    throw new Error(`the composition has no row ${id}`);
  }

  /** What was logged at this level or above by anybody, one text a message. */
  logged(type: "warn" | "error"): string[] {
    return this.#log.filter((message) => message.type === type).map((message) => message.args.map(String).join(" "));
  }

  toolNames(): string[] {
    return this.ctx.tools.schemas().map((schema) => schema.name);
  }

  async promptSections(): Promise<string[]> {
    const { sections } = await this.ctx.systemPrompt.assemble({});
    return sections.map((section) => section.name).filter((name) => name.startsWith("tool:"));
  }

  /** Calls a tool through the registry, as the agent loop does. */
  call(
    name: string,
    args: unknown,
    options: Partial<Pick<ToolExecutionInput, "agent" | "signal" | "callId">> = {},
  ): Promise<ToolExecutionResult> {
    const signal = new AbortController().signal;
    return this.ctx.tools.execute({
      callId: "call-1" as ToolExecutionInput["callId"],
      name,
      arguments: args,
      signal,
      ...options,
    });
  }

  /** The text that the model reads. */
  async text(name: string, args: unknown, options: Parameters<Harness["call"]>[2] = {}): Promise<string> {
    return textOf(await this.call(name, args, options));
  }
}

/** The one text block of a result. */
export function textOf(result: ToolExecutionResult): string {
  const [block, ...more] = result.content;
  if (block?.type !== "text" || more.length > 0)
    throw new Error(`not one text block: ${JSON.stringify(result.content)}`);
  return block.text;
}

/** An agent whose session is real; nothing else of an agent is looked at by a tool. */
export function agentIn(cwd: string | undefined, id = "session-1"): NonNullable<ToolExecutionInput["agent"]> {
  const header = {
    version: SESSION_FORMAT_VERSION,
    id: id as SessionId,
    createdAt: 0,
    ...(cwd === undefined ? {} : { cwd }),
  };
  return { session: Session.create(id as SessionId, undefined, header) } as unknown as NonNullable<
    ToolExecutionInput["agent"]
  >;
}

/** Loads a composition file with the real Loader; it is disposed after the test. */
export async function loadFile(t: Pick<TestContext, "after">, file: string): Promise<Harness> {
  const ctx = new Context();
  ctx.baseUrl = pathToFileURL(file).href;
  const log: Message[] = [];
  ctx.logger.exporter({ levels: { default: 3 }, export: (message) => void log.push(message) });
  await ctx.plugin(Loader);
  t.after(() => ctx.fiber.dispose());
  await ctx.loader.create({ name: "@deepseek-ai/cordis-plugin-include", config: { path: file } });
  await ctx.loader.await();
  return new Harness(ctx, log);
}

/** Writes rows to a composition file and loads it. */
export async function loadRows(t: TestContext, rows: readonly Row[]): Promise<Harness> {
  const file = join(folder(), "cordis.yml");
  writeFileSync(file, stringify(rows));
  return loadFile(t, file);
}

/** An empty folder; the test runner removes it. */
export function folder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "dsh-")));
}

/** Cordis' states of a plugin. Its own `FiberState` is a const enum, which compiled modules cannot import. */
export const STATE = { PENDING: 0, LOADING: 1, ACTIVE: 2, FAILED: 3 } as const;
