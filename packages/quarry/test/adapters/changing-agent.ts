/**
 * A process of its own: a LangGraph agent changes a repository with the tools of a configuration, and prints what it did as JSON.
 *
 *     node changing-agent.js <folder of the package quarry> <quarry.yaml> <thread>
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type * as Adapter from "#src/adapters/langchain.js";
import type * as Quarry from "#src/index.js";
import { changeOfTimeLimit } from "../deerflow/change.js";
import { runAgent } from "./agent.js";

/** What is printed. */
export interface Printed {
  /** Names of the tools that a provider would be sent. */
  readonly offered: readonly string[];
  readonly answers: readonly { readonly name: string; readonly status: string; readonly text: string }[];
  /** What the model said last. */
  readonly last: string;
}

const [folder = "", file = "", thread = ""] = process.argv.slice(2);
/** Of the package that is asked for, whatever this test resolves. */
const load = async <M>(path: string): Promise<M> => (await import(pathToFileURL(join(folder, path)).href)) as M;
const { loadConfig, openConfigured } =
  await load<Pick<typeof Quarry, "loadConfig" | "openConfigured">>("dist/index.js");
const { langchainTools } = await load<typeof Adapter>("dist/adapters/langchain.js");

const { tools } = await openConfigured(await loadConfig(file), { thread });
const { offered, answers, last } = await runAgent(langchainTools(tools), changeOfTimeLimit());
const printed: Printed = {
  offered: offered.map((tool) => tool.function.name),
  answers: answers.map(({ name, status, text }) => ({ name: name ?? "", status: status ?? "", text })),
  last,
};
process.stdout.write(JSON.stringify(printed));
