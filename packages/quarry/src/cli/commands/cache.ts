import { Command } from "commander";
import { plural } from "../../profiles/quarry/coverage-text.js";
import { cacheFolder } from "../../spill/cache-folder.js";
import { clearArtifacts, listArtifacts } from "../../spill/local.js";
import { print } from "../run.js";

export function cacheCommand(): Command {
  const status = new Command("status")
    .description("say where complete results are kept, how many there are and how large")
    .option("--json", "print it as JSON")
    .action((options: { readonly json?: boolean }) => {
      const folder = cacheFolder();
      const kept = listArtifacts(`${folder}/artifacts`);
      const bytes = kept.reduce((sum, one) => sum + one.bytes, 0);
      if (options.json === true) print(JSON.stringify({ folder, artifacts: kept.length, bytes }, null, 2));
      else print(`${folder}: ${plural(kept.length, "artifact")}, ${plural(bytes, "byte")}`);
    });
  const clear = new Command("clear")
    .description("delete every kept result")
    .option("--json", "print what was deleted as JSON")
    .action((options: { readonly json?: boolean }) => {
      const { files, bytes } = clearArtifacts(cacheFolder());
      if (options.json === true) print(JSON.stringify({ artifacts: files, bytes }, null, 2));
      else print(`deleted ${plural(files, "artifact")}, ${plural(bytes, "byte")}`);
    });
  for (const command of [status, clear]) command.exitOverride();
  return new Command("cache")
    .description("the complete results of cut pages: status, clear")
    .addCommand(status)
    .addCommand(clear);
}
