import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import type { EngineStatus } from "../../search/engine.js";
import { searchEnvironment } from "./arguments.js";

/** Where the program is, or a sentence why it cannot be used. */
export type Binary = { readonly path: string } | { readonly problem: string };

/**
 * The packaged ripgrep.
 * @param given another program in its place; null for the packaged one.
 */
export async function findBinary(given: string | null): Promise<Binary> {
  let path = given;
  if (path === null) {
    try {
      // Loaded when needed: without the platform's package this import throws, and that must not end the program.
      path = (await import("@vscode/ripgrep")).rgPath;
    } catch {
      return {
        problem: `ripgrep is not installed for ${process.platform}-${process.arch} (@vscode/ripgrep has a package for each platform)`,
      };
    }
  }
  try {
    await access(path, constants.F_OK);
  } catch {
    return { problem: "ripgrep's program file is missing" };
  }
  try {
    await access(path, constants.X_OK);
  } catch {
    return { problem: "ripgrep's program file is not executable" };
  }
  return { path };
}

/** Asks the program for its version; ends it after five seconds. */
export async function probe(binary: Binary): Promise<EngineStatus> {
  if ("problem" in binary) return { available: false, detail: binary.problem };
  return new Promise((resolve) => {
    const child = spawn(binary.path, ["--no-config", "--version"], {
      stdio: ["ignore", "pipe", "ignore"],
      env: searchEnvironment(),
    });
    let text = "";
    const timer = setTimeout(() => child.kill("SIGKILL"), 5_000);
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      if (text.length < 4_096) text += part;
    });
    child.on("error", (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      resolve({ available: false, detail: `ripgrep does not start (${error.code ?? "unknown reason"})` });
    });
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      const version = /^ripgrep (\S+)/.exec(text)?.[1];
      if (code === 0 && version !== undefined) resolve({ available: true, detail: `ripgrep ${version}` });
      else resolve({ available: false, detail: `ripgrep does not run (${signal ?? `exit status ${code}`})` });
    });
  });
}
