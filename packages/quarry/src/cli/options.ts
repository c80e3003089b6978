import { Option, type Command } from "commander";
import { QuarryError } from "../errors/errors.js";
import type { ObjectSchema } from "../tools/declaration.js";

/** `max_results` on the command line is `--max-results`. */
export function flagName(argument: string): string {
  return `--${argument.replaceAll("_", "-")}`;
}

/**
 * Adds one option for every argument of a tool, but those that stand as words of their own (`positional`). Names, help and
 * choices come from the tool's schema; values are checked by the tool itself, so that every face says the same.
 */
export function addToolOptions(command: Command, schema: ObjectSchema, positional: readonly string[]): Command {
  for (const [name, property] of Object.entries(schema.properties)) {
    if (positional.includes(name)) continue;
    const type = "type" in property ? property.type : null;
    const flag = type === "boolean" ? flagName(name) : `${flagName(name)} <${type === "integer" ? "n" : "value"}>`;
    const option = new Option(flag, property.description ?? "");
    if (type === "integer") option.argParser(wholeNumber);
    if ("enum" in property && property.enum !== undefined) option.choices(property.enum);
    command.addOption(option);
  }
  return command;
}

/** The options that were given, under the tool's own argument names. */
export function toolArguments(
  schema: ObjectSchema,
  options: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const args: Record<string, unknown> = {};
  for (const name of Object.keys(schema.properties)) {
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
