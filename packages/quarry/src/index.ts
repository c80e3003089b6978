/**
 * Quarry as a library: a workspace says what may be seen, tools answer questions about it.
 *
 * ```ts
 * const workspace = await createWorkspace({ roots: ["."] });
 * const { grep } = tools(workspace);
 * const { text, value } = await grep.call({ pattern: "needle" });
 * ```
 */
import { Workspace, type MountOptions } from "./workspace/workspace.js";

/** What a workspace is made of: folders by themselves, or mounts with names, access and denied sub-paths. */
export interface CreateWorkspaceOptions {
  /** Host folders, read-only. */
  readonly roots?: readonly string[];
  readonly mounts?: readonly MountOptions[];
  /** Also take host paths that lead into a mount; false where absent. */
  readonly acceptHostPaths?: boolean;
}

/**
 * Opens a workspace. Nothing outside its folders can be seen through it.
 * @throws QuarryError INVALID_ARGUMENT where no folder is named, or one does not exist.
 */
export function createWorkspace({
  roots = [],
  mounts = [],
  acceptHostPaths = false,
}: CreateWorkspaceOptions): Promise<Workspace> {
  return Workspace.open({ mounts: [...roots.map((host) => ({ host })), ...mounts], acceptHostPaths });
}

export { Workspace, type MountOptions } from "./workspace/workspace.js";
export { tools, ENGINE_CHOICES, type EngineChoice, type Tools, type ToolsOptions } from "./tools/registry.js";
export type { CallOptions, ErrorValue, Tool, ToolKind, ToolResult } from "./tools/tool.js";
export { loadConfig, type ConfiguredMount, type ConfiguredTool, type QuarryConfig } from "./config/file.js";
export { openConfigured, type Caller, type Configured } from "./tools/configured.js";
export type { ToolContext } from "./tools/load-tool.js";
export { ERROR_CODES, QuarryError, type ErrorCode, type ErrorDetails } from "./errors/errors.js";
export { TUNABLES, type Settings, type Tunable, type TunableName } from "./config/tunables.js";
export type { Coverage, IncompleteReason, SkipCounts } from "./search/coverage.js";
export type {
  ArtifactRef,
  EditValue,
  FileCount,
  GlobValue,
  GrepValue,
  LsEntry,
  LsValue,
  Match,
  Meta,
  PageFacts,
} from "./search/values.js";
export type { ReadValue } from "./files/read.js";
export { audited, type AuditOptions } from "./audit/audited.js";
export { AuditFile } from "./audit/file.js";
export type { AuditEvent, AuditOutcome, AuditSink } from "./audit/event.js";
