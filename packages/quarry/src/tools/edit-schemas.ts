const text = { type: "string" } as const;
const path = { type: "string", minLength: 1 } as const;
const flag = { type: "boolean" } as const;
const ifVersion = { description: "Version from read_file; any other content is refused", ...text } as const;

export const STR_REPLACE_ARGUMENTS = {
  type: "object",
  properties: {
    path,
    old_str: { ...text, description: "Exact text, once in the file; LF matches CRLF" },
    new_str: text,
    replace_all: { description: "Every place", ...flag },
    if_version: ifVersion,
  },
  required: ["path", "old_str", "new_str"],
  additionalProperties: false,
} as const;

export const WRITE_FILE_ARGUMENTS = {
  type: "object",
  properties: {
    path,
    content: text,
    create_dirs: { description: "Make missing folders", ...flag },
    if_version: { description: "Version from read_file; needed where the file exists", ...text },
  },
  required: ["path", "content"],
  additionalProperties: false,
} as const;

export const MULTI_EDIT_ARGUMENTS = {
  type: "object",
  properties: {
    path,
    edits: {
      minItems: 1,
      maxItems: 1_000,
      type: "array",
      items: {
        type: "object",
        properties: { old_str: text, new_str: text, replace_all: flag },
        required: ["old_str", "new_str"],
        additionalProperties: false,
      },
    },
    if_version: ifVersion,
  },
  required: ["path", "edits"],
  additionalProperties: false,
} as const;
