#!/usr/bin/env node
// @ts-check
/**
 * Runs every test with generated cases for long, and records seed and counts of a whole run in `docs/soak.json`.
 *
 *     npm run soak -- [--times 7] [--seed N] [part of a file's path ...]
 *
 * Each test runs so many times the cases of a full run: with 7 every engine answers 2,100 generated questions as rg does.
 */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { hasGeneratedCases, listCompiledTests, ROOT } from "./lib/tree.js";
import { workTreeCommit } from "./lib/work-tree.js";

/** A file of a soak run may take this long. */
const FILE_TIMEOUT_MS = 3 * 3_600_000;

const { values: options, positionals: filters } = parseArgs({
  allowPositionals: true,
  options: { times: { type: "string", default: "7" }, seed: { type: "string" } },
});
const times = Number(options.times);
const seed = Number(options.seed ?? Math.floor(Math.random() * 2 ** 31));
if (!Number.isSafeInteger(times) || times < 1 || !Number.isSafeInteger(seed) || seed < 0) {
  console.error("--times and --seed take whole numbers");
  process.exit(2);
}

const files = listCompiledTests()
  .filter(hasGeneratedCases)
  .filter((file) => filters.length === 0 || filters.some((part) => file.includes(part)));
if (files.length === 0) {
  console.error("no test with generated cases");
  process.exit(2);
}
console.log(`${files.length} files, ${times} times the cases of a full run, seed ${seed}`);

const started = performance.now();
const output = await run([join(ROOT, "scripts/test.js"), ...files], {
  QUARRY_FULL: "1",
  QUARRY_TIMES: String(times),
  QUARRY_SEED: String(seed),
  QUARRY_TEST_TIMEOUT_MS: String(FILE_TIMEOUT_MS),
});
const record = {
  date: new Date().toISOString().slice(0, 10),
  commit: workTreeCommit(),
  node: process.version,
  seed,
  times,
  seconds: Math.round((performance.now() - started) / 1000),
  tests: total("tests"),
  pass: total("pass"),
  fail: total("fail"),
  generatedTests: [...output.text.matchAll(/^ +(\S+: .*: \d+ cases), QUARRY_SEED=\d+$/gm)]
    .map((match) => match[1])
    .sort(),
  files: files.map((file) => relative(ROOT, file).replace("/dist-test/", "/test/").replace(/\.js$/, ".ts")),
};
if (filters.length === 0) {
  writeFileSync(join(ROOT, "docs/soak.json"), `${JSON.stringify(record, null, 2)}\n`);
  console.log("\nrecorded in docs/soak.json");
} else {
  console.log(`\n${JSON.stringify(record, null, 2)}\nnot recorded: a part only`);
}
process.exitCode = output.status;

/** @param {string} name */
function total(name) {
  return Number(new RegExp(`^# ${name} (\\d+)$`, "m").exec(output.text)?.[1] ?? 0);
}

/**
 * @param {string[]} args
 * @param {Record<string, string>} env
 * @returns {Promise<{ status: number, text: string }>}
 */
function run(args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    // Ctrl-C reaches all of a terminal's processes; what is sent to this one alone is handed on.
    for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) process.once(signal, () => child.kill(signal));
    let text = "";
    child.stdout.on("data", (chunk) => {
      process.stdout.write(chunk);
      text += chunk;
    });
    child.on("error", reject);
    child.on("close", (status) => resolve({ status: status ?? 1, text }));
  });
}
