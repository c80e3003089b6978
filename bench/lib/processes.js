// @ts-check
/** Programs whose output is read through a pipe, as a caller would. */
import { spawn } from "node:child_process";

/** @typedef {{ file: string, args: string[], cwd: string }} Command */

/**
 * Runs it to its end and hands over its output as it comes. Exit status 1 means "nothing found" and is fine.
 * @param {Command} command
 * @param {AbortSignal} signal
 * @param {(chunk: Buffer) => void} onChunk
 * @param {(pid: number) => void} [onStart]
 * @returns {Promise<void>}
 */
export function readAll(command, signal, onChunk, onStart) {
  return new Promise((resolve, reject) => {
    const child = spawn(command.file, command.args, { cwd: command.cwd, stdio: ["ignore", "pipe", "pipe"], signal });
    let said = "";
    child.on("spawn", () => onStart?.(/** @type {number} */ (child.pid)));
    child.stdout.on("data", onChunk);
    child.stderr.on("data", (chunk) => (said += chunk));
    child.on("error", reject);
    child.on("close", (status, killedBy) => {
      if (status === 0 || status === 1) resolve();
      else reject(new Error(`${command.args.join(" ")}: ended with ${killedBy ?? status}: ${said}`));
    });
  });
}

/** @param {Command} command @param {AbortSignal} signal */
export async function countLines(command, signal) {
  let lines = 0;
  await readAll(command, signal, (chunk) => {
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines += 1;
  });
  return lines;
}

/**
 * The `total` of the JSON value that `quarry --json` prints.
 * @param {Command} command
 * @param {AbortSignal} signal
 */
export async function countTotal(command, signal) {
  /** @type {Buffer[]} */
  const chunks = [];
  await readAll(command, signal, (chunk) => void chunks.push(chunk));
  return /** @type {number} */ (JSON.parse(Buffer.concat(chunks).toString("utf8")).total);
}
