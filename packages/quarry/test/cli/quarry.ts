import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE } from "../support/tour.js";
import { makeTree } from "../support/tree.js";

export const BIN = join(PACKAGE, "bin/quarry.js");
/** The cache of the commands that tests run. */
export const CACHE = join(makeTree({ "cache/.keep": "" }), "cache");
const ENV = { PATH: process.env["PATH"], HOME: makeTree({}), LANG: "C.UTF-8", QUARRY_CACHE_DIR: CACHE };

export interface Ran {
  readonly status: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `quarry` in a folder and waits for it. */
export function quarry(folder: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Ran {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    cwd: folder,
    env: { ...ENV, ...env },
    encoding: "utf8",
    maxBuffer: 1e9,
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { status, signal, stdout, stderr };
}

/** Runs a shell line in which `$Q` is the command. */
export function shell(folder: string, line: string, env: Readonly<Record<string, string>> = {}): Ran {
  const { status, signal, stdout, stderr } = spawnSync("bash", ["-c", line], {
    cwd: folder,
    env: { ...ENV, Q: `${process.execPath} ${BIN}`, ...env },
    encoding: "utf8",
    maxBuffer: 1e9,
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { status, signal, stdout, stderr };
}

/** Starts `quarry`, in a group of processes of its own. */
export function start(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): { readonly child: ChildProcess; readonly ended: Promise<Ran> } {
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: folder,
    env: { ...ENV, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<Ran>((resolve) =>
    child.on("close", (status, signal) => resolve({ status, signal, stdout, stderr })),
  );
  return { child, ended };
}

/** Runs `quarry` on a terminal, and gives what it wrote there. */
export function onTerminal(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): string {
  const quoted = [process.execPath, BIN, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  return spawnSync("script", ["-qec", quoted, "/dev/null"], {
    cwd: folder,
    env: { ...ENV, TERM: "xterm", ...env },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).stdout;
}

/** Processes of a group that are alive, by command. */
export function aliveIn(group: number): string[] {
  const alive: string[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const [state, , pgrp] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (Number(pgrp) === group && state !== "Z") alive.push(stat.slice(0, 60));
    } catch {
      // It has ended meanwhile.
    }
  }
  return alive;
}

/** Memory of a group of processes together, in bytes. */
export function memoryOf(group: number): number {
  let pages = 0;
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const [, , pgrp] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (Number(pgrp) === group) pages += Number(readFileSync(`/proc/${name}/statm`, "utf8").split(" ")[1]);
    } catch {
      // It has ended meanwhile.
    }
  }
  return pages * 4_096;
}
