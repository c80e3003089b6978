import { z } from "zod";
import { TUNABLES, type TunableName } from "../config/tunables.js";

const count = (name: TunableName): z.ZodNumber => z.int().min(TUNABLES[name].min).max(TUNABLES[name].max);
const text = z.string().refine((s) => !s.includes("\0"));
const filled = text.min(1);

const encoding = text
  .optional()
  .describe("WHATWG label for files without a byte order mark, e.g. gbk (default: UTF-8)");

const paging = {
  max_results: count("maxResults").optional().describe(`Results per page (default ${TUNABLES.maxResults.default})`),
  offset: z.int().min(0).optional().describe("First result to show, from 0"),
  include_ignored: z.boolean().optional().describe("Also look at files that ignore rules leave out"),
};

export const GREP_ARGUMENTS = z.strictObject({
  pattern: text.describe("Rust regex, as ripgrep; a match is a line"),
  path: z
    .union([text, z.array(text).min(1)])
    .optional()
    .describe("File or folder, or several"),
  glob: text.optional().describe("Only files that match, e.g. *.{ts,tsx} or src/**"),
  exclude: text.optional().describe("Leave out files and folders that match"),
  type: text.optional().describe("ripgrep type or extension: py, rust, tsx"),
  literal: z.boolean().optional().describe("pattern is plain text"),
  case: z.enum(["sensitive", "insensitive", "smart"]).optional().describe("Default sensitive"),
  context: z.int().min(TUNABLES.context.min).max(TUNABLES.context.max).optional().describe("Lines around each match"),
  multiline: z.boolean().optional().describe("A match may span lines"),
  output: z.enum(["matches", "files", "count"]).optional().describe("Default matches"),
  encoding,
  ...paging,
});

export const GLOB_ARGUMENTS = z.strictObject({
  pattern: filled.describe("e.g. **/*.ts; without / a name at any depth"),
  path: text.optional().describe("Folder to look in"),
  include_dirs: z.boolean().optional().describe("Also folders"),
  sort: z.enum(["path", "modified"]).optional().describe("modified: newest first (default path)"),
  ...paging,
});

export const READ_FILE_ARGUMENTS = z.strictObject({
  path: filled,
  start_line: z.int().min(1).optional().describe("From 1"),
  end_line: z.int().min(1).optional().describe("Inclusive"),
  encoding,
});

export const LS_ARGUMENTS = z.strictObject({
  path: text.optional(),
  depth: count("lsDepth").optional().describe(`Levels (default ${TUNABLES.lsDepth.default})`),
});
