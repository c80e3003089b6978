/** The loop that the contract has to carry, over MCP, in a process with an empty PATH, no ripgrep and no bash. */
import assert from "node:assert/strict";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "../support/mcp.js";
import { PACKAGE } from "../support/tour.js";
import { makeTree } from "../support/tree.js";
import { installedWithoutProgram } from "../support/without-program.js";
import { CHANGED, changeOfTimeLimit } from "./change.js";
import { ROOT } from "./place.js";

const quarry = installedWithoutProgram();
const cache = makeTree({ "cache/.keep": "" });
const env = { PATH: "", QUARRY_CACHE_DIR: join(cache, "cache") };

test("[B-001][B-002][B-066] fault-62: ls, glob, grep, read_file, str_replace, write_file on a copy of a real repository; the change is on disk", async () => {
  const root = makeTree({});
  cpSync(join(PACKAGE, "src"), join(root, "src"), { recursive: true });
  const client = await connect("v2", {
    args: [join(quarry, "bin/quarry.js"), "mcp", "--profile", "deerflow", "--allow-write", "--root", root],
    env,
  });
  const answers: string[] = [];
  const call = async (name: string, args: Readonly<Record<string, unknown>>): Promise<string> => {
    const { text, isError } = await client.call(name, args);
    assert.equal(isError, false, text);
    answers.push(text);
    return text;
  };
  try {
    assert.deepEqual(
      (await client.tools()).map(({ name }) => name),
      ["ls", "glob", "grep", "read_file", "str_replace", "write_file"],
    );
    assert.match(await call("ls", { path: ROOT }), /\/src\/$/m);
    const before = readFileSync(join(root, CHANGED.file), "utf8");
    const model = changeOfTimeLimit();
    for (let step = model.next(); step.done !== true; step = model.next(await call(step.value.name, step.value.args)));
    const [head, tail] = before.split(`  timeoutMs: {\n    ${CHANGED.from}`);
    assert.equal(readFileSync(join(root, CHANGED.file), "utf8"), `${head}  timeoutMs: {\n    ${CHANGED.to}${tail}`);
    await call("write_file", { path: `${ROOT}/notes/limits.md`, content: "The time limit is 45 s.\n" });
    await call("write_file", { path: `${ROOT}/notes/limits.md`, content: "It was 30 s.\n", append: true });
    assert.equal(readFileSync(join(root, "notes/limits.md"), "utf8"), "The time limit is 45 s.\nIt was 30 s.\n");
    assert.match(await call("grep", { pattern: "45_000|45 s", path: ROOT }), /^Found 2 matches/);
    const wasm = await call("grep", { pattern: "^\\s+timeoutMs: (?:\\w|\\{)+$", path: ROOT });
    assert.match(wasm, /^Found \d+ matches/);
    for (const said of answers) assert.ok(!said.includes(root), said);
  } finally {
    await client.close();
  }
});
