/**
 * The `dsh` profile as a library, for the plugin of DeepSeek Harness (`dsh-tool-fs-search`): what a search is asked and what a model reads
 * of it, with a bash's ripgrep to find (`bashFinder`) or with Quarry's own engines, in process (`inProcessFinder`).
 */
export * from "./profiles/dsh/index.js";
export { inProcessFinder } from "./tools/dsh-in-process.js";
export { anyPlace } from "./tools/dsh-places.js";
