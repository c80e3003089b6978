import { accessSync, constants, existsSync } from "node:fs";
import { Command } from "commander";
import { QuarryError } from "../../errors/errors.js";
import { cacheFolder } from "../../spill/cache-folder.js";
import { listArtifacts, reasonOf } from "../../spill/local.js";
import { allEngines } from "../../tools/registry.js";
import { plural } from "../../profiles/quarry/coverage-text.js";
import { EXIT, print } from "../run.js";
import { chooseRoots } from "../session.js";
import { Workspace } from "../../workspace/workspace.js";
import { paint, wantsColour } from "../terminal.js";

/** One thing that is in order or not, in plain words. */
interface Finding {
  readonly ok: boolean;
  readonly text: string;
}

export function doctorCommand(): Command {
  return new Command("doctor")
    .description("say whether everything that Quarry needs is in order")
    .option(
      "--root <folder>",
      "folder to look at; repeatable (default: the folder you are in)",
      (one: string, all: string[] = []) => [...all, one],
    )
    .option("--json", "print the findings as JSON")
    .action(async (options: { root?: string[]; json?: boolean }) => {
      const findings = [nodeVersion(), ...(await engines()), await roots(options.root), cache(), openFiles()];
      if (options.json === true) print(JSON.stringify(findings, null, 2));
      else {
        const colour = wantsColour(process.stdout);
        for (const { ok, text } of findings)
          print(`${ok ? paint(colour, "green", "ok  ") : paint(colour, "red", "BAD ")} ${text}`);
      }
      process.exitCode = findings.every(({ ok }) => ok) ? EXIT.results : EXIT.error;
    });
}

function nodeVersion(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const ok = major > 20 || (major === 20 && minor >= 19);
  return {
    ok,
    text: `Node ${process.versions.node} on ${process.platform}-${process.arch}${ok ? "" : "; Quarry needs 20.19 or later"}`,
  };
}

async function engines(): Promise<Finding[]> {
  return Promise.all(
    (await allEngines()).map(async (engine) => {
      const { available, detail } = await engine.status();
      return { ok: available, text: `engine ${engine.name}: ${detail}` };
    }),
  );
}

async function roots(named: string[] | undefined): Promise<Finding> {
  try {
    const hosts = chooseRoots(named);
    await Workspace.open({ mounts: hosts.map((host) => ({ host })) });
    return { ok: true, text: `${plural(hosts.length, "root")}: ${hosts.join(", ")}` };
  } catch (thrown) {
    if (!(thrown instanceof QuarryError)) throw thrown;
    return { ok: false, text: `roots: ${thrown.message}. ${thrown.remedy}` };
  }
}

function cache(): Finding {
  const folder = cacheFolder();
  try {
    if (existsSync(folder)) accessSync(folder, constants.R_OK | constants.W_OK);
    const kept = listArtifacts(`${folder}/artifacts`);
    const bytes = kept.reduce((sum, one) => sum + one.bytes, 0);
    return { ok: true, text: `cache folder ${folder}: ${plural(kept.length, "artifact")}, ${plural(bytes, "byte")}` };
  } catch (error) {
    return { ok: false, text: `cache folder ${folder}: ${reasonOf(error)}; complete results will not be saved` };
  }
}

function openFiles(): Finding {
  // `report` is the only way that Node offers to read the limit.
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } };
  const soft = report.userLimits?.open_files?.soft;
  if (soft === undefined) return { ok: true, text: "open files: no limit is known on this system" };
  const enough = soft === "unlimited" || Number(soft) >= 256;
  return { ok: enough, text: `open files: at most ${soft}${enough ? "" : "; Quarry wants 256 (ulimit -n)"}` };
}
