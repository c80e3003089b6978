import { LocalSandbox, type LocalSandboxOptions } from "#src/tools/local-sandbox.js";
import { deerflowTools, type DeerflowToolsOptions } from "#src/tools/deerflow.js";
import type { Sandbox } from "#src/sandbox/sandbox.js";
import type { EngineChoice } from "#src/tools/registry.js";
import type { CallOptions, ToolKind, ToolResult } from "#src/tools/tool.js";
import { Workspace, type MountOptions } from "#src/workspace/workspace.js";
import { makeTree, type TreeSpec } from "../support/tree.js";

/** Where the tests' folder is shown. */
export const ROOT = "/mnt/user-data/workspace";

/** The tools of the profile over a folder of the system's temporary folder. */
export interface Place {
  readonly root: string;
  readonly workspace: Workspace;
  readonly sandbox: Sandbox;
  /** The whole result of one call. */
  readonly call: (tool: ToolKind, args: unknown, options?: CallOptions) => Promise<ToolResult<unknown>>;
  /** Its text alone. */
  readonly text: (tool: ToolKind, args: Readonly<Record<string, unknown>>) => Promise<string>;
}

export async function place(
  tree: TreeSpec,
  options: LocalSandboxOptions & Omit<DeerflowToolsOptions, "sandbox"> & Partial<MountOptions> = {},
): Promise<Place> {
  const root = makeTree(tree);
  const { settings, engine, write, maxResults, ...mount } = options;
  const workspace = await Workspace.open({
    mounts: [{ host: root, name: ROOT.slice(1), access: write === true ? "write" : "read", ...mount }],
  });
  const sandbox = new LocalSandbox(workspace, {
    ...(settings === undefined ? {} : { settings }),
    ...(engine === undefined ? {} : { engine }),
  });
  const more = { ...(write === undefined ? {} : { write }), ...(maxResults === undefined ? {} : { maxResults }) };
  return { root, workspace, sandbox, ...callers(sandbox, more) };
}

/** One folder, searched by each of these engines. */
export async function engines(
  tree: TreeSpec,
): Promise<readonly { readonly engine: EngineChoice; readonly sandbox: Sandbox; readonly text: Place["text"] }[]> {
  const { workspace } = await place(tree);
  return ENGINES.map((engine) => {
    const sandbox = new LocalSandbox(workspace, { engine });
    return { engine, sandbox, text: callers(sandbox).text };
  });
}

const ENGINES: readonly EngineChoice[] = ["auto", "ripgrep", "kernel", "wasm"];

/** The two ways to call the tools over any sandbox. */
export function callers(
  sandbox: Sandbox,
  options: Omit<DeerflowToolsOptions, "sandbox"> = {},
): Pick<Place, "call" | "text"> {
  const tools = new Map(deerflowTools({ sandbox, ...options }).map((tool) => [tool.kind, tool]));
  const call: Place["call"] = (kind, args, callOptions) => {
    const tool = tools.get(kind);
    if (tool === undefined) throw new Error(`${kind} is not on`);
    return tool.call(args, callOptions);
  };
  return { call, text: async (kind, args) => (await call(kind, args)).text };
}
