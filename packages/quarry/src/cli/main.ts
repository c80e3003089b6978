import { createRequire } from "node:module";
import { Command, CommanderError } from "commander";
import { COMMANDS } from "./commands.js";
import { endQuietlyWhenReaderLeaves, EXIT, fail } from "./run.js";

const { version } = createRequire(import.meta.url)("../../package.json") as { version: string };

/** The command line: the one command that is called, or all of them where help is wanted or no command of that name exists. */
async function program(called: string | undefined): Promise<Command> {
  const root = new Command("quarry")
    .description("Find files and lines, and read them: never silently wrong, bounded, inside the folder you name.")
    .version(version, "-V, --version")
    .showHelpAfterError("(quarry --help lists the commands)")
    .addHelpText(
      "after",
      "\nExit status: 0 results, 1 none (and complete), 2 error, 3 incomplete (with or without results).",
    );
  const alone = called !== undefined && Object.hasOwn(COMMANDS, called) ? [called] : null;
  const names = called === "--version" || called === "-V" ? [] : (alone ?? Object.keys(COMMANDS));
  for (const name of names) root.addCommand(await (COMMANDS[name] as (typeof COMMANDS)[string])(version));
  for (const command of [root, ...root.commands]) command.exitOverride();
  return root;
}

endQuietlyWhenReaderLeaves();
try {
  await (await program(process.argv[2])).parseAsync();
} catch (thrown) {
  if (thrown instanceof CommanderError) process.exitCode = thrown.exitCode === 0 ? 0 : EXIT.error;
  else fail(thrown, process.argv.includes("--json"));
}
