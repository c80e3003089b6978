import { statSync } from "node:fs";
import { Command } from "commander";
import { auditFiles } from "../../audit/file.js";
import { readEvents } from "../../audit/read.js";
import { summarise } from "../../audit/summary.js";
import { summaryText } from "../../audit/summary-text.js";
import { QuarryError } from "../../errors/errors.js";
import { EXIT, print } from "../run.js";

export function auditCommand(): Command {
  return new Command("audit")
    .description("sum up an audit file: calls, slowest, most often empty, most cut, errors")
    .argument("<file>", "the file given to --audit; FILE.1, FILE.2 and so on are read with it")
    .option("--json", "print the summary as JSON")
    .action(async (file: string, options: { readonly json?: boolean }) => {
      if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) {
        throw new QuarryError("NOT_FOUND", "there is no such audit file", {
          argument: "file",
          remedy: "Name the file that was given to --audit.",
        });
      }
      const summary = await summarise(allEvents(file));
      print(options.json === true ? JSON.stringify(summary, null, 2) : summaryText(summary));
      process.exitCode = summary.calls === 0 ? EXIT.none : EXIT.results;
    });
}

async function* allEvents(file: string): ReturnType<typeof readEvents> {
  for (const one of auditFiles(file)) yield* readEvents(one);
}
