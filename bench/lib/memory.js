// @ts-check
/** The largest resident memory of a program and everything it started, together, sampled from /proc. */
import { readdirSync, readFileSync } from "node:fs";
import { readAll } from "./processes.js";

const EVERY_MS = 5;
/** Pages are 4 KiB on every system where the bench runs. */
const PAGE_BYTES = 4096;

/**
 * One run apart from the timed ones, since sampling costs time.
 * @param {import("./processes.js").Command} command
 * @param {AbortSignal} signal
 * @returns {Promise<number>} Bytes; 0 where it ended before it could be seen.
 */
export async function peakOf(command, signal) {
  /** @type {PeakWatch | null} */
  let watch = null;
  try {
    await readAll(
      command,
      signal,
      () => {},
      (pid) => (watch = new PeakWatch(pid)),
    );
  } finally {
    /** @type {PeakWatch | null} */ (watch)?.end();
  }
  return /** @type {PeakWatch | null} */ (watch)?.peak ?? 0;
}

/** Samples a process and everything below it. Shared pages count once for each process that has them: an upper bound. Linux only. */
export class PeakWatch {
  /** Bytes. */
  peak = 0;
  #timer;

  /** @param {number} pid */
  constructor(pid) {
    const sample = () => void (this.peak = Math.max(this.peak, residentOfTree(pid)));
    sample();
    this.#timer = setInterval(sample, EVERY_MS);
  }

  end() {
    clearInterval(this.#timer);
  }
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
