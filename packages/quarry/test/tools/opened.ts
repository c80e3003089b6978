import assert from "node:assert/strict";
import { join } from "node:path";
import { RipgrepEngine } from "#src/engines/ripgrep/engine.js";
import { resolveSettings } from "#src/config/settings.js";
import type { Settings } from "#src/config/tunables.js";
import { createWorkspace, tools, type MountOptions, type ReadValue, type ToolsOptions } from "#src/index.js";
import type { GlobValue, GrepValue, LsValue } from "#src/search/values.js";
import { grepTool } from "#src/tools/grep.js";
import type { CallOptions, ErrorValue, Tool } from "#src/tools/tool.js";
import type { Workspace } from "#src/workspace/workspace.js";
import { makeTree, type TreeSpec } from "../support/tree.js";

// Artifacts of tests stay out of the user's own cache.
export const CACHE = join(makeTree({ "cache/.keep": "" }), "cache");
process.env["QUARRY_CACHE_DIR"] = CACHE;

export interface Answer<V> {
  readonly text: string;
  readonly value: V;
  readonly complete: boolean;
  readonly empty: boolean;
}

type Arguments = Readonly<Record<string, unknown>>;

/** A workspace and its tools as a program has them. Each fails the test where the tool answers with an error. */
export interface Opened {
  readonly root: string;
  readonly workspace: Workspace;
  grep(args: Arguments, options?: CallOptions): Promise<Answer<GrepValue>>;
  glob(args: Arguments, options?: CallOptions): Promise<Answer<GlobValue>>;
  read(args: Arguments, options?: CallOptions): Promise<Answer<ReadValue>>;
  ls(args: Arguments, options?: CallOptions): Promise<Answer<LsValue>>;
  /** The error of a call that must fail. */
  error(tool: ToolName, args: unknown): Promise<ErrorValue["error"] & { readonly text: string }>;
}

export type ToolName = "grep" | "glob" | "read_file" | "ls";

/** Opens a folder that exists. */
export async function open(
  root: string,
  options: ToolsOptions & { readonly mounts?: readonly MountOptions[] } = {},
): Promise<Opened> {
  const { mounts = [{ host: root }], ...rest } = options;
  const workspace = await createWorkspace({ mounts });
  const made = tools(workspace, rest);
  const done = async <V>(tool: Tool<V>, args: Arguments, call?: CallOptions): Promise<Answer<V>> => {
    const result = await tool.call(args, call);
    assert.ok(!result.isError, `${tool.name} ${JSON.stringify(args)}: ${result.text}`);
    return result;
  };
  return {
    root,
    workspace,
    grep: (args, call) => done(made.grep, args, call),
    glob: (args, call) => done(made.glob, args, call),
    read: (args, call) => done(made.read_file, args, call),
    ls: (args, call) => done(made.ls, args, call),
    error: async (tool, args) => {
      const result = await made[tool].call(args);
      assert.ok(result.isError, `${tool} ${JSON.stringify(args)} is to fail: ${result.text}`);
      return { ...result.value.error, text: result.text };
    },
  };
}

/** Makes a tree and opens it. */
export function openTree(spec: TreeSpec, options: ToolsOptions = {}): Promise<Opened> {
  return open(makeTree(spec), options);
}

/** The grep tool over another program in ripgrep's place. */
export async function grepWith(
  root: string,
  binary: string,
  settings: Partial<Settings> = {},
): Promise<Tool<GrepValue>> {
  const engine = new RipgrepEngine({ binary });
  const workspace = await createWorkspace({ roots: [root] });
  return grepTool({
    workspace,
    settings: resolveSettings(settings),
    engine: () => Promise.resolve(engine),
    store: () => null,
    pcre2: false,
  });
}

/** `path:line:text` of each match. */
export function lines(value: GrepValue): string[] {
  return (value.matches ?? []).map((m) => `${m.path}:${m.line}:${m.text}`);
}
