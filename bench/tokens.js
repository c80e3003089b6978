#!/usr/bin/env node
// @ts-check
/**
 * What a page of grep costs a model: tokens (o200k) of Quarry's text beside the formats of its peers, over three fixed pages
 * of 100 matches.
 *
 *     node bench/tokens.js [--json]
 *
 * Every format shows the same 100 matches. Peers' lines are as they stand in the files, as the peers print them.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { createWorkspace, tools } from "../packages/quarry/dist/index.js";
import { PEER_FORMATS, RG_HEADING } from "./lib/formats.js";
import { makePage, PAGES, PATTERN } from "./lib/token-pages.js";

/** Where peers with absolute paths would be: a path of usual length, the same on every machine. */
const ROOT = "/home/user/project";

const HEADING = "(rg --heading)";

const { values: options } = parseArgs({ options: { json: { type: "boolean", default: false } } });

/** @type {Record<string, Record<string, number>>} */
const counts = {};
for (const { name, files } of PAGES) {
  const root = mkdtempSync(join(tmpdir(), "quarry-tokens-"));
  try {
    makePage(root, files);
    const { grep } = tools(await createWorkspace({ roots: [root] }), {
      artifacts: false,
      settings: { pageBytes: 100_000 },
    });
    const result = await grep.call({ pattern: PATTERN });
    if (result.isError || result.value.shown !== 100 || result.value.totalFiles !== files) throw new Error(result.text);
    const matches = (result.value.matches ?? []).map(({ path, line, text }) => ({ path, line, text }));
    /** @type {Record<string, number>} */
    const page = { Quarry: countTokens(result.text) };
    for (const [format, print] of Object.entries(PEER_FORMATS)) page[format] = countTokens(print(matches, 100, ROOT));
    page[HEADING] = countTokens(RG_HEADING(matches, 100, ROOT));
    counts[name] = page;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** @type {Record<string, number>} */
const sums = {};
for (const page of Object.values(counts))
  for (const [format, n] of Object.entries(page)) sums[format] = (sums[format] ?? 0) + n;
const { Quarry: ours = 0, [HEADING]: heading = 0, ...peers } = sums;
const best = Math.min(...Object.values(peers));
const ratio = ours / best;
if (options.json) console.log(JSON.stringify({ counts, sums, ratio }, null, 2));
else {
  const names = PAGES.map(({ name }) => name);
  console.log(`${"format".padEnd(32)}${[...names, "sum"].map((name) => name.padStart(8)).join("")}`);
  for (const format of Object.keys(sums)) {
    const row = [...names.map((name) => counts[name]?.[format] ?? 0), sums[format] ?? 0];
    console.log(`${format.padEnd(32)}${row.map((n) => String(n).padStart(8)).join("")}`);
  }
  console.log(`\nQuarry / best of the peers: ${ratio.toFixed(3)}; / rg --heading: ${(ours / heading).toFixed(3)}`);
}
