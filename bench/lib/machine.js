// @ts-check
/** Where the numbers come from, without a name of a host or a folder. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, release, totalmem } from "node:os";
import { join } from "node:path";
import { FFF, PUBLISHED_PLUGIN, REPOSITORY, ripgrep } from "./places.js";

export function machine() {
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync("git", args, { cwd: REPOSITORY, encoding: "utf8" }).trim();
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: git("rev-parse", "--short", "HEAD"),
    changed: git("status", "--porcelain", "--", "packages", "bench/*.js", "bench/lib") !== "",
    quarry: versionIn(join(REPOSITORY, "packages/quarry")),
    ripgrep: RG_VERSION,
    peers: {
      "@ff-labs/fff-node": versionIn(FFF),
      "@deepseek-ai/dsh-tool-fs-search": versionIn(PUBLISHED_PLUGIN),
      csearch: csearchVersion(),
    },
    node: process.version,
    system: `${process.platform} ${release()} ${process.arch}`,
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  };
}

/** @param {string} folder */
function versionIn(folder) {
  try {
    return String(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version);
  } catch {
    return "not installed";
  }
}

/** It does not tell its version; Debian's package does. */
function csearchVersion() {
  try {
    const args = ["-W", "-f", "${Version}", "codesearch"];
    return execFileSync("dpkg-query", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }) || "unknown";
  } catch {
    return "unknown";
  }
}

const RG_VERSION = execFileSync(await ripgrep(), ["--version"], { encoding: "utf8" }).split("\n", 1)[0] ?? "";
