import { QuarryError } from "../errors/errors.js";
import { errorText } from "../profiles/deerflow/error-text.js";
import { GLOB_RESULTS, GREP_RESULTS, maxResults } from "../profiles/deerflow/limits.js";
import { globText, grepText, listText, readText, replaceText, writeText } from "../profiles/deerflow/texts.js";
import type {
  GlobFound,
  GrepFound,
  Listed,
  ReadText,
  ReplacedText,
  Sandbox,
  SandboxCall,
  SearchFacts,
  WrittenFile,
} from "../sandbox/sandbox.js";
import { errorResult } from "./answer.js";
import { readArguments } from "./arguments.js";
import type { ObjectSchema, ValueOf } from "./declaration.js";
import {
  DEERFLOW_GLOB,
  DEERFLOW_GREP,
  DEERFLOW_LS,
  DEERFLOW_READ,
  DEERFLOW_REPLACE,
  DEERFLOW_WRITE,
  shownSchema,
} from "./deerflow-schemas.js";
import type { Tool, ToolResult } from "./tool.js";

/** What the tools of the `deerflow` profile are built over. */
export interface DeerflowToolsOptions {
  /** Where the files are. One whose answers are not ours is wrapped first: `guardedSandbox`. */
  readonly sandbox: Sandbox;
  /** Also `write_file` and `str_replace`. False where absent. */
  readonly write?: boolean;
  /** The configured `max_results` of each tool: a ceiling that no call lifts. */
  readonly maxResults?: { readonly glob?: number; readonly grep?: number };
}

/**
 * The tools of the `deerflow` profile over any sandbox: schemas, clamps, texts and errors of the contract. In the order `ls`, `glob`,
 * `grep`, `read_file`, `str_replace`, `write_file`. Each checks its own arguments and never throws.
 */
export function deerflowTools({
  sandbox,
  write = false,
  maxResults: configured = {},
}: DeerflowToolsOptions): readonly Tool[] {
  const reading = [
    made<Counted<Listed>, typeof DEERFLOW_LS>(
      { kind: "ls", title: "List a directory", description: "Lists what is in a directory.", readOnly: true },
      DEERFLOW_LS,
      async ({ path }, call) => {
        const value = await sandbox.ls({ path }, call);
        return answer(value, listText(path, value), value.entries.length);
      },
    ),
    made<Counted<GlobFound>, typeof DEERFLOW_GLOB>(
      {
        kind: "glob",
        title: "Find files by name",
        description: "Finds files, or directories, that match a glob pattern under a root directory.",
        readOnly: true,
      },
      DEERFLOW_GLOB,
      async (args, call) => {
        const value = await sandbox.glob(
          {
            pattern: args.pattern,
            path: args.path,
            includeDirs: args.include_dirs ?? false,
            maxResults: maxResults(args.max_results, configured.glob, GLOB_RESULTS),
          },
          call,
        );
        return answer(value, globText(args.path, value), value.paths.length);
      },
      { max_results: GLOB_RESULTS.default },
    ),
    made<Counted<GrepFound>, typeof DEERFLOW_GREP>(
      {
        kind: "grep",
        title: "Find lines",
        description: "Finds matching lines in a text file, or in the text files under a root directory.",
        readOnly: true,
      },
      DEERFLOW_GREP,
      async (args, call) => {
        const value = await sandbox.grep(
          {
            pattern: args.pattern,
            path: args.path,
            glob: args.glob === undefined || args.glob === "" ? null : args.glob,
            literal: args.literal ?? false,
            caseSensitive: args.case_sensitive ?? false,
            maxResults: maxResults(args.max_results, configured.grep, GREP_RESULTS),
          },
          call,
        );
        return answer(value, grepText(args.path, value), value.matches.length);
      },
      { max_results: GREP_RESULTS.default },
    ),
    made<ReadText, typeof DEERFLOW_READ>(
      {
        kind: "read_file",
        title: "Read a file",
        description: "Reads a text file, or a range of its lines.",
        readOnly: true,
      },
      DEERFLOW_READ,
      async ({ path, start_line, end_line }, call) => {
        const value = await sandbox.readFile({ path, startLine: start_line ?? null, endLine: end_line ?? null }, call);
        return { isError: false, value, text: readText(value), complete: true, empty: value.totalLines === 0 };
      },
    ),
  ];
  return write ? [...reading, ...writing(sandbox)] : reading;
}

function writing(sandbox: Sandbox): readonly Tool[] {
  return [
    made<ReplacedText, typeof DEERFLOW_REPLACE>(
      {
        kind: "str_replace",
        title: "Replace text in a file",
        description: "Replaces old_str with new_str in one file. Read the file first.",
        readOnly: false,
      },
      DEERFLOW_REPLACE,
      async (args, call) => {
        const { path, old_str: oldText, new_str: newText } = args;
        const value = await sandbox.strReplace({ path, oldText, newText, all: args.replace_all ?? false }, call);
        return { isError: false, value, text: replaceText(path, value), complete: true, empty: false };
      },
    ),
    made<WrittenFile, typeof DEERFLOW_WRITE>(
      {
        kind: "write_file",
        title: "Write a file",
        description: "Makes a file, replaces all of it, or adds to its end. For a change in a file use str_replace.",
        readOnly: false,
      },
      DEERFLOW_WRITE,
      async ({ path, content, append = false }, call) => {
        const value = await sandbox.writeFile({ path, content, append }, call);
        return { isError: false, value, text: writeText(path, append, value), complete: true, empty: false };
      },
    ),
  ];
}

/** An answer as a value, with what the audit counts: results shown, and all of them where none was cut. */
type Counted<V> = V & { readonly shown: number; readonly total?: number };

function answer<V extends SearchFacts>(found: V, text: string, shown: number): ToolResult<Counted<V>> {
  const { unreadable = 0, changed = 0, outside = 0 } = found.skipped;
  const value = { ...found, shown, ...(found.truncated ? {} : { total: shown }) };
  const complete = found.unfinished !== true && unreadable + changed + outside === 0;
  return { isError: false, value, text, complete, empty: shown === 0 };
}

function made<V, S extends ObjectSchema>(
  about: Pick<Tool, "title" | "description" | "readOnly"> & { readonly kind: Tool["kind"] },
  schema: S,
  work: (args: ValueOf<S>, call: SandboxCall) => Promise<ToolResult<V>>,
  defaults: Readonly<Record<string, unknown>> = {},
): Tool<V> {
  return {
    ...about,
    name: about.kind,
    inputSchema: shownSchema(schema, defaults),
    async call(args, options = {}) {
      try {
        return await work(readArguments(schema, withoutNulls(args)), options);
      } catch (thrown) {
        return failed(thrown);
      }
    },
  };
}

/** Callers in Python's style give `None` for what they leave out. */
function withoutNulls(args: unknown): unknown {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return args;
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
}

/** An error that is not ours is a defect; its words may hold anything, so they are not shown. */
function failed(thrown: unknown): ToolResult<never> {
  const error =
    thrown instanceof QuarryError
      ? thrown
      : new QuarryError("INTERNAL", "the sandbox failed in an unexpected way", {}, { cause: thrown });
  return { ...errorResult(error), text: errorText(error) };
}
