import { Command } from "commander";
import { LS_ARGUMENTS } from "../../tools/schemas.js";
import { addToolOptions, toolArguments } from "../options.js";
import { runTool } from "../run.js";
import { addSharedOptions, openTools, type SharedOptions } from "../session.js";

export function lsCommand(): Command {
  const command = new Command("ls").description("list a folder").argument("[path]", "the folder (default: the root)");
  addToolOptions(command, LS_ARGUMENTS, ["path"]);
  return addSharedOptions(command).action(
    async (path: string | undefined, options: SharedOptions & Record<string, unknown>) => {
      const { tools } = await openTools(options);
      await runTool(
        tools.ls,
        { ...toolArguments(LS_ARGUMENTS, options), ...(path === undefined ? {} : { path }) },
        { json: options.json === true },
      );
    },
  );
}
