import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { DSH_ENGINES, DSH_SETTINGS, SEARCH_CODES } from "quarry/dsh";

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
/** A documentation comment as one line of text. */
const flowing = (text: string): string => text.replace(/\n \* {1,3}/g, " ");

test("[A-080] README, generated page and the exported documentation carry every field, default and code", () => {
  const tables = [read("packages/dsh-tool-fs-search/README.md"), read("docs/dsh-plugin.md")];
  const config = flowing(read("packages/dsh-tool-fs-search/dist/config.d.ts"));
  const error = flowing(read("packages/dsh-tool-fs-search/dist/error.d.ts"));
  for (const [name, setting] of Object.entries(DSH_SETTINGS)) {
    const row = `| \`${name}\` | ${setting.default.toLocaleString("en-US")} | ${setting.unit} | ${setting.meaning} |`;
    for (const text of tables) assert.ok(text.includes(row), row);
    assert.ok(config.includes(`- \`${name}\` (${setting.default}): ${setting.meaning}`), name);
  }
  for (const [engine, meaning] of Object.entries(DSH_ENGINES)) {
    for (const text of tables) assert.ok(text.includes(`| \`${engine}\` | ${meaning} |`), engine);
    assert.ok(config.includes(`\`${engine}\`: ${meaning}`), engine);
  }
  for (const [code, meaning] of Object.entries(SEARCH_CODES)) {
    for (const text of tables) assert.ok(text.includes(`| \`${code}\` | ${meaning} |`), code);
    assert.ok(error.includes(`- \`${code}\`: ${meaning}`), code);
  }
});

test("[A-082][A-083] the README says that bash must find ripgrep, and that bash and the file tools need one workspace", () => {
  const readme = read("packages/dsh-tool-fs-search/README.md");
  assert.match(readme, /\*\*ripgrep \(`rg`, 13 or later\) on the `PATH` of the bash service\.\*\*/);
  assert.match(
    readme,
    /\*\*The same workspace for bash and the file tools\.\*\*[\s\S]*can be given to `read` only where[\s\S]*not checked at run time/,
  );
});

test("[A-084] the check fails where a line, branch or function of this package is not run", () => {
  assert.match(read("scripts/check.js"), /args: \["scripts\/coverage\.js"\]/);
  assert.match(read("scripts/coverage.js"), /"--check-coverage", "--100", "--per-file", "--all"/);
});

test("[A-085] CI installs ripgrep, and no test of this package skips where it could run", () => {
  assert.match(read(".ci/run"), /need_commands [^\n]*\brg:ripgrep\b/);
  const tests = readdirSync(new URL("../test", import.meta.url)).filter(
    (name) => name.endsWith(".test.ts") && !name.startsWith("documents"),
  );
  const skips = tests.flatMap((name) =>
    [...read(`packages/dsh-tool-fs-search/test/${name}`).matchAll(/skip: ([^}]*)\}/g)].map((match) => match[1]),
  );
  for (const skip of skips) assert.match(skip ?? "", /^process\.platform !== "linux" && "needs Linux" $/);
});

test("[A-093] commands, quoting, parsing and texts are Quarry's; this package only fits them to the harness", () => {
  for (const name of readdirSync(new URL("../src", import.meta.url))) {
    const source = read(`packages/dsh-tool-fs-search/src/${name}`);
    assert.doesNotMatch(
      source,
      /rg --|--glob|shellQuote|JSON\.parse|child_process|Found \$|No (?:files|matches) found/,
      name,
    );
    for (const [, from] of source.matchAll(/from "(quarry[^"]*)"/g)) assert.equal(from, "quarry/dsh");
  }
});
