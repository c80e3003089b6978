// @ts-check
/** Programs whose output is read through a pipe, as a caller would. */
import { spawn } from "node:child_process";

/** @typedef {{ file: string, args: string[], cwd: string, env?: Record<string, string> }} Command */

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
    const { file, args, cwd } = command;
    const env = { ...process.env, ...command.env };
    const child = spawn(file, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], signal });
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
  return /** @type {number} */ (JSON.parse(await readText(command, signal)).total);
}

/** Everything that it prints. @param {Command} command @param {AbortSignal} signal */
export async function readText(command, signal) {
  /** @type {Buffer[]} */
  const chunks = [];
  await readAll(command, signal, (chunk) => void chunks.push(chunk));
  return Buffer.concat(chunks).toString("utf8");
}

/** How many lines `rg --json` says to match. @param {Command} command @param {AbortSignal} signal */
export async function countMatches(command, signal) {
  const mark = Buffer.from('{"type":"match"');
  let matches = 0;
  /** @type {Buffer} */
  let rest = Buffer.alloc(0);
  await readAll(command, signal, (chunk) => {
    const text = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end = text.indexOf(10); end !== -1; end = text.indexOf(10, from)) {
      if (text.compare(mark, 0, mark.length, from, Math.min(end, from + mark.length)) === 0) matches += 1;
      from = end + 1;
    }
    rest = text.subarray(from);
  });
  if (rest.length > 0) throw new Error("rg --json ended within a line");
  return matches;
}

/**
 * Runs a program to its end, and says when its first line of output was there.
 * @param {Command} command
 * @param {AbortSignal} signal
 * @returns {Promise<{ line: string, ms: number }>} Milliseconds from its start.
 */
export async function firstLine(command, signal) {
  const started = performance.now();
  let said = "";
  let ms = Number.NaN;
  await readAll(command, signal, (chunk) => {
    said += chunk.toString("utf8");
    if (Number.isNaN(ms) && said.includes("\n")) ms = performance.now() - started;
  });
  if (Number.isNaN(ms)) throw new Error(`${command.args.join(" ")}: no line`);
  return { line: said.slice(0, said.indexOf("\n")), ms };
}
