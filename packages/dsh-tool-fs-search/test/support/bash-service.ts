import type { Context } from "@deepseek-ai/cordis";

/** Offers the composition's bash under the name that older harnesses gave it. */
export const name = "bash-service";
export const inject = ["shell"];

export const apply = (ctx: Context): void => {
  ctx.provide("bash", ctx.shell);
};
