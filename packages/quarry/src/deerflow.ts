/**
 * The `deerflow` profile as a library: its tools over any sandbox, the sandbox of this machine, the wrapper for one whose answers are not
 * ours, and the section of the system prompt.
 *
 * ```ts
 * const workspace = await createWorkspace({ mounts: [{ host: ".", name: "mnt/user-data/workspace", access: "write" }] });
 * const tools = deerflowTools({ sandbox: new LocalSandbox(workspace), write: true });
 * ```
 */
export { deerflowTools, type DeerflowToolsOptions } from "./tools/deerflow.js";
export { LocalSandbox, type LocalSandboxOptions } from "./tools/local-sandbox.js";
export { guardedSandbox, type GuardOptions } from "./sandbox/guarded.js";
export { promptSection } from "./profiles/deerflow/prompt.js";
export { IGNORED, type IgnoredGroup } from "./profiles/deerflow/ignored.js";
export { GLOB_RESULTS, GREP_RESULTS, type ResultLimit } from "./profiles/deerflow/limits.js";
export {
  SKIP_REASONS,
  type GlobFound,
  type GlobQuestion,
  type GrepFound,
  type GrepQuestion,
  type Listed,
  type ListedEntry,
  type ListQuestion,
  type ReadQuestion,
  type ReadText,
  type ReplacedText,
  type ReplaceQuestion,
  type Sandbox,
  type SandboxCall,
  type SandboxMatch,
  type SearchFacts,
  type Skipped,
  type SkipReason,
  type WriteQuestion,
  type WrittenFile,
} from "./sandbox/sandbox.js";
