#!/usr/bin/env node
// @ts-check
/**
 * Everything that must hold before a change lands. Changes nothing in the work tree, and proves that.
 *
 *     node scripts/check.js [--no-tests]
 *
 * All steps run even when an early one fails, except those that need a build that failed. `--no-tests` is for a caller that
 * has just run them (CI); the tests of the repository's own structure run in any case.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { listPackages, ROOT } from "./lib/tree.js";
import { workTreeState } from "./lib/work-tree.js";

const { values: options } = parseArgs({ options: { "no-tests": { type: "boolean", default: false } } });

/** @param {string} name */
const bin = (name) => join(ROOT, "node_modules", ".bin", name);
const node = process.execPath;

/**
 * @typedef {{ name: string, command: string, args: string[], needsBuild?: boolean }} Step
 * @type {Step[]}
 */
const steps = [
  { name: "format", command: bin("oxfmt"), args: ["--check", "."] },
  { name: "types", command: bin("tsc"), args: ["-b"] },
  { name: "types of scripts", command: bin("tsc"), args: ["-p", "scripts"], needsBuild: true },
  { name: "types of bench", command: bin("tsc"), args: ["-p", "bench"], needsBuild: true },
  { name: "lint", command: bin("oxlint"), args: ["--type-aware", "--deny-warnings", "."], needsBuild: true },
  { name: "unused code", command: bin("knip"), args: [] },
  { name: "generated docs", command: node, args: ["scripts/docs.js", "--check"], needsBuild: true },
  ...optional("type table", "scripts/type-table.js", ["--check"]),
  ...optional("kernel", "scripts/kernel.js", ["--check"]),
  ...(options["no-tests"]
    ? [{ name: "structure", command: node, args: ["scripts/test.js", "/structure/"], needsBuild: true }]
    : [{ name: "tests", command: node, args: ["scripts/test.js", "--full"], needsBuild: true }]),
  { name: "coverage of the harness plugin", command: node, args: ["scripts/coverage.js"], needsBuild: true },
  ...listPackages().map((folder) => ({
    name: `publint ${folder.slice(ROOT.length + 1)}`,
    command: bin("publint"),
    args: ["--strict", folder],
    needsBuild: true,
  })),
  { name: "packed install", command: node, args: ["scripts/pack-smoke.js"], needsBuild: true },
];

const before = workTreeState();
/** @type {string[]} */
const failed = [];
/** @type {string[]} */
const table = [];
for (const step of steps) {
  if (step.needsBuild === true && failed.includes("types")) {
    table.push(`  not run        ${step.name} (needs the build)`);
    continue;
  }
  console.log(`\n== ${step.name}`);
  const started = performance.now();
  const { status, signal, error } = spawnSync(step.command, step.args, { cwd: ROOT, stdio: "inherit" });
  if (error !== undefined) console.error(error.message);
  if (signal === "SIGINT" || signal === "SIGTERM") process.exit(130);
  const ok = status === 0;
  if (!ok) failed.push(step.name);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  table.push(`  ${ok ? "ok    " : "FAILED"} ${seconds.padStart(6)} s  ${step.name}`);
}
const changed = workTreeState();
if (changed !== before) {
  failed.push("work tree");
  table.push("  FAILED           the check changed the work tree, or somebody did while it ran");
}

console.log(`\n${table.join("\n")}`);
if (failed.length > 0) {
  console.log(`\ncheck failed: ${failed.join(", ")}`);
  process.exitCode = 1;
} else {
  console.log("\ncheck passed");
}

/**
 * A step for a script that may not be there.
 * @param {string} name
 * @param {string} script
 * @param {string[]} args
 * @returns {Step[]}
 */
function optional(name, script, args) {
  return existsSync(join(ROOT, script)) ? [{ name, command: node, args: [script, ...args], needsBuild: true }] : [];
}
