#!/usr/bin/env node
// @ts-check
/**
 * Packs each package as it would be published, installs the tarballs into an empty folder, and uses them there: what is
 * missing from `files`, `exports` or `dependencies` shows here and nowhere else.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listPackages } from "./lib/tree.js";

const folder = mkdtempSync(join(tmpdir(), "quarry-pack-"));
try {
  const packages = listPackages().map((path) => ({ path, name: nameOf(path) }));
  const tarballs = packages.map(({ path }) => {
    const [packed] = JSON.parse(run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], path));
    return join(folder, packed.filename);
  });
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", ...tarballs], folder);
  for (const { name } of packages)
    run(process.execPath, ["--input-type=module", "-e", `await import("${name}")`], folder);
  writeFileSync(join(folder, "note.txt"), "a needle in it\n");
  const quarry = join(folder, "node_modules", ".bin", "quarry");
  const version = run(quarry, ["--version"], folder).trim();
  const found = run(quarry, ["grep", "needle", "note.txt"], folder);
  if (!found.includes("a needle in it")) throw new Error(`the installed quarry did not find the line:\n${found}`);
  console.log(`packed, installed and used: ${packages.map((p) => p.name).join(", ")} (quarry ${version})`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 */
function run(command, args, cwd) {
  return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

/** @param {string} path */
function nameOf(path) {
  return String(JSON.parse(readFileSync(join(path, "package.json"), "utf8")).name);
}
