import { Command } from "commander";
import { GLOB_ARGUMENTS } from "../../tools/schemas.js";
import { addToolOptions, toolArguments } from "../options.js";
import { runTool } from "../run.js";
import { addProfileOptions, addSharedOptions, openTools, otherProfileTool, type SharedOptions } from "../session.js";

export function globCommand(): Command {
  const command = new Command("glob")
    .description("find files by name")
    .argument("<pattern>", "e.g. '**/*.ts'; without / a name at any depth")
    .argument("[path]", "folder to look in (default: the whole root)");
  addToolOptions(command, GLOB_ARGUMENTS, ["pattern", "path"]);
  addProfileOptions(command, []);
  return addSharedOptions(command).action(
    async (pattern: string, path: string | undefined, options: SharedOptions & Record<string, unknown>) => {
      const args = { ...toolArguments(GLOB_ARGUMENTS, options), pattern, ...(path === undefined ? {} : { path }) };
      const other = await otherProfileTool(options, "glob");
      if (other !== null) return runTool(other, args, { json: options.json === true });
      const { tools } = await openTools(options);
      await runTool(tools.glob, args, { json: options.json === true });
    },
  );
}
