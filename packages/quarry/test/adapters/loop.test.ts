/** The loop of the contract, by a model in a real agent: no program to start, no bash, the change on disk and nothing else. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CHANGED } from "../deerflow/change.js";
import { ROOT } from "../deerflow/place.js";
import { PACKAGE } from "../support/tour.js";
import { makeTree } from "../support/tree.js";
import { installedWithoutProgram } from "../support/without-program.js";
import type { Printed } from "./changing-agent.js";

/** Loaded first: a process that anything here would start ends this one instead. */
const NO_PROCESSES = `
const processes = require("node:child_process");
for (const name of ["spawn", "spawnSync", "exec", "execSync", "execFile", "execFileSync", "fork"])
  processes[name] = () => process.exit(77);
require("node:module").syncBuiltinESMExports();
`;

test("[B-001][B-002][B-066] fault-62: a LangGraph agent completes glob, grep, read_file, str_replace on a copy of a real repository, with no ripgrep, bash, PATH or process", () => {
  const site = makeTree({
    "quarry.yaml": "profile: deerflow\nthreads: { host: threads }\ngroups: [file:read, file:write]\n",
    "no-processes.cjs": NO_PROCESSES,
    "cache/.keep": "",
  });
  const root = join(site, "threads/t-1/workspace");
  mkdirSync(root, { recursive: true, mode: 0o700 });
  cpSync(join(PACKAGE, "src"), join(root, "src"), { recursive: true });
  const before = contents(root);

  const agent = join(PACKAGE, "dist-test/adapters/changing-agent.js");
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [`--require=${join(site, "no-processes.cjs")}`, agent, installedWithoutProgram(), join(site, "quarry.yaml"), "t-1"],
    { encoding: "utf8", env: { PATH: "", QUARRY_CACHE_DIR: join(site, "cache") }, timeout: 60_000 },
  );
  assert.equal(status, 0, stderr);

  const run = JSON.parse(stdout) as Printed;
  assert.deepEqual(run.offered, ["ls", "glob", "grep", "read_file", "str_replace", "write_file"]);
  assert.deepEqual(
    run.answers.map(({ name, status: how }) => [name, how]),
    [
      ["glob", "success"],
      ["grep", "success"],
      ["read_file", "success"],
      ["str_replace", "success"],
    ],
  );
  assert.equal(run.last, "done");
  for (const { text } of run.answers) assert.ok(!text.includes(site), text);
  assert.equal(run.answers[0]?.text, `Found 1 paths under ${ROOT}\n1. ${ROOT}/${CHANGED.file}`);

  const after = contents(root);
  const old = before.get(CHANGED.file) ?? "";
  const at = old.indexOf(CHANGED.from, old.indexOf("  timeoutMs: {"));
  const changed = `${old.slice(0, at)}${CHANGED.to}${old.slice(at + CHANGED.from.length)}`;
  assert.deepEqual(after, new Map([...before, [CHANGED.file, changed]]));
});

/** Every file below a folder, byte for byte. */
function contents(root: string): Map<string, string> {
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" }).sort();
  const files = paths.filter((path) => statSync(join(root, path)).isFile());
  return new Map(files.map((path) => [path, readFileSync(join(root, path), "latin1")]));
}
