/** The loop that the contract has to carry, over MCP, in a process with an empty PATH, no ripgrep and no bash. */
import assert from "node:assert/strict";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "../support/mcp.js";
import { PACKAGE } from "../support/tour.js";
import { makeTree } from "../support/tree.js";
import { installedWithoutProgram } from "../support/without-program.js";
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
  const call = async (name: string, args: Record<string, unknown>): Promise<string> => {
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
    // Each step goes on from what the one before it said, as a model does.
    const file =
      /^1\. (.*tunables\.ts)$/m.exec(await call("glob", { pattern: "**/tunables.ts", path: ROOT }))?.[1] ?? "";
    const folder = file.slice(0, file.lastIndexOf("/"));
    const place = /^(.*):(\d+): .*timeoutMs: \{$/m.exec(
      await call("grep", { pattern: "timeoutMs: \\{", path: folder, glob: "*.ts" }),
    );
    assert.equal(place?.[1], file);
    const line = Number(place?.[2]);
    const old =
      (await call("read_file", { path: file, start_line: line, end_line: line + 1 })).split("\n(", 1)[0] ?? "";
    assert.match(old, /^ {2}timeoutMs: \{\n {4}default: 30_000,$/);
    const before = readFileSync(join(root, "src/config/tunables.ts"), "utf8");
    await call("str_replace", { path: file, old_str: old, new_str: old.replace("30_000", "45_000") });
    const after = readFileSync(join(root, "src/config/tunables.ts"), "utf8");
    assert.equal(after, before.replace(old, old.replace("30_000", "45_000")));
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
