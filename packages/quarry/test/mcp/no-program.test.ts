import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "../support/mcp.js";
import { makeTree } from "../support/tree.js";
import { installedWithoutProgram } from "../support/without-program.js";

const quarry = installedWithoutProgram();
const cache = makeTree({ "cache/.keep": "" });
const env = { PATH: "", QUARRY_CACHE_DIR: join(cache, "cache") };
const TREE = {
  "src/main.ts": "export const port = 80;\nexport const needle = port;\n",
  "src/other.ts": "export const other = 1;\n",
  "notes.txt": "a needle\nin a\nhaystack\n",
};

function cli(root: string, ...args: string[]): { readonly text: string; readonly status: number | null } {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [join(quarry, "bin/quarry.js"), ...args, "--root", root],
    { encoding: "utf8", env },
  );
  return { text: stdout + stderr, status };
}

test("fault-62: the closed loop over MCP without ripgrep's program and with an empty PATH", async () => {
  const root = makeTree(TREE);
  const server = { args: [join(quarry, "bin/quarry.js"), "mcp", "--allow-write", "--structured", "--root", root], env };
  const client = await connect("v2", server);
  try {
    assert.match((await client.call("glob", { pattern: "**/*.ts" })).text, /src\/main\.ts/);
    const kernel = await client.call("grep", { pattern: "needle" });
    assert.match(kernel.text, /notes\.txt/);
    assert.equal(meta(kernel.structured).engine, "kernel");
    const wasm = await client.call("grep", { pattern: "needle\\nin", multiline: true });
    assert.match(wasm.text, /notes\.txt/);
    assert.equal(meta(wasm.structured).engine, "wasm");
    assert.match(meta(wasm.structured).fallback ?? "", /^ripgrep: /);
    assert.ok(!wasm.text.includes("wasm"), "who answered is no part of the text");
    assert.match((await client.call("read_file", { path: "src/main.ts" })).text, /port = 80;/);
    const edited = await client.call("str_replace", {
      path: "src/main.ts",
      old_str: "port = 80",
      new_str: "port = 81",
    });
    assert.equal(edited.isError, false, edited.text);
    assert.match(readFileSync(join(root, "src/main.ts"), "utf8"), /port = 81/);
    assert.match((await client.call("grep", { pattern: "81;\\n", multiline: true })).text, /src\/main\.ts/);
  } finally {
    await client.close();
  }
});

test("fault-62: the command line without ripgrep's program: auto, kernel and wasm answer, ripgrep says why not", () => {
  const root = makeTree(TREE);
  const question = ["grep", "needle\\nin", "--multiline"];
  for (const engine of ["auto", "kernel", "wasm"]) {
    const { text, status } = cli(root, ...question, "--engine", engine);
    assert.equal(status, 0, text);
    assert.match(text, /notes\.txt/);
  }
  const missing = cli(root, ...question, "--engine", "ripgrep");
  assert.equal(missing.status, 2);
  assert.match(missing.text, /ripgrep/);
  assert.ok(!missing.text.includes(quarry));
  const doctor = cli(root, "doctor");
  assert.match(doctor.text, /BAD +engine ripgrep: /);
  assert.match(doctor.text, /ok +engine kernel: /);
  assert.match(doctor.text, /ok +engine wasm: /);
});

function meta(structured: unknown): { readonly engine: string; readonly fallback?: string } {
  return (structured as { readonly meta: { readonly engine: string; readonly fallback?: string } }).meta;
}
