#!/usr/bin/env node
// @ts-check
/**
 * Runs the compiled tests of every package with Node's own runner, each file in a process of its own, one more at once than there are cores.
 *
 *     node scripts/test.js [--full] [--generated] [--name <pattern>] [part of a file's path ...]
 *
 * Without `--full` tests with generated cases run a share of them, and the longest files are left out, as the last line says; `--generated` runs the files with such tests alone.
 *
 * Fails where Node's runner would, and also when no test ran at all, when a file holds no test, and when a test is
 * skipped without a reason. With QUARRY_NO_SKIPS=1 (CI) only what this machine cannot be is accepted as a reason: "needs macOS",
 * "needs Windows", "needs Node 22" and the like, and only where it is true.
 */
import { setMaxListeners } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { delimiter, join, relative } from "node:path";
import { finished } from "node:stream/promises";
import { run } from "node:test";
import { inspect, parseArgs } from "node:util";
import { hasGeneratedCases, listCompiledTests, ROOT } from "./lib/tree.js";
import { skipProblem } from "./lib/skips.js";

/** A file that takes longer is killed and fails. */
const FILE_TIMEOUT_MS = Number(process.env["QUARRY_TEST_TIMEOUT_MS"] ?? 300_000);
/** More than cores: some tests wait for time to pass. */
const CONCURRENCY = availableParallelism() + 1;
/** Files that take longest, in this order: they start first, so that none of them runs on alone at the end. */
const LONG = [
  "engines/oracle",
  "edit/killed-anywhere",
  "tools/oracle",
  "engines/bash-conformance",
  "engines/bash-system-conformance",
  "cli/commands",
  "mcp/closed-loop",
  "mcp/protocol",
  "tools/incomplete",
  "real-rg",
  "dsh/in-process-oracle",
  "hostile",
  "engines/index-conformance",
  "engines/kernel-workers",
  "walk/ignore-oracle",
  "tools/same-answers",
  "engines/wasm",
  "mcp/roots",
  "engines/ripgrep",
  "docs/readme",
  "engines/kernel-proven",
  "cli/ending",
];

/** Files that repeat with another program, at length, or by waiting, what others ask: `--full` runs them, or who names them. */
const FULL_ONLY = [
  "engines/bash-conformance",
  "engines/ripgrep-failures",
  "mcp/roots",
  "edit/swap",
  "dsh-tool-fs-search/dist-test/time-limits",
  "engines/bash-system-conformance",
  "engines/kernel-proven",
  "engines/held-workers",
  "engines/wasm-version",
  "engines/auto-oracle",
  "cli/held",
  "edit/hostile",
  "edit/killed-anywhere",
  "deerflow/linux",
  "side-by-side",
  "engines/index-conformance",
  "engines/auto-conformance",
  "engines/wasm-conformance",
  "mcp/no-program",
  "config/attack",
  "engines/kernel-workers",
  "dsh/without-program",
  "cli/profile",
  "cli/config",
  "deerflow/limits",
  "cli/index-command",
  "engines/index-held",
  "engines/three-trees",
  "engines/index-unseen",
  "engines/index-update",
  "mcp/foreign",
  "mcp/indexed",
  "tools/remembered-walk",
];

const { values: options, positionals: filters } = parseArgs({
  allowPositionals: true,
  options: {
    name: { type: "string" },
    full: { type: "boolean", default: false },
    generated: { type: "boolean", default: false },
  },
});

const files = listCompiledTests()
  .filter((file) => filters.length === 0 || filters.some((f) => file.includes(f)))
  .filter((file) => !options.generated || hasGeneratedCases(file))
  .filter((file) => options.full || filters.length > 0 || !isFullOnly(file))
  .sort((a, b) => place(a) - place(b));
if (files.length === 0) {
  console.error(
    filters.length === 0 ? "no compiled tests; run `npm run build` first" : `no test file matches ${filters.join(" ")}`,
  );
  process.exit(1);
}

// What tests leave behind goes with this folder. Others may enter it: some tests run a program as another user.
const scratch = mkdtempSync(join(tmpdir(), "quarry-test-"));
chmodSync(scratch, 0o755);
process.env["TMPDIR"] = scratch;
if (options.full) process.env["QUARRY_FULL"] = "1";
// The runner refuses to run inside itself; here that is meant (the test of this script does it).
delete process.env["NODE_TEST_CONTEXT"];
// npm puts the programs of all packages in front, and one of them is called rg: tests are to find what a user's shell finds.
process.env["PATH"] = (process.env["PATH"] ?? "")
  .split(delimiter)
  .filter((folder) => !/[\\/]node_modules[\\/]\.bin$|[\\/]node-gyp-bin$/.test(folder))
  .join(delimiter);

/** @type {string[]} */
const problems = [];
/** @type {string[]} */
const summary = [];
let executed = 0;

const stop = new AbortController();
// Each file listens to it.
setMaxListeners(0, stop.signal);
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) {
  process.once(signal, () => {
    problems.push(`stopped by ${signal}`);
    stop.abort();
  });
}

const events = run({
  files,
  concurrency: CONCURRENCY,
  timeout: FILE_TIMEOUT_MS,
  signal: stop.signal,
  ...(options.name === undefined ? {} : { testNamePatterns: [options.name] }),
});
events.on("test:complete", ({ name, nesting, details }) => {
  if (nesting !== 0 || !isFile(name)) return;
  console.log(`${(details.duration_ms / 1000).toFixed(1).padStart(7)} s  ${short(name)}`);
});
events.on("test:pass", passed);
events.on("test:fail", failed);
events.on("test:stdout", ({ message }) => process.stdout.write(message));
events.on("test:stderr", ({ message }) => process.stdout.write(message));
events.on("test:diagnostic", ({ file, message }) => {
  // Node's totals come without a file, at the very end; a test's own words (its seed) come with one.
  if (file === undefined) summary.push(message);
  else console.log(`          ${short(file)}: ${message}`);
});
events.resume();
await finished(events);

rmSync(scratch, { recursive: true, force: true });
if (executed === 0) problems.push("no test ran");
console.log("");
for (const line of summary) console.log(`# ${line}`);
if (!options.full && filters.length === 0) console.log(`# left to npm run check: ${FULL_ONLY.join(", ")}`);
if (problems.length > 0) {
  console.log("");
  for (const problem of problems) console.log(`FAILED ${problem}`);
  process.exitCode = 1;
}

/** @param {import("node:test").EventData.TestPass} test */
function passed({ file, name, skip, todo }) {
  if (isFile(name)) {
    if (options.name === undefined) problems.push(`${short(name)} holds no test`);
    return;
  }
  const title = `${short(file ?? "")}: ${name}`;
  if (todo !== undefined) {
    problems.push(`${title} is marked todo`);
  } else if (skip !== undefined) {
    const reason = typeof skip === "string" ? skip : "";
    // Node 20 reports every test that --name leaves out.
    if (reason === "test name does not match pattern") return;
    console.log(`     skip ${title} # ${reason}`);
    const problem = skipProblem(reason, { strict: process.env["QUARRY_NO_SKIPS"] === "1" });
    if (problem !== null) problems.push(`${title} ${problem}`);
  } else {
    executed += 1;
  }
}

/** @param {import("node:test").EventData.TestFail} test */
function failed({ file, name, details: { error } }) {
  executed += 1;
  // What fails only because a test inside it did says nothing new.
  if ("failureType" in error && error.failureType === "subtestsFailed") return;
  const title = isFile(name) ? short(name) : `${short(file ?? "")}: ${name}`;
  problems.push(title);
  console.log(`\nnot ok ${title}\n${inspect(error.cause ?? error, { depth: 6 })}\n`);
}

/** @param {string} file */
function place(file) {
  const at = LONG.findIndex((name) => file.endsWith(`/${name}.test.js`));
  return at === -1 ? LONG.length : at;
}

/** @param {string} file */
function isFullOnly(file) {
  return FULL_ONLY.some((name) => file.endsWith(`/${name}.test.js`));
}

/** @param {string} name */
function isFile(name) {
  return files.includes(name);
}

/** @param {string} file */
function short(file) {
  return relative(ROOT, file)
    .replace("/dist-test/", "/")
    .replace("packages/", "")
    .replace(/\.test\.js$/, "");
}
