import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { folder } from "./harness.js";

/** The folder of an installed package, by a path in it that can be imported. */
function installed(name: string): string {
  return dirname(fileURLToPath(import.meta.resolve(`${name}/package.json`)));
}

/** Copies of this package and of quarry, with what they depend on beside them, but without ripgrep's program. */
export function installedWithoutProgram(): string {
  const modules = join(folder(), "node_modules");
  const source = join(dirname(fileURLToPath(import.meta.resolve("@vscode/ripgrep"))), "../../..");
  for (const name of ["dsh-tool-fs-search", "quarry"]) {
    const from = installed(name);
    for (const part of ["dist", "package.json"])
      cpSync(join(from, part), join(modules, name, part), { recursive: true });
    const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(from, "package.json"), "utf8")) as Record<
      "dependencies" | "peerDependencies",
      Record<string, string> | undefined
    >;
    for (const one of Object.keys({ ...dependencies, ...peerDependencies })) {
      if (one === "quarry" || one.startsWith("@vscode/")) continue;
      mkdirSync(dirname(join(modules, one)), { recursive: true });
      symlinkSync(join(source, one), join(modules, one));
    }
  }
  for (const name of readdirSync(join(source, "@vscode"))) {
    cpSync(join(source, "@vscode", name), join(modules, "@vscode", name), { recursive: true });
    rmSync(join(modules, "@vscode", name, "bin"), { recursive: true, force: true });
  }
  return join(modules, "dsh-tool-fs-search");
}
