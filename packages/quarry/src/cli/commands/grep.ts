import { Command } from "commander";
import type { CaseMode } from "../../search/query.js";
import type { GrepValue } from "../../search/values.js";
import { GREP_ARGUMENTS } from "../../tools/schemas.js";
import { addToolOptions, toolArguments } from "../options.js";
import { runTool } from "../run.js";
import { addProfileOptions, addSharedOptions, openTools, otherProfileTool, type SharedOptions } from "../session.js";
import { wantsColour } from "../terminal.js";

export function grepCommand(): Command {
  const command = new Command("grep")
    .description("find the lines that match a pattern")
    .argument("<pattern>", "Rust regex, as ripgrep")
    .argument("[path...]", "files or folders (default: the whole root)");
  addToolOptions(command, GREP_ARGUMENTS, ["pattern", "path"]);
  command.option("--pcre2", "allow look-around and backreferences (ripgrep's own program only)");
  addProfileOptions(command, ["include"]);
  return addSharedOptions(command).action(
    async (pattern: string, paths: string[], options: SharedOptions & Record<string, unknown>) => {
      const given = toolArguments(GREP_ARGUMENTS, options);
      const other = await otherProfileTool(options, "grep");
      if (other !== null) {
        const { include } = options;
        const path = paths.length > 1 ? paths : paths[0];
        const all = {
          ...given,
          pattern,
          ...(path === undefined ? {} : { path }),
          ...(include === undefined ? {} : { include }),
        };
        return runTool(other, all, { json: options.json === true });
      }
      const { tools } = await openTools(options);
      const args = { ...given, pattern, ...(paths.length === 0 ? {} : { path: paths }) };
      const query = {
        pattern,
        literal: given["literal"] === true,
        case: (given["case"] ?? "sensitive") as CaseMode,
        multiline: false,
        pcre2: options.pcre2 === true,
        encoding: null,
      };
      await runTool<GrepValue>(tools.grep, args, {
        json: options.json === true,
        ...(wantsColour(process.stdout)
          ? { decorate: async (text: string) => (await import("../highlight.js")).highlight(query, text) }
          : {}),
      });
    },
  );
}
