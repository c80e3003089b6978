import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOf, examplesOf, outputMatches } from "./markdown.js";

test("blocks and the commands in them are found, with their lines", () => {
  const markdown = [
    "text",
    "```console",
    "$ one",
    "out",
    "",
    "$ two \\",
    "  more",
    "```",
    "````sh",
    "```",
    "````",
  ].join("\n");
  const [first, second] = blocksOf(markdown);
  assert.ok(first !== undefined && second !== undefined);
  assert.deepEqual([first.language, first.line, second.language, second.body], ["console", 2, "sh", "```"]);
  assert.deepEqual(examplesOf(first), [
    { command: "one", expected: ["out"], line: 3 },
    { command: "two \\\n  more", expected: [], line: 6 },
  ]);
});

test("a fence that is never closed is an error", () => {
  assert.throws(() => blocksOf("```ts\nx"), /line 1/);
});

test("expected output is literal but for its dots", () => {
  const cases: [string[], string, boolean][] = [
    [["a"], "a\n", true],
    [["a"], "b\n", false],
    [["a"], "a\nb\n", false],
    [["a", "..."], "a\nb\nc\n", true],
    [["a", "..."], "a\n", true],
    [["...", "c"], "a\nb\nc\n", true],
    [["took ... ms"], "took 12 ms\n", true],
    [["took ... ms"], "took\n12 ms\n", false],
    [["(a+)"], "(a+)\n", true],
    [[], "", true],
    [[], "x\n", false],
  ];
  for (const [expected, output, matches] of cases) {
    assert.equal(outputMatches(expected, output), matches, JSON.stringify([expected, output]));
  }
});
