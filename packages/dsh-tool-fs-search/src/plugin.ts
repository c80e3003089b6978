import type { Context } from "@deepseek-ai/cordis";
import {
  GLOB,
  GREP,
  anyPlace,
  bashFinder,
  inProcessFinder,
  probe,
  type BashExecutor,
  type DshDefinition,
  type DshEngine,
  type Finder,
} from "quarry/dsh";
import { readConfig, type Config } from "./config.js";
import { globTool, grepTool } from "./tools.js";
// The service that this brings into `Context`.
import type {} from "@deepseek-ai/dsh-system-prompt";

/** The names under which harnesses have offered the bash service. */
export type BashServiceName = "shell" | "bash";

/**
 * Loads the plugin over the bash service of this name: both tools and their prompt sections where somebody can find, one warning and
 * nothing else where the bash that is to find has no ripgrep.
 * @throws Error where the bash that is to find cannot run a command, and for a wrong `Config`.
 */
export async function load(ctx: Context, service: BashServiceName, config: Config | undefined): Promise<void> {
  const { engine, settings } = readConfig(config);
  // Asked for by name: a harness has one of the two, and its types know only that one.
  const finder = await finderOf(engine, ctx.get(service as string) as BashExecutor);
  if (finder === null) {
    ctx.logger.warn("tool-fs-search: the shell finds no ripgrep (rg), so glob and grep are not offered");
    return;
  }
  const rooms = { finder, settings };
  ctx.tools.register(globTool(ctx, rooms));
  ctx.tools.register(grepTool(ctx, rooms));
  for (const { prompt } of [GLOB, GREP] satisfies readonly DshDefinition[]) ctx.systemPrompt.section(prompt);
}

/** Null where the bash that is to find has no ripgrep. In process nothing is run: bash only says where a call is made. */
async function finderOf(engine: DshEngine, executor: BashExecutor): Promise<Finder | null> {
  if (engine === "auto") return inProcessFinder(anyPlace(executor));
  return (await probe(executor)) ? bashFinder(executor) : null;
}
