// @ts-check
/** The state of the work tree, to be compared before and after. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { ROOT } from "./tree.js";

/** @returns {string} Differs whenever `git status` or the content of a changed tracked file does. */
export function workTreeState() {
  const status = git("status", "--porcelain=v1", "-z", "--untracked-files=all");
  const diff = git("diff", "HEAD", "--binary");
  return createHash("sha256").update(status).update("\0").update(diff).digest("hex");
}

/** @param {string[]} args */
function git(...args) {
  return execFileSync("git", args, { cwd: ROOT, maxBuffer: 1 << 30 });
}

/** @returns {string} The commit, and whether anything differs from it. */
export function workTreeCommit() {
  const commit = git("rev-parse", "--short", "HEAD").toString("utf8").trim();
  return git("status", "--porcelain").length === 0 ? commit : `${commit}, changed`;
}
