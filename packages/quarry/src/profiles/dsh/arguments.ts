import { unquotable } from "../../executors/shell-quote.js";
import { GLOB, GREP, type DshDefinition } from "./definitions.js";
import { ArgumentFailure } from "./errors.js";

export interface GlobArguments {
  readonly pattern: string;
  readonly path?: string;
}

export interface GrepArguments extends GlobArguments {
  readonly include?: string;
}

/** @throws ArgumentFailure naming the argument and what is wrong with it. */
export function readGlobArguments(args: unknown): GlobArguments {
  const { pattern, path } = readStrings(GLOB, args);
  if (pattern === undefined || pattern.trim() === "")
    throw new ArgumentFailure("pattern", "pattern must be a glob that is not blank");
  if (pattern.startsWith("!")) {
    throw new ArgumentFailure(
      "pattern",
      'pattern must not begin with "!": it would list everything else; write the files that are wanted',
    );
  }
  return { pattern, ...place(path) };
}

/** @throws ArgumentFailure naming the argument and what is wrong with it. */
export function readGrepArguments(args: unknown): GrepArguments {
  const { pattern, path, include } = readStrings(GREP, args);
  if (pattern === undefined || pattern === "")
    throw new ArgumentFailure("pattern", "pattern must be a regular expression that is not empty");
  if (include !== undefined) checkInclude(include);
  return { pattern, ...place(path), ...(include === undefined ? {} : { include }) };
}

function place(path: string | undefined): { readonly path?: string } {
  if (path === undefined) return {};
  if (path.trim() === "")
    throw new ArgumentFailure("path", "path must not be blank; leave it out for the working directory");
  return { path };
}

function checkInclude(include: string): void {
  if (include.trim() === "")
    throw new ArgumentFailure("include", "include must not be blank; leave it out for all files");
  if (include.startsWith("!")) {
    throw new ArgumentFailure(
      "include",
      'include must not begin with "!": it names the files that are searched, and cannot leave files out',
    );
  }
  if (hasListComma(include)) {
    throw new ArgumentFailure(
      "include",
      "include must be one glob, not a list with commas; alternatives stand in braces: *.{ts,tsx}",
    );
  }
}

/** True where a comma stands outside braces and brackets and is not escaped. */
function hasListComma(glob: string): boolean {
  let braces = 0;
  let inClass = false;
  for (let at = 0; at < glob.length; at++) {
    const c = glob[at];
    if (c === "\\") at += 1;
    else if (inClass) inClass = c !== "]";
    else if (c === "[") inClass = glob.includes("]", at + 2);
    else if (c === "{") braces += 1;
    else if (c === "}") braces = Math.max(0, braces - 1);
    else if (c === "," && braces === 0) return true;
  }
  return false;
}

/** The arguments by name, all of them strings that a command line can carry. */
function readStrings(tool: DshDefinition, args: unknown): Partial<Record<string, string>> {
  if (typeof args !== "object" || args === null || Array.isArray(args)) {
    throw new ArgumentFailure(
      "arguments",
      `arguments must be an object with ${Object.keys(tool.parameters).join(", ")}`,
    );
  }
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(args)) {
    if (!Object.hasOwn(tool.parameters, name)) {
      throw new ArgumentFailure(
        name,
        `${tool.name} has no argument ${JSON.stringify(name)}; it takes ${Object.keys(tool.parameters).join(", ")}`,
      );
    }
    if (value === undefined) continue;
    if (typeof value !== "string") throw new ArgumentFailure(name, `${name} must be a string`);
    const problem = unquotable(value);
    if (problem !== null) throw new ArgumentFailure(name, `${name} ${problem}`);
    values[name] = value;
  }
  return values;
}
