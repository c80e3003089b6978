import type { ToolKind } from "../tools/tool.js";

/** The faces towards a model: tool names, schemas, caps, texts. */
export const PROFILES = ["quarry", "dsh", "deerflow"] as const;
/** One of `PROFILES`. */
export type Profile = (typeof PROFILES)[number];

/** The tools that each profile has, by what they do; `use: quarry/<profile>:<kind>` names one. */
export const PROFILE_TOOLS: Readonly<Record<Profile, readonly ToolKind[]>> = {
  quarry: ["grep", "glob", "read_file", "ls", "str_replace", "multi_edit", "write_file"],
  dsh: ["glob", "grep"],
  deerflow: ["ls", "glob", "grep", "read_file", "str_replace", "write_file"],
};

/** The tools that change files. */
export const WRITING_KINDS: ReadonlySet<ToolKind> = new Set(["str_replace", "multi_edit", "write_file"]);

/** The group of the tools that only look, and that of those that change files, where the configuration lists no tools. */
export const READ_GROUP = "file:read";
export const WRITE_GROUP = "file:write";

/** Virtual roots whose place is fixed. */
export const THREAD_ROOT = "/mnt/user-data";
export const THREAD_FOLDERS = ["workspace", "uploads", "outputs"] as const;
export const SKILLS_ROOT = "/mnt/skills";
export const ACP_ROOT = "/mnt/acp-workspace";
