import { Command } from "commander";
import { LS_ARGUMENTS } from "../../tools/schemas.js";
import { addToolOptions, toolArguments } from "../options.js";
import { runTool } from "../run.js";
import { addSharedOptions, openTools, otherProfileTool, type SharedOptions } from "../session.js";

export function lsCommand(): Command {
  const command = new Command("ls").description("list a folder").argument("[path]", "the folder (default: the root)");
  addToolOptions(command, LS_ARGUMENTS, ["path"]);
  return addSharedOptions(command).action(
    async (path: string | undefined, options: SharedOptions & Record<string, unknown>) => {
      const args = { ...toolArguments(LS_ARGUMENTS, options), ...(path === undefined ? {} : { path }) };
      const tool = (await otherProfileTool(options, "ls")) ?? (await openTools(options)).tools.ls;
      await runTool(tool, args, { json: options.json === true });
    },
  );
}
