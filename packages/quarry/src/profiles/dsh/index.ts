/**
 * The `dsh` profile, for the plugin of DeepSeek Harness (`dsh-tool-fs-search`): what a search is asked, how it runs through any
 * `BashExecutor`, and what a model reads of it.
 */
export type { BashExecutor, BashRequest, BashResult, BashSpec, CapturedText } from "../../executors/executor.js";
export { answerGlob, answerGrep, type DshRooms, type GlobAnswer, type GrepAnswer } from "./answer.js";
export { bashFinder } from "./bash-finder.js";
export { GLOB, GREP, type DshDefinition, type DshParameter } from "./definitions.js";
export { ArgumentFailure, SEARCH_CODES, SearchFailure, type SearchCode } from "./errors.js";
export { probe } from "./run.js";
export type { ResultOwner, ResultStore, SaveText } from "./save.js";
export type { Finder, FoundLines, Listed, SearchCall } from "./finder.js";
export type { GrepMatch } from "./search.js";
export {
  DSH_ENGINES,
  DSH_SETTINGS,
  resolveDshSettings,
  type DshEngine,
  type DshSetting,
  type DshSettingName,
  type DshSettings,
} from "./settings.js";
export { globText, grepText, type SavedResult } from "./text.js";
