import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { rgPath } from "@vscode/ripgrep";
import { folder } from "./harness.js";

/** A ripgrep that the shell can be made to find. */
export interface Ripgrep {
  /** e.g. `13.0.0`. */
  readonly version: string;
  readonly folder: string;
}

function versionIn(path: string): string | null {
  try {
    return (
      /^ripgrep (\S+)/.exec(
        execFileSync("bash", ["-c", "rg --version"], {
          env: { PATH: path },
          encoding: "utf8",
          stdio: ["ignore", "pipe", "ignore"],
        }),
      )?.[1] ?? null
    );
  } catch {
    return null;
  }
}

const packaged = dirname(rgPath);
const system = ["/usr/bin", "/usr/local/bin", "/bin"].find((path) => versionIn(`${path}:/usr/bin:/bin`) !== null);

/** The packaged ripgrep, and the system's where it has another: Debian 12 has 13.0.0, and CI installs it. It is asked in a full run. */
export const RIPGREPS: readonly Ripgrep[] = [packaged, process.env["QUARRY_FULL"] === "1" ? system : undefined]
  .filter((path) => path !== undefined)
  .map((path) => ({ version: versionIn(`${path}:/usr/bin:/bin`) ?? "unknown", folder: path }))
  .filter((rg, at, all) => all.findIndex((other) => other.version === rg.version) === at);

/** Puts a folder in front of the PATH that commands get, until the test ends. */
export function inPath(t: TestContext, path: string): void {
  const before = process.env["PATH"];
  process.env["PATH"] = `${path}:${before ?? ""}`;
  t.after(() => {
    process.env["PATH"] = before;
  });
}

/** A PATH on which everything is but ripgrep, until the test ends. */
export function withoutRg(t: TestContext): void {
  const bin = folder();
  for (const program of ["bash", "cat", "stat", "xargs", "sleep"]) {
    symlinkSync(execFileSync("bash", ["-c", `command -v ${program}`], { encoding: "utf8" }).trim(), join(bin, program));
  }
  const before = process.env["PATH"];
  process.env["PATH"] = bin;
  t.after(() => {
    process.env["PATH"] = before;
  });
}

/** A folder with a program of this name that is this shell script. */
export function program(name: string, script: string): string {
  const bin = join(folder(), "bin");
  mkdirSync(bin);
  execFileSync("bash", ["-c", `cat > "$1"`, "-", join(bin, name)], { input: `#!/bin/bash\n${script}\n` });
  chmodSync(join(bin, name), 0o755);
  return bin;
}
