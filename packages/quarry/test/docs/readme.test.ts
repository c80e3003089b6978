/**
 * The README is true: its `console` blocks run, in order, in one copy of `examples/tour`; its `ts` blocks compile and run
 * there with the built package, and print what a `text` block right after says; its `sh` blocks are proved by `.ci/run`.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { makeTour, PACKAGE, type Tour } from "../support/tour.js";
import { blocksOf, examplesOf, outputMatches, type Block } from "./markdown.js";

const REPOSITORY = join(PACKAGE, "../..");
const blocks = blocksOf(readFileSync(join(REPOSITORY, "README.md"), "utf8"));
const ofLanguage = (...languages: string[]): Block[] => blocks.filter((block) => languages.includes(block.language));

/** `sh` lines that nothing here can run, each with its reason. */
const NOT_RUN: Readonly<Record<string, string>> = {};

let tour: Tour;
let snippets: string;
before(() => {
  tour = makeTour();
  // Inside the package, so that `import "quarry"` and its types resolve as they do for a user.
  mkdirSync(join(PACKAGE, "dist-test"), { recursive: true });
  snippets = mkdtempSync(join(PACKAGE, "dist-test/readme-"));
});
after(() => {
  tour.remove();
  rmSync(snippets, { recursive: true, force: true });
});

test("console blocks do what they say", () => {
  const examples = ofLanguage("console").flatMap(examplesOf);
  assert.ok(examples.length > 0, "the README shows at least one command");
  for (const { command, expected, line } of examples) {
    const run = spawnSync("bash", ["-c", `exec 2>&1; ${command}`], {
      cwd: tour.folder,
      env: tour.env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 60_000,
    });
    const said = `README.md:${line}: $ ${command}\n${run.stdout}`;
    assert.equal(run.signal, null, said);
    // 1 is "no results": a fair example. An error that is meant is shown with `; echo $?`.
    assert.ok(run.status === 0 || run.status === 1, `exit status ${run.status}\n${said}`);
    assert.ok(outputMatches(expected, run.stdout), `${said}\n--- the README says:\n${expected.join("\n")}`);
  }
});

test("TypeScript blocks compile, run, and print what is said", () => {
  const typescript = blocks
    .map((block, at) => ({ block, next: blocks[at + 1] }))
    .filter(({ block }) => block.language === "ts");
  if (typescript.length === 0) return;
  for (const { block } of typescript) writeFileSync(join(snippets, `line-${block.line}.ts`), block.body);
  const config = {
    extends: join(REPOSITORY, "tsconfig.base.json"),
    compilerOptions: { composite: false, declaration: false, sourceMap: false, noUnusedLocals: false, rootDir: "." },
    include: ["*.ts"],
  };
  writeFileSync(join(snippets, "tsconfig.json"), JSON.stringify(config));
  const tsc = spawnSync(join(REPOSITORY, "node_modules/.bin/tsc"), ["-p", snippets], { encoding: "utf8" });
  assert.equal(tsc.status, 0, tsc.stdout);
  for (const { block, next } of typescript) {
    const run = spawnSync(process.execPath, [join(snippets, `line-${block.line}.js`)], {
      cwd: tour.folder,
      env: tour.env,
      encoding: "utf8",
      timeout: 60_000,
    });
    const said = `README.md:${block.line}\n${run.stdout}${run.stderr}`;
    assert.equal(run.status, 0, said);
    if (next?.language === "text") assert.ok(outputMatches(next.body.split("\n"), run.stdout), said);
  }
});

test("sh blocks are proved by .ci/run, or listed with a reason", () => {
  const proof = readFileSync(join(REPOSITORY, ".ci/run"), "utf8");
  const lines = ofLanguage("sh", "bash").flatMap((block) => block.body.split("\n"));
  const commands = lines.filter((line) => line.trim() !== "" && !line.startsWith("#"));
  assert.deepEqual(
    commands.filter((command) => !proof.includes(command) && !Object.hasOwn(NOT_RUN, command)),
    [],
  );
});

test("the two commands for a newcomer are there, word for word", () => {
  const lines = ofLanguage("sh", "bash").flatMap((block) => block.body.split("\n"));
  assert.ok(lines.includes('npm ci && npx quarry grep "some text" .'));
  assert.ok(lines.includes("npm ci && npm test"));
});

test("every block has a language that somebody checks", () => {
  const known = ["sh", "bash", "console", "ts", "text", "json"];
  assert.deepEqual(
    blocks.filter((block) => !known.includes(block.language)).map((block) => `line ${block.line}: ${block.language}`),
    [],
  );
  for (const block of ofLanguage("json")) JSON.parse(block.body);
});
