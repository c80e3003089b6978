import { createRequire } from "node:module";
import { Command, CommanderError } from "commander";
import { auditCommand } from "./commands/audit.js";
import { cacheCommand } from "./commands/cache.js";
import { doctorCommand } from "./commands/doctor.js";
import { editCommand } from "./commands/edit.js";
import { globCommand } from "./commands/glob.js";
import { grepCommand } from "./commands/grep.js";
import { lsCommand } from "./commands/ls.js";
import { mcpCommand } from "./commands/mcp.js";
import { readCommand } from "./commands/read.js";
import { writeCommand } from "./commands/write.js";
import { endQuietlyWhenReaderLeaves, EXIT, fail } from "./run.js";

const { version } = createRequire(import.meta.url)("../../package.json") as { version: string };

/** The whole command line. */
function program(): Command {
  const root = new Command("quarry")
    .description("Find files and lines, and read them: never silently wrong, bounded, inside the folder you name.")
    .version(version, "-V, --version")
    .showHelpAfterError("(quarry --help lists the commands)")
    .addHelpText("after", "\nExit status: 0 results, 1 none (and complete), 2 error, 3 incomplete (with or without results).");
  for (const command of [grepCommand(), globCommand(), readCommand(), lsCommand(), editCommand(), writeCommand(), doctorCommand(), cacheCommand(), mcpCommand(version), auditCommand()]) root.addCommand(command);
  for (const command of [root, ...root.commands]) command.exitOverride();
  return root;
}

endQuietlyWhenReaderLeaves();
try {
  await program().parseAsync();
} catch (thrown) {
  if (thrown instanceof CommanderError) process.exitCode = thrown.exitCode === 0 ? 0 : EXIT.error;
  else fail(thrown, process.argv.includes("--json"));
}
