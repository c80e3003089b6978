import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PACKAGE } from "./tour.js";
import { makeTree } from "./tree.js";

/** A copy of the package, with what it depends on beside it, but without ripgrep's program. */
export function installedWithoutProgram(): string {
  const modules = join(makeTree({}), "node_modules");
  const quarry = join(modules, "quarry");
  const source = packageFolder();
  mkdirSync(quarry, { recursive: true });
  for (const part of ["bin", "dist", "package.json"])
    cpSync(join(PACKAGE, part), join(quarry, part), { recursive: true });
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
    peerDependencies: Record<string, string>;
  };
  for (const name of Object.keys({ ...dependencies, ...peerDependencies }).filter(
    (one) => !one.startsWith("@vscode/"),
  )) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(source, name), join(modules, name));
  }
  for (const name of readdirSync(join(source, "@vscode"))) {
    cpSync(join(source, "@vscode", name), join(modules, "@vscode", name), { recursive: true });
    rmSync(join(modules, "@vscode", name, "bin"), { recursive: true, force: true });
  }
  return quarry;
}

function packageFolder(): string {
  return join(dirname(fileURLToPath(import.meta.resolve("ripgrep"))), "../..");
}
