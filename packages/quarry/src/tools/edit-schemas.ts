import { z } from "zod";

const text = z.string().refine((s) => !s.includes("\0"));
const path = text.min(1);
const ifVersion = text.optional().describe("Version from read_file; any other content is refused");

const replacement = {
  old_str: text.describe("Exact text, once in the file; LF matches CRLF"),
  new_str: text,
  replace_all: z.boolean().optional().describe("Every place"),
};

export const STR_REPLACE_ARGUMENTS = z.strictObject({ path, ...replacement, if_version: ifVersion });

export const WRITE_FILE_ARGUMENTS = z.strictObject({
  path,
  content: text,
  create_dirs: z.boolean().optional().describe("Make missing folders"),
  if_version: text.optional().describe("Version from read_file; needed where the file exists"),
});

export const MULTI_EDIT_ARGUMENTS = z.strictObject({
  path,
  edits: z
    .array(z.strictObject({ old_str: text, new_str: text, replace_all: z.boolean().optional() }))
    .min(1)
    .max(1_000),
  if_version: ifVersion,
});
