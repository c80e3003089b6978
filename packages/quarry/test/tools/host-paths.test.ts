import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { tools, createWorkspace, type Tool } from "#src/index.js";
import { generatedRuns } from "../support/cases.js";
import { makeTree } from "../support/tree.js";
import { grepWith } from "./opened.js";

const base = makeTree({
  "ws/a/ok.txt": "fine\n",
  "ws/out": { link: "../secret" },
  "ws/loop": { link: "loop" },
  "ws/shut": { text: "x", mode: 0 },
  "ws/pipe": { fifo: true },
  "secret/k.txt": "KEY\n",
});
const root = `${base}/ws`;

const path = fc.oneof(
  fc.constantFrom(
    "none",
    "a",
    "out",
    "out/k.txt",
    "loop",
    "pipe",
    "shut",
    "..",
    "a/../..",
    "a/ok.txt/x",
    "@artifacts",
    "~",
    "",
    "\0",
    "[",
    "{",
    "x".repeat(300),
  ),
  fc.constantFrom(
    root,
    `${root}/a/none`,
    `${root}/../secret/k.txt`,
    `${root}-evil`,
    `file://${root}/none`,
    `${root.toUpperCase()}/a`,
    `${root.replaceAll("/", "\\")}\\none`,
  ),
);
const pattern = fc.constantFrom(
  "(",
  "[",
  "*",
  "x{99999}",
  "(?=x)",
  "fine",
  "\0",
  "\\",
  `${"x".repeat(200_000)}`,
  "\\p{Nope}",
  "(?P<a>x)(?P<a>y)",
);
const call = fc.record({ path, pattern, glob: path, number: fc.constantFrom(-1, 0, 1, 1e9, Number.NaN) });

test("no output of a call that fails holds a host path", async (t) => {
  const workspace = await createWorkspace({ roots: [root] });
  const { grep, glob, read_file, ls } = tools(workspace, { artifacts: false });
  let failed = 0;
  const runs = generatedRuns(t, 60);
  await fc.assert(
    fc.asyncProperty(call, async (c) => {
      const calls: [Tool, unknown][] = [
        [grep, { pattern: c.pattern, path: c.path }],
        [grep, { pattern: "fine", path: [c.path, "a"], glob: c.glob }],
        [glob, { pattern: c.glob, path: c.path }],
        [read_file, { path: c.path, start_line: c.number }],
        [ls, { path: c.path, depth: c.number }],
      ];
      for (const [tool, args] of calls) {
        const result = await tool.call(args);
        if (result.isError) failed += 1;
        if (result.isError)
          assert.notEqual(result.value.error.code, "INTERNAL", `${JSON.stringify(args).slice(0, 300)}: ${result.text}`);
        const said = result.text + JSON.stringify(result.value);
        for (const host of [root, base, base.replaceAll("/", "\\"), base.slice(1)])
          assert.ok(!said.includes(host), `${tool.name} ${JSON.stringify(args).slice(0, 300)}: ${said.slice(0, 500)}`);
        assert.ok(!said.includes("KEY\n") && !/\/proc\/(self|\d+)\//.test(said), said.slice(0, 500));
      }
    }),
    { ...runs, examples: [[{ path: "none", pattern: "(", glob: "[", number: -1 }]] },
  );
  // The example's calls do; nearly all others too.
  assert.ok(failed > (runs.numRuns < 50 ? 3 : 100), `${failed} calls failed`);
});

test("an engine's own reason is shown, its host paths are not", async () => {
  const program = `${makeTree({})}/rg`;
  for (const [reason, told] of [
    [`rg: ${root}/a/ok.txt: something odd`, /something odd/],
    [`rg: out of memory in ${root}`, /out of memory/],
    // Words that are not ripgrep's own may hold any path of the host: the status alone is told.
    [`panicked at ${root}/x.rs:1`, /status 2/],
  ] as const) {
    writeFileSync(program, `#!/bin/sh\necho '${reason}' >&2\nexit 2\n`);
    chmodSync(program, 0o755);
    const result = await (await grepWith(root, program)).call({ pattern: "fine" });
    assert.ok(result.isError || !result.complete, result.text);
    assert.ok(!JSON.stringify(result).includes(base), JSON.stringify(result));
    assert.match(result.text, told);
  }
});
