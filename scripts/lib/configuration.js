// @ts-check
/** The two documents of `quarry.yaml`, made from its schema. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./tree.js";

/** @typedef {{ type?: string, properties?: Record<string, Schema>, items?: Schema, required?: string[], description?: string, default?: unknown, enum?: unknown[], minimum?: number, maximum?: number, examples?: unknown[] }} Schema */

/** @returns {Promise<string>} JSON Schema 2020-12, for editors. */
export async function configurationSchema() {
  return `${JSON.stringify(await schema(), null, 2)}\n`;
}

/** @returns {Promise<string>} `docs/configuration.md` without its notice. */
export async function configurationPage() {
  const { describe } = await product("config/explain.js");
  const { PROFILE_TOOLS } = await product("config/choices.js");
  const rows = keysOf(await schema(), "", describe);
  const uses = Object.entries(PROFILE_TOOLS).map(
    ([profile, kinds]) =>
      `- \`quarry/${profile}:\` with ${kinds.map((/** @type {string} */ k) => `\`${k}\``).join(", ")}`,
  );
  const example = readFileSync(join(ROOT, "quarry.example.yaml"), "utf8");
  return `# Configuration: quarry.yaml

One file says what a caller may see and do. \`quarry <command> --config quarry.yaml\` and \`quarry mcp --config quarry.yaml\` work
from it; \`--thread ID\` names the thread whose folders are shown, and \`--groups\` gives a caller fewer of the groups that are on.
Unknown keys, wrong values and folders that do not exist are refused, all at once, each with its line and what is accepted.
[quarry.schema.json](quarry.schema.json) tells editors the same.

${table(["Key", "Accepted", "Default", "What it is"], rows)}

The keys of \`limits\` are the names of [settings.md](settings.md), with its bounds.

## Places

Paths in calls and answers are virtual. The innermost mount decides what a path means; what a mount covers in the folder around it is
not seen. A search from the outer folder covers the mounts in it, and globs are relative to the folder that was asked for (in the
profile \`dsh\`, globs with \`/\` are relative to each mount). Denied paths are refused and counted, never named; disabled folders are
refused as such, left out of every search, and counted. Where a mount lies around the folder of all threads, that folder is denied in
it. A thread's id is 1 to 128 letters, digits, \`-\` and \`_\`; its folders are made with mode 0700, and no link on the way is followed.

## Tools

Quarry's own tools are named by profile and tool:

${uses.join("\n")}

Anything else in \`use\` is a module of the operator's: a path that begins with \`./\` or \`../\` starts at the configuration file, another
name is a package that is found from there. Its export is a \`Tool\` or a function that makes one from a \`ToolContext\` (\`workspace\`,
\`settings\`, \`name\`, \`group\`, \`maxResults\`, \`options\`); types are exported from \`quarry\`. It runs with all that this process
may do: it is the operator's code. Host folders of the mounts are masked in what it answers.

A tool that changes files is offered where its group is on and a mount is read-write.

## The file

YAML 1.2, UTF-8, at most 64 KiB, one document; anchors, aliases, tags and directives are refused, and so is nesting over 16 levels.

\`\`\`yaml
${example}\`\`\`
`;
}

/** @returns {Promise<Schema>} */
async function schema() {
  const { configJsonSchema } = await product("config/schema.js");
  return configJsonSchema();
}

/**
 * @param {Schema} of
 * @param {string} prefix
 * @param {(schema: Schema) => string} describe
 * @returns {string[][]}
 */
function keysOf(of, prefix, describe) {
  return Object.entries(of.properties ?? {}).flatMap(([name, property]) => {
    const key = prefix + name;
    const standard =
      property.default === undefined ? (needed(of, name) ? "needed" : "") : JSON.stringify(property.default);
    const row = [
      `\`${key}\``,
      describe(property),
      standard === "" || standard === "needed" ? standard : `\`${standard}\``,
      property.description ?? "",
    ];
    if (key === "limits") return [row];
    const inner = property.type === "array" ? property.items : property;
    const below =
      inner?.properties === undefined ? [] : keysOf(inner, `${key}${property.type === "array" ? "[]" : ""}.`, describe);
    return [row, ...below];
  });
}

/**
 * @param {Schema} of
 * @param {string} name
 */
function needed(of, name) {
  return (of.required ?? []).includes(name);
}

/**
 * @param {string[]} head
 * @param {string[][]} rows
 */
function table(head, rows) {
  const cells = [head, head.map(() => "---"), ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  return cells.map((row) => `| ${row.join(" | ")} |`).join("\n");
}

/**
 * @param {string} module Path below the build of packages/quarry.
 * @returns {Promise<any>}
 */
function product(module) {
  return import(new URL(`../../packages/quarry/dist/${module}`, import.meta.url).href);
}
