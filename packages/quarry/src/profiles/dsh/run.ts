import type { BashExecutor, BashResult, BashSpec, CapturedText } from "../../executors/executor.js";
import { PROBE } from "./command.js";
import { cancelled, SearchFailure, tooMuch } from "./errors.js";
import type { DshSettings } from "./settings.js";

/** Which search runs, and where. */
export interface SearchRun {
  readonly tool: "glob" | "grep";
  readonly command: string;
  /** Left out where the executor's own folder is meant. */
  readonly workdir?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What ripgrep printed to the end. */
export interface RawOutput {
  readonly stdout: string;
  readonly stderr: CapturedText;
  /** 0: something was found; 1: nothing; 2: something failed on the way, and what was found is in `stdout`. */
  readonly exitCode: 0 | 1 | 2;
  /** Where the command ran. */
  readonly workdir: string;
}

/**
 * Runs one search in the foreground and judges how it ended.
 * @throws SearchFailure for everything that is no answer.
 */
export async function runSearch(executor: BashExecutor, run: SearchRun, settings: DshSettings): Promise<RawOutput> {
  const { tool, command, workdir, signal } = run;
  let spec: BashSpec;
  let result: BashResult;
  try {
    spec = executor.resolve({
      command,
      stdoutMaxBytes: settings.rawOutputMaxBytes,
      ...(workdir === undefined ? {} : { workdir }),
      ...(signal === undefined ? {} : { signal }),
    });
    result = await executor.run(spec);
  } catch (error) {
    if (signal?.aborted === true) throw cancelled(tool, { cause: error });
    throw new SearchFailure("SEARCH_FAILED", `${tool} could not start its command: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (result.aborted) throw cancelled(tool);
  if (result.timedOut) {
    throw new SearchFailure(
      "SEARCH_ABORTED",
      `${tool} did not finish within the shell's own time limit of ${spec.timeoutMs} ms; narrow pattern or path`,
    );
  }
  const exitCode = judgeExit(tool, result);
  const bytes = Buffer.byteLength(result.stdout.text, "utf8");
  if (result.stdout.truncated || bytes > settings.rawOutputMaxBytes) throw tooMuch(tool, settings.rawOutputMaxBytes);
  return { stdout: result.stdout.text, stderr: result.stderr, exitCode, workdir: spec.workdir };
}

/**
 * Asks whether ripgrep is there.
 * @returns false where it is not.
 * @throws Error where the executor cannot tell: it did not start the command, or the command did not come to its own end.
 */
export async function probe(executor: BashExecutor): Promise<boolean> {
  let result: BashResult;
  try {
    result = await executor.run(executor.resolve({ command: PROBE }));
  } catch (error) {
    throw new Error(`the shell cannot run commands: ${messageOf(error)}`, { cause: error });
  }
  const fault = result.timedOut
    ? "timed out"
    : result.aborted
      ? "was cancelled"
      : result.signal !== null
        ? `was ended by ${result.signal}`
        : null;
  if (fault !== null) throw new Error(`the shell cannot run commands: looking for rg ${fault}`);
  if (result.exitCode === null) throw new Error("the shell cannot run commands: looking for rg gave no exit status");
  return result.exitCode === 0;
}

/** What ripgrep said on stderr, for people; where its beginning is lost, it says so. */
export function diagnosis(stderr: CapturedText): string {
  const text = stderr.text.trim();
  if (text === "") return "";
  return stderr.truncated ? `: [beginning of stderr cut] ${text}` : `: ${text}`;
}

/** How ripgrep 13 to 15 begin what they say of a pattern or a glob that they do not take. */
const INVALID_PATTERN =
  /^(?:rg: )?(?:regex parse error:|error parsing glob |the literal .* not allowed in a regex|compiled regex exceeds |found invalid UTF-8 in pattern|error parsing flag --)/i;

/** ripgrep's advice names options that this tool does not have; one that was built without PCRE2 gives none. */
const ADVICE = /\n+Consider enabling [\s\S]*$/;
const NO_SUCH_OPTION =
  " (this tool has no option for it: it matches within single lines, without look-around and backreferences)";

/** What ripgrep says of a pattern or glob that it does not take; null where it says something else. */
export function patternFailure(stderr: CapturedText): SearchFailure | null {
  return INVALID_PATTERN.test(stderr.text.trimStart()) ? invalidPattern(stderr) : null;
}

function invalidPattern(stderr: CapturedText): SearchFailure {
  const reason = diagnosis(stderr);
  const advised = ADVICE.test(reason) || /\b(?:look-around|backreferences)\b.* not supported/.test(reason);
  return new SearchFailure(
    "SEARCH_INVALID_PATTERN",
    `ripgrep does not take this pattern${reason.replace(ADVICE, "")}${advised ? NO_SUCH_OPTION : ""}`,
  );
}

function judgeExit(tool: SearchRun["tool"], { exitCode, signal, stderr }: BashResult): 0 | 1 | 2 {
  if (signal !== null || exitCode === null)
    throw failed(`${tool} was ended by ${signal ?? "an unknown cause"}${diagnosis(stderr)}`);
  if (exitCode === 0 || exitCode === 1) return exitCode;
  if (exitCode === 126 || exitCode === 127) {
    throw failed(
      `${tool} cannot search: ripgrep (rg) was there when this tool was registered and cannot be run by the shell any more${diagnosis(stderr)}`,
    );
  }
  if (exitCode > 128) throw failed(`${tool} was ended by signal ${exitCode - 128}${diagnosis(stderr)}`);
  if (exitCode !== 2) throw failed(`${tool} failed with exit status ${exitCode}${diagnosis(stderr)}`);
  const invalid = patternFailure(stderr);
  if (invalid !== null) throw invalid;
  return 2;
}

function failed(message: string): SearchFailure {
  return new SearchFailure("SEARCH_FAILED", message);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
