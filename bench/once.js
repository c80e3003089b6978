#!/usr/bin/env node
// @ts-check
/**
 * A peer that is a library, as a program of its own: opened over a folder and asked. For its start and its memory.
 *
 *     node bench/once.js <fff|published|index|kernel|ripgrep|wasm> <folder> [--index] [--question <number>]...
 *
 * Prints a line of JSON for each answer or refusal; without a question, one when its index is ready (`--index`) or it is open.
 */
import { parseArgs } from "node:util";
import { libraryCalls } from "./lib/opened.js";
import { openFff, openPublished } from "./lib/peers.js";
import { QUESTIONS } from "./lib/questions.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { index: { type: "boolean", default: false }, question: { type: "string", multiple: true, default: [] } },
});
const [peer = "", root = ""] = positionals;
const { signal } = new AbortController();

/** @returns {Promise<(question: import("./lib/questions.js").Question) => number | Promise<number>>} */
async function open() {
  if (peer === "fff") {
    const fff = await openFff(root, values.index);
    return (question) => fff.ask(question, question.broad === true);
  }
  if (peer === "published") return openPublished(root, signal);
  return libraryCalls(root, /** @type {import("./lib/opened.js").Engine} */ (peer), signal);
}

const ask = await open();
if (values.question.length === 0) console.log(JSON.stringify({ count: 0, callMs: 0 }));
for (const at of values.question) {
  const started = performance.now();
  try {
    const count = await ask(/** @type {import("./lib/questions.js").Question} */ (QUESTIONS[Number(at)]));
    console.log(JSON.stringify({ count, callMs: performance.now() - started }));
  } catch (error) {
    // A peer may say no to one question and answer the next.
    console.log(JSON.stringify({ refused: String(error) }));
  }
}
process.exit(0);
