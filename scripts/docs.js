#!/usr/bin/env node
// @ts-check
/**
 * Writes the documents that are made from the running product (a table in the code is the one source of each).
 *
 *     node scripts/docs.js            writes them
 *     node scripts/docs.js --check    changes nothing; fails where one is stale
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { GENERATED } from "./lib/generated.js";
import { ROOT } from "./lib/tree.js";

const check = process.argv.includes("--check");
let stale = 0;
for (const { file, make } of GENERATED) {
  const path = join(ROOT, file);
  const wanted = await make();
  const there = existsSync(path) ? readFileSync(path, "utf8") : null;
  if (there === wanted) continue;
  if (check) {
    stale += 1;
    console.error(`${file} is ${there === null ? "missing" : "stale"}; run \`npm run docs\``);
  } else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, wanted);
    console.log(`wrote ${file}`);
  }
}
if (stale > 0) process.exitCode = 1;
else if (check) console.log(`${GENERATED.length} generated documents are fresh`);
