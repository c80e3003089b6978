import assert from "node:assert/strict";
import { test } from "node:test";
import { tools, type EngineChoice } from "#src/tools/registry.js";
import { makeIndexFolder } from "#src/tools/index-folder.js";
import { IndexStore } from "#src/engines/index/store.js";
import { Workspace } from "#src/workspace/workspace.js";
import { buildOf } from "../engines/index-place.js";
import { FULL } from "../support/cases.js";
import { makeTree } from "../support/tree.js";

const CHOICES: readonly EngineChoice[] = ["ripgrep", "kernel", "index", "wasm", "auto"];
const RUNS = FULL ? 10 : 3;
/** So many of the calls are made in every run, all of them in the first. */
const OFTEN = 3;

/** Text of every kind that engines could differ in. */
const TREE = {
  ".gitignore": "dist/\n",
  "dist/out.js": "needle\n",
  "a.txt": `${"a needle in a line\n".repeat(300)}end`,
  "b/crlf.txt": "needle\r\nno\r\nNEEDLE\r\n",
  "b/long.txt": `${"x".repeat(5_000)}needle${"y".repeat(5_000)}\n`,
  "b/nul.bin": "needle\0needle\n",
  "c/late-nul.txt": `${"needle early\n".repeat(6_000)}\0needle\n`,
  "c/utf16.txt": Buffer.from("\ufeffa needle\nü\n", "utf16le"),
  "c/unmarked.txt": Buffer.from("a needle\nü\n", "utf16le"),
  "c/latin.txt": Buffer.from("caf\xe9 needle\n", "latin1"),
  "c/fold.txt": "\u212aelvin needle\nstra\u00dfe\n",
  "d\nnewline/f.txt": "needle\n",
  "-dash.txt": "needle\nneedle\n",
  "raw\udcff.txt": "needle\n",
};

const CALLS: readonly Record<string, unknown>[] = [
  { pattern: "needle" },
  { pattern: "needle", context: 2, max_results: 20 },
  { pattern: "line\\na", multiline: true, max_results: 5 },
  { pattern: "needle", output: "files" },
  { pattern: "needle", output: "count" },
  { pattern: "needle", case: "insensitive", offset: 100 },
  { pattern: "n\\w+e\\b" },
  { pattern: "needle$" },
  { pattern: "needle", encoding: "latin1" },
  { pattern: "kelvin|STRASSE", case: "insensitive" },
  { pattern: "no such thing anywhere" },
  { pattern: "(" },
];

test(`fault-32: ${RUNS} runs of each engine: the same pages and artifacts, byte for byte`, async () => {
  const workspace = await Workspace.open({ mounts: [{ host: makeTree(TREE) }] });
  const answers = new Map<string, string>();
  const engines = new Set<string>();
  let artifacts = 0;
  process.env["QUARRY_CACHE_DIR"] = makeTree({});
  const target = workspace.resolve(undefined, "directory");
  await buildOf({ root: target.mount.hostRoot, target, files: [] }, new IndexStore(makeIndexFolder()));
  for (const engine of CHOICES) {
    const { grep, read_file: readFile } = tools(workspace, { engine, artifacts: { owner: "same answers" } });
    for (let n = 0; n < RUNS; n++) {
      for (const call of n === 0 ? CALLS : CALLS.slice(0, OFTEN)) {
        const result = await grep.call(call);
        if (!result.isError) engines.add(result.value.meta.engine);
        let artifact = "";
        if (!result.isError && result.value.artifact !== null) {
          const page = await readFile.call({ path: result.value.artifact.locator });
          assert.ok(!page.isError, page.text);
          artifact = page.text;
          artifacts += 1;
        }
        const answer = JSON.stringify([result.text, artifact]);
        const key = JSON.stringify(call);
        const first = answers.get(key);
        if (first === undefined) answers.set(key, answer);
        else assert.equal(answer, first, `${engine}, run ${n}, ${key}`);
      }
    }
  }
  assert.equal(answers.size, CALLS.length);
  assert.deepEqual([...engines].sort(), ["index", "kernel", "ripgrep", "wasm"]);
  assert.ok(artifacts >= RUNS * CHOICES.length);
});
