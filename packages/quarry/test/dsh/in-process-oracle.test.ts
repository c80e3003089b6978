/** The engines in process answer the harness' questions as the contract's ripgrep commands do, text for text. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { generatedRuns } from "../support/cases.js";
import { removeTree } from "../support/tree.js";
import { answer, asked, byRipgrep, globs, inProcess, place, places, trees } from "./oracle.js";

test("[A-101] glob: generated trees, globs and places: the same text from ripgrep and from the walker", async (t) => {
  await fc.assert(
    fc.asyncProperty(
      trees,
      fc.array(fc.tuple(places, globs), { minLength: 1, maxLength: 4 }),
      async (spec, questions) => {
        const root = place(spec);
        try {
          for (const [where, pattern] of questions) {
            const { args, call } = asked(root, { ...where, pattern });
            const [wanted, got] = await Promise.all([
              answer(byRipgrep, "glob", args, call),
              answer(inProcess, "glob", args, call),
            ]);
            assert.equal(got, wanted, JSON.stringify({ args, call }));
          }
        } finally {
          removeTree(root);
        }
      },
    ),
    generatedRuns(t, 40),
  );
});

const PATTERNS = [
  "needle",
  "needle",
  "needle$",
  "^needle",
  "NEEDLE|a b",
  "e.a",
  "(?i)needle",
  "",
  ".",
  "\\s",
  "é",
  "\\r",
  "l(e",
  "[z",
  "a(?=b)",
  "a\\nb",
  "yz$",
  "^$",
  "x{2,1}",
  "\\xff",
];

test("[A-101] fault-12: grep: generated trees, patterns, includes and places: the same text from ripgrep and from the engines", async (t) => {
  const question = fc.tuple(
    places,
    fc.constantFrom(...PATTERNS.filter((p) => p !== "")),
    fc.option(globs, { nil: undefined }),
  );
  await fc.assert(
    fc.asyncProperty(trees, fc.array(question, { minLength: 1, maxLength: 4 }), async (spec, questions) => {
      const root = place(spec);
      try {
        for (const [where, pattern, include] of questions) {
          const { args, call } = asked(root, { ...where, pattern, include });
          const [wanted, got] = await Promise.all([
            answer(byRipgrep, "grep", args, call),
            answer(inProcess, "grep", args, call),
          ]);
          assert.equal(got, wanted, JSON.stringify({ args, call }));
        }
      } finally {
        removeTree(root);
      }
    }),
    generatedRuns(t, 40),
  );
});
