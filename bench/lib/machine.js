// @ts-check
/** Where the numbers come from, without a name of a host or a folder. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";
import { basename, join } from "node:path";
import { REPOSITORY, ripgrep } from "./places.js";

/** @param {string} corpus */
export function machine(corpus) {
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync("git", args, { cwd: REPOSITORY, encoding: "utf8" }).trim();
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: git("rev-parse", "--short", "HEAD"),
    changed: git("status", "--porcelain", "--", "packages", "bench/*.js", "bench/lib") !== "",
    quarry: String(JSON.parse(readFileSync(join(REPOSITORY, "packages/quarry/package.json"), "utf8")).version),
    ripgrep: RG_VERSION,
    node: process.version,
    system: `${process.platform} ${process.arch}`,
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    corpus: basename(corpus),
  };
}

const RG_VERSION = execFileSync(await ripgrep(), ["--version"], { encoding: "utf8" }).split("\n", 1)[0] ?? "";
