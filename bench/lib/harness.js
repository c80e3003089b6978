// @ts-check
/** The harness with one of the two search plugins, in this process. */
import { dirname } from "node:path";
import { ripgrep } from "./places.js";

/** @typedef {"published" | "quarry"} PluginName */
/** @typedef {{ tool: "glob" | "grep", args: Record<string, string> }} HarnessQuestion */

/**
 * @param {PluginName} name
 * @param {string} root
 * @returns {Promise<(question: HarnessQuestion, signal: AbortSignal) => Promise<number>>} Asks, and says how much was found.
 */
export async function loadHarness(name, root) {
  const rg = dirname(await ripgrep());
  if (!(process.env["PATH"] ?? "").startsWith(`${rg}:`)) process.env["PATH"] = `${rg}:${process.env["PATH"] ?? ""}`;
  const { Context } = await import("@deepseek-ai/cordis");
  /** @param {string} specifier */
  const plugin = async (specifier) => {
    const exports = await import(specifier);
    return exports.default ?? exports;
  };
  const ctx = new Context();
  await ctx.plugin(await plugin("@deepseek-ai/dsh-system-prompt"));
  await ctx.plugin(await plugin("@deepseek-ai/dsh-tools"));
  await ctx.plugin(await plugin("@deepseek-ai/dsh-subprocess-local"));
  await ctx.plugin(await plugin("@deepseek-ai/dsh-bash-local"), { cwd: root });
  if (name === "quarry") await ctx.plugin(await plugin("dsh-tool-fs-search"));
  else await ctx.plugin(await plugin("@deepseek-ai/dsh-tool-fs-search"), { sampleOverCapGlobResults: false });
  const agent = { session: { header: { cwd: root } } };
  return async ({ tool, args }, signal) => {
    const call = { callId: "bench", name: tool, arguments: args, signal, agent };
    const result = await /** @type {any} */ (ctx).tools.execute(call);
    if (result.isError) throw new Error(result.content[0].text);
    return (result.value.paths ?? result.value.matches).length;
  };
}
