/**
 * The same plugin for a harness that offers its bash service under the older name `ctx.bash`: a composition names
 * `dsh-tool-fs-search/bash` in place of `dsh-tool-fs-search`.
 */
import type { Context } from "@deepseek-ai/cordis";
import type { Config } from "./config.js";
import { load } from "./plugin.js";

export { Config } from "./config.js";
export { SearchError } from "./error.js";
export { name } from "./index.js";

export const inject = ["tools", "systemPrompt", "bash"];

/** @throws Error where the bash service cannot run a command, or a field of `config` is wrong. */
export async function apply(ctx: Context, config?: Config): Promise<void> {
  await load(ctx, "bash", config);
}
