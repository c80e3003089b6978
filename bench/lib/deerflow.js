// @ts-check
/** The deerflow profile beside rg: the original of its contract took 16.4 s for a question where rg took 0.37 s. */
import { rgCommand } from "./peers.js";
import { deerflowLibrary, library } from "./places.js";
import { countLines } from "./processes.js";

const PATH = "/mnt/user-data/workspace";

/**
 * @param {string} root @param {string} pattern @param {AbortSignal} signal
 * @returns {Promise<import("./pairs.js").Subject[]>}
 */
export async function deerflowSubjects(root, pattern, signal) {
  const command = await rgCommand("rg -n", { tool: "grep", pattern, anyCase: true }, root);
  /** @type {import("./pairs.js").Subject[]} */
  const subjects = [{ name: "rg -n", run: () => countLines(command, signal) }];
  for (const engine of /** @type {const} */ (["index", "kernel", "ripgrep"]))
    subjects.push({
      name: `Quarry ${engine}, deerflow`,
      partial: true,
      run: await asked(root, engine, pattern, signal),
    });
  return subjects;
}

/** @param {string} root @param {"index" | "kernel" | "ripgrep"} engine @param {string} pattern @param {AbortSignal} signal */
async function asked(root, engine, pattern, signal) {
  const { createWorkspace } = await library();
  const { deerflowTools, LocalSandbox } = await deerflowLibrary();
  const workspace = await createWorkspace({ mounts: [{ host: root, name: PATH.slice(1) }] });
  const sandbox = new LocalSandbox(workspace, { engine });
  const grep = deerflowTools({ sandbox, maxResults: { grep: 500, glob: 1000 } }).find((tool) => tool.name === "grep");
  return async () => {
    const args = { pattern, path: PATH, max_results: 500 };
    const result = await /** @type {NonNullable<typeof grep>} */ (grep).call(args, { signal });
    if (result.isError) throw new Error(result.text);
    return Number(/^Found (\d+) match/.exec(result.text)?.[1]);
  };
}
