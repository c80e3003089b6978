import type { BashExecutor } from "../../executors/executor.js";
import { globCommand, grepCommand } from "./command.js";
import { readComplaints, type Complaints } from "./complaints.js";
import { couldNotSearch, doesNotExist, isNoFolder } from "./errors.js";
import type { Finder } from "./finder.js";
import { inOrder } from "./order.js";
import { parseList, parseMatches } from "./parse.js";
import { diagnosis, runSearch, type RawOutput } from "./run.js";

/** Finds with the ripgrep that a bash has: the contract's commands. */
export function bashFinder(executor: BashExecutor): Finder {
  return {
    async listFiles(args, call, settings) {
      const raw = await runSearch(executor, { tool: "glob", command: globCommand(args), ...call }, settings);
      const listed = parseList(raw.stdout);
      const isFile = listed.some((file) => file.path === args.path) || (listed.length === 0 && isFilePath(raw));
      if (args.path !== undefined && isFile) throw isNoFolder();
      const complaints = judgeComplaints("glob", raw, args.path, listed.length);
      return { files: inOrder(listed), complaints, workdir: raw.workdir };
    },
    async findLines(args, call, settings) {
      const raw = await runSearch(executor, { tool: "grep", command: grepCommand(args), ...call }, settings);
      const records = parseMatches(raw.stdout);
      return { records, complaints: judgeComplaints("grep", raw, args.path, records.length), workdir: raw.workdir };
    },
  };
}

/** ripgrep lists a file that is named as it stands; with a slash behind it, it complains. */
function isFilePath(raw: RawOutput): boolean {
  return raw.exitCode === 2 && /: Not a directory \(os error 20\)\s*$/.test(raw.stderr.text);
}

const MISSING = /: No such file or directory \(os error 2\)\s*$/;

/**
 * Status 2 with results is an answer where only single paths could not be read.
 * @throws SearchFailure SEARCH_FAILED for every other status 2.
 */
function judgeComplaints(
  tool: "glob" | "grep",
  raw: RawOutput,
  path: string | undefined,
  results: number,
): Complaints | null {
  if (raw.exitCode !== 2) return null;
  const complaints = readComplaints(raw.stderr, path ?? "./");
  if (results > 0 && !complaints.others && complaints.paths > 0) return complaints;
  if (path !== undefined && complaints.paths === 1 && !complaints.others && MISSING.test(raw.stderr.text))
    throw doesNotExist(tool, path);
  throw couldNotSearch(tool, diagnosis(raw.stderr));
}
