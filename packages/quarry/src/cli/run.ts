import { QuarryError } from "../errors/errors.js";
import { errorResult } from "../tools/answer.js";
import type { Tool, ToolResult } from "../tools/tool.js";
import { plural } from "../profiles/quarry/coverage-text.js";
import { spinner } from "./terminal.js";

/** What a command's exit status says. */
export const EXIT = { results: 0, none: 1, error: 2, incomplete: 3 } as const;

/**
 * Runs one tool call for a person: a spinner where it takes long; Ctrl-C ends it and shows what there is, a second one
 * ends the program. Sets the exit status.
 */
export async function runTool<V>(
  tool: Tool<V>,
  args: unknown,
  options: { readonly json: boolean; readonly decorate?: (text: string, value: V) => Promise<string> },
): Promise<void> {
  const abort = new AbortController();
  const busy = spinner();
  const onInterrupt = (signal: NodeJS.Signals): void => {
    if (!abort.signal.aborted) return abort.abort();
    // By the signal itself, not `process.exit`: that waits for threads, and one may be stuck in the system.
    leaveSignals();
    process.kill(process.pid, signal);
  };
  const leaveSignals = (): void => {
    process.off("SIGINT", onInterrupt);
    process.off("SIGTERM", onInterrupt);
  };
  process.on("SIGINT", onInterrupt);
  process.on("SIGTERM", onInterrupt);
  let result: ToolResult<V>;
  try {
    result = await tool.call(args, {
      signal: abort.signal,
      onProgress: ({ files, matches }) => busy.update(`${plural(files, "file")}, ${plural(matches, "result")}`),
    });
  } finally {
    busy.stop();
    leaveSignals();
  }
  if (options.json) print(JSON.stringify(result.value, null, 2));
  else if (result.isError) process.stderr.write(`${result.text}\n`);
  else {
    const text = process.stdout.isTTY ? harmless(result.text) : result.text;
    print(options.decorate === undefined ? text : await options.decorate(text, result.value));
  }
  process.exitCode = exitStatus(result);
}

/** A file's control characters could move a terminal's cursor or change its title: there they are shown as `\xNN`. */
function harmless(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are the very subject
  return text.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g,
    (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}

/** Results 0, none and complete 1, error 2, incomplete 3 (with or without results). */
export function exitStatus(result: ToolResult<unknown>): number {
  if (result.isError) return EXIT.error;
  if (!result.complete) return EXIT.incomplete;
  return result.empty ? EXIT.none : EXIT.results;
}

/** Tells an error that came before any tool was called. */
export function fail(thrown: unknown, json: boolean): void {
  const error =
    thrown instanceof QuarryError
      ? thrown
      : new QuarryError("INTERNAL", thrown instanceof Error ? thrown.message : String(thrown));
  const result = errorResult(error);
  if (json) print(JSON.stringify(result.value, null, 2));
  else process.stderr.write(`${result.text}\n`);
  process.exitCode = EXIT.error;
}

/** Writes to stdout. A reader that has gone (`| head`) ends the program quietly. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** A closed pipe on stdout is the reader's way to say "enough". */
export function endQuietlyWhenReaderLeaves(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
}
