#!/usr/bin/env node
// @ts-check
/** Runs the tests of the harness plugin and fails unless every line, branch and function of each of its files was run. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "./lib/tree.js";

const PACKAGE = "dsh-tool-fs-search";
const scratch = mkdtempSync(join(tmpdir(), "quarry-coverage-"));
try {
  const c8 = ["--check-coverage", "--100", "--per-file", "--all", "--src", `packages/${PACKAGE}/dist`];
  c8.push("--include", `packages/${PACKAGE}/dist/**/*.js`, "--reporter", "text");
  c8.push("--temp-directory", join(scratch, "raw"), "--reports-dir", join(scratch, "report"));
  const command = [
    join(ROOT, "node_modules", "c8", "bin", "c8.js"),
    ...c8,
    process.execPath,
    "scripts/test.js",
    PACKAGE,
  ];
  const { status } = spawnSync(process.execPath, command, { cwd: ROOT, stdio: "inherit" });
  process.exitCode = status ?? 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
