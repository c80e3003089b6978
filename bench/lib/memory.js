// @ts-check
/** The largest resident memory of a program and everything it started, together, sampled from /proc. */
import { readdirSync, readFileSync } from "node:fs";
import { readAll } from "./processes.js";

const EVERY_MS = 5;
/** Pages are 4 KiB on every system where the bench runs. */
const PAGE_BYTES = 4096;

/**
 * One run apart from the timed ones, since sampling costs time. Shared pages count once for each process that has them, so this is
 * an upper bound. Linux only.
 * @param {import("./processes.js").Command} command
 * @param {AbortSignal} signal
 * @returns {Promise<number | null>} Bytes; null where it ended before it could be seen.
 */
export async function peakOf(command, signal) {
  let peak = 0;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  try {
    await readAll(
      command,
      signal,
      () => {},
      (pid) => {
        const sample = () => (peak = Math.max(peak, residentOfTree(pid)));
        sample();
        timer = setInterval(sample, EVERY_MS);
      },
    );
  } finally {
    clearInterval(timer);
  }
  return peak === 0 ? null : peak;
}

/** @param {number} root */
function residentOfTree(root) {
  /** @type {Map<number, number[]>} */
  const children = new Map();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = read(`/proc/${name}/stat`);
    // The command's name is in parentheses and may hold any character.
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  let bytes = 0;
  const todo = [root];
  for (let pid = todo.pop(); pid !== undefined; pid = todo.pop()) {
    bytes += Number(read(`/proc/${pid}/statm`).split(" ")[1] ?? 0) * PAGE_BYTES;
    todo.push(...(children.get(pid) ?? []));
  }
  return bytes;
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, "latin1");
  } catch {
    // It ended between the listing and this.
    return "";
  }
}
