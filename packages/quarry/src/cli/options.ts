import { Option, type Command } from "commander";
import { z } from "zod";
import { QuarryError } from "../errors/errors.js";

/** `max_results` on the command line is `--max-results`. */
export function flagName(argument: string): string {
  return `--${argument.replaceAll("_", "-")}`;
}

/**
 * Adds one option for every argument of a tool, but those that stand as words of their own (`positional`). Names, help and
 * choices come from the tool's schema; values are checked by the tool itself, so that every face says the same.
 */
export function addToolOptions(command: Command, schema: z.ZodObject, positional: readonly string[]): Command {
  const properties = z.toJSONSchema(schema, { io: "input" }).properties ?? {};
  for (const [name, property] of Object.entries(properties)) {
    if (positional.includes(name) || typeof property !== "object") continue;
    const flag =
      property.type === "boolean"
        ? flagName(name)
        : `${flagName(name)} <${property.type === "integer" ? "n" : "value"}>`;
    const option = new Option(flag, property.description ?? "");
    if (property.type === "integer") option.argParser(wholeNumber);
    if (property.enum !== undefined) option.choices(property.enum.map(String));
    command.addOption(option);
  }
  return command;
}

/** The options that were given, under the tool's own argument names. */
export function toolArguments(
  schema: z.ZodObject,
  options: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const args: Record<string, unknown> = {};
  for (const name of Object.keys(schema.shape)) {
    const value = options[name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())];
    if (value !== undefined) args[name] = value;
  }
  return args;
}

/** A number where it is one; anything else goes on as text, for the tool to refuse by its name. */
function wholeNumber(text: string): number | string {
  return /^-?\d+$/.test(text) ? Number(text) : text;
}

/**
 * A time span to milliseconds: `250ms`, `10s`, `2m`; a bare number is seconds.
 * @throws QuarryError INVALID_ARGUMENT
 */
export function milliseconds(text: string): number {
  const found = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(text);
  if (found === null) {
    throw new QuarryError(
      "INVALID_ARGUMENT",
      `--timeout must be a time span such as 250ms, 10s or 2m, not ${JSON.stringify(text)}`,
      {
        argument: "timeout",
      },
    );
  }
  const unit = found[2] === "ms" ? 1 : found[2] === "m" ? 60_000 : 1_000;
  return Math.round(Number(found[1]) * unit);
}
