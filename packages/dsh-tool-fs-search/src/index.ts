/**
 * A plugin of DeepSeek Harness: the tools `glob` and `grep` over the harness' bash service, with the ripgrep that its shell finds.
 *
 * This module is a namespace plugin: the Loader reads `name`, `inject`, `Config` and `apply` from it, and there is no default
 * export, which would hide them. The fields of `Config` and the codes of `SearchError` are described in the README.
 */
import type { Context } from "@deepseek-ai/cordis";
import type { Config } from "./config.js";
import { load } from "./plugin.js";

export { Config } from "./config.js";
export { SearchError } from "./error.js";

export const name = "tool-fs-search";

/** `spillStore` is not among them: it is asked for when a result is saved, and need not be there. */
export const inject = ["tools", "systemPrompt", "shell"];

/**
 * Async by declaration: Cordis would call a plain function with `new` and not wait for what it returns.
 * @throws Error where the bash service cannot run a command, or a field of `config` is wrong.
 */
export async function apply(ctx: Context, config?: Config): Promise<void> {
  await load(ctx, "shell", config);
}
