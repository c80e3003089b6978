import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The package's folder. This file runs from `dist-test/support/`. */
export const PACKAGE = join(dirname(fileURLToPath(import.meta.url)), "../..");

/** A copy of `examples/tour`, a git work tree of its own, in which documented commands run with `quarry` on the PATH. */
export interface Tour {
  readonly folder: string;
  /** PATH with `quarry` and this Node in front, a home folder of its own, and nothing that could change an answer. */
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

/** Makes one below the system's temporary folder. */
export function makeTour(): Tour {
  const base = mkdtempSync(join(tmpdir(), "quarry-tour-"));
  const folder = join(base, "tour");
  const bin = join(base, "bin");
  const home = join(base, "home");
  mkdirSync(bin);
  mkdirSync(home);
  cpSync(join(PACKAGE, "../../examples/tour"), folder, { recursive: true });
  symlinkSync(join(PACKAGE, "bin/quarry.js"), join(bin, "quarry"));
  symlinkSync(process.execPath, join(bin, "node"));
  const env = { PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`, HOME: home, LANG: "C.UTF-8", TMPDIR: base };
  execFileSync("git", ["init", "--quiet", folder], { env });
  return { folder, env, remove: () => rmSync(base, { recursive: true, force: true }) };
}
