/** A command's start is most of a small search: what it does not need is not loaded. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeTree } from "../support/tree.js";
import { BIN, CACHE } from "./quarry.js";

const root = makeTree({ "a.txt": "needle\n" });
const scratch = makeTree({
  "hook.mjs": `import { register } from "node:module"; register("./loads.mjs", import.meta.url);`,
  "loads.mjs": `import { appendFileSync } from "node:fs";
export async function load(url, context, next) {
  appendFileSync(process.env.LOADED, url + "\\n");
  return next(url, context);
}`,
});

/** The modules that a command loads, as URLs. */
function loadedBy(args: readonly string[]): string[] {
  const list = join(scratch, args.join("-").replace(/\W/g, "_"));
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--import", join(scratch, "hook.mjs"), BIN, ...args, "--root", root],
    { encoding: "utf8", env: { PATH: process.env["PATH"], QUARRY_CACHE_DIR: CACHE, LOADED: list } },
  );
  assert.equal(status, 0, stderr);
  const urls = readFileSync(list, "utf8").split("\n").slice(0, -1);
  assert.ok(urls.some((url) => url.endsWith("/cli/main.js")));
  return urls;
}

const UNUSED =
  /node_modules\/(?:zod|yaml|@modelcontextprotocol)\/|\/files\/(?:edit|write)-|\/mcp\/|\/engines\/(?:wasm|bash)\//;

test("a command loads neither the MCP server, nor what edits or configures, nor an engine that does not answer", () => {
  for (const [args, also] of [
    [["glob", "*.txt"], /\/engines\/(?:ripgrep|kernel|auto)\//],
    [["read", "a.txt"], /\/engines\/(?:ripgrep|kernel|auto)\//],
    [["grep", "needle"], /\/engines\/kernel\/(?:engine|search|worker)/],
    [["grep", "needle", "--engine", "ripgrep"], /\/engines\/kernel\//],
  ] as const) {
    const urls = loadedBy(args);
    assert.deepEqual(
      urls.filter((url) => UNUSED.test(url) || also.test(url)),
      [],
      args.join(" "),
    );
  }
});
