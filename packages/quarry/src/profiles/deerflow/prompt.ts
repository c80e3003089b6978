import type { ToolKind } from "../../tools/tool.js";

/**
 * The section of the system prompt for the tools that are on. Teaches: names with glob first, contents with grep first, ranges with
 * read_file, changes with str_replace and write_file, and bash only where these do not reach.
 * @param on the tools that are on, each with the name it is served under.
 * @param bash the name of the bash tool; null where there is none.
 * @returns `""` where nothing is on.
 */
export function promptSection(
  on: readonly { readonly kind: ToolKind; readonly name: string }[],
  bash: string | null = null,
): string {
  const named = (kind: ToolKind): string | undefined => on.find((tool) => tool.kind === kind)?.name;
  const [glob, grep, ls, read, replace, write] = [
    named("glob"),
    named("grep"),
    named("ls"),
    named("read_file"),
    named("str_replace"),
    named("write_file"),
  ];
  const rules = [
    glob && `- To find files by a name pattern, use \`${glob}\` first, e.g. \`**/*.ts\` or \`src/**/test_*.py\`.`,
    grep && `- To find a symbol, a setting or a text, use \`${grep}\` first; it gives path, line number and line.`,
    ls && `- To see what is in one directory, use \`${ls}\`.`,
    read && `- To read around a place, use \`${read}\` with \`start_line\` and \`end_line\`.`,
    replace && `- To change a file, use \`${replace}\` with text copied exactly from it.`,
    write && `- To make a file, or to replace or extend a whole one, use \`${write}\`.`,
  ].filter((rule) => rule !== undefined && rule !== "");
  if (rules.length === 0) return "";
  const steps = [glob, grep, read, replace ?? write].filter((name) => name !== undefined);
  return [
    "## Files",
    "",
    ...rules,
    ...(steps.length > 1 ? [`- The usual way: ${steps.map((name) => `\`${name}\``).join(", then ")}.`] : []),
    ...(bash === null
      ? []
      : [`- Use \`${bash}\` only where these tools do not reach; never for find, grep, cat or sed.`]),
    "- Paths are absolute, as the results show them. Usual dependency, build and cache directories are left out unless they are named.",
    "- An answer that is truncated or that names something skipped did not show everything: narrow the path or the pattern.",
  ].join("\n");
}
