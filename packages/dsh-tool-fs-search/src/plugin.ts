import type { Context } from "@deepseek-ai/cordis";
import { GLOB, GREP, probe, type BashExecutor, type DshDefinition } from "quarry/dsh";
import { readConfig, type Config } from "./config.js";
import { globTool, grepTool } from "./tools.js";
// The service that this brings into `Context`.
import type {} from "@deepseek-ai/dsh-system-prompt";

/** The names under which harnesses have offered the bash service. */
export type BashServiceName = "shell" | "bash";

/**
 * Loads the plugin over the bash service of this name: both tools and their prompt sections where that bash finds ripgrep,
 * one warning and nothing else where it does not.
 * @throws Error where the service cannot run a command, and for a wrong `Config`.
 */
export async function load(ctx: Context, service: BashServiceName, config: Config | undefined): Promise<void> {
  const settings = readConfig(config);
  // Asked for by name: a harness has one of the two, and its types know only that one.
  const executor = ctx.get(service as string) as BashExecutor;
  if (!(await probe(executor))) {
    ctx.logger.warn("tool-fs-search: the shell finds no ripgrep (rg), so glob and grep are not offered");
    return;
  }
  const rooms = { executor, settings };
  ctx.tools.register(globTool(ctx, rooms));
  ctx.tools.register(grepTool(ctx, rooms));
  for (const { prompt } of [GLOB, GREP] satisfies readonly DshDefinition[]) ctx.systemPrompt.section(prompt);
}
