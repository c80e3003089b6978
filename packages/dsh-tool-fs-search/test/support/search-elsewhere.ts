/** Loads a composition file with the real Loader and asks it what standard input says: `[name, args, cwd][]`; prints the answers. */
import { readFileSync } from "node:fs";
import { agentIn, loadFile, textOf } from "./harness.js";

const [file = ""] = process.argv.slice(2);
const ends: (() => unknown)[] = [];
const harness = await loadFile({ after: (end) => void ends.push(end as () => unknown) }, file);
const answers: unknown[] = [];
for (const [name, args, cwd] of JSON.parse(readFileSync(0, "utf8")) as [string, unknown, string][]) {
  const result = await harness.call(name, args, { agent: agentIn(cwd) });
  answers.push([result.isError ? (result.error.info?.code ?? "error") : "ok", textOf(result)]);
}
const told = { tools: harness.toolNames(), warnings: harness.logged("warn"), answers };
process.stdout.write(JSON.stringify(told));
for (const end of ends) await end();
