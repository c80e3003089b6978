// @ts-check
/**
 * The pages of the two contracts: every sentence (`contract.json`) and the tests that prove it. A test says which sentences it
 * proves at the beginning of its title: `[A-017] ...`, `[B-033] ...`.
 */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./tree.js";

/** @typedef {{ letter: "A" | "B", package: string, tests: readonly string[] }} Contract */

/** @type {Contract} The harness plugin. */
const PLUGIN = {
  letter: "A",
  package: "packages/dsh-tool-fs-search",
  tests: [
    "packages/dsh-tool-fs-search/test",
    "packages/quarry/test/executors",
    "packages/quarry/test/retention",
    "packages/quarry/test/structure",
    "packages/quarry/test/docs",
    "packages/quarry/test/dsh",
  ],
};

/** @type {Contract} The retrieval layer of a sandbox. */
const SANDBOX = { letter: "B", package: "packages/quarry", tests: ["packages/quarry/test"] };

/** A test's title as it is written, in any of the three quotes. */
const TITLE = /\btest\(\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`)/g;

/** @typedef {{ file: string, title: string, ids: string[] }} Proof */

/** @returns {string} CONTRACT.md of the harness plugin. */
export function contractPage() {
  return page(PLUGIN, "# Contract");
}

/** @returns {string} docs/sandbox-contract.md. */
export function sandboxContractPage() {
  return page(SANDBOX, "# The contract of the deerflow profile and of every sandbox");
}

/**
 * @param {Contract} of
 * @param {string} title
 * @returns {string} The page.
 * @throws {Error} Where a sentence has no test, or a test names a sentence that does not exist.
 */
function page(of, title) {
  /** @type {{ section: string, sentences: Record<string, string> }[]} */
  const contract = JSON.parse(readFileSync(join(ROOT, of.package, "contract.json"), "utf8"));
  const sentences = new Map(contract.flatMap((part) => Object.entries(part.sentences)));
  const proofs = readProofs(of);
  const unknown = proofs.flatMap(({ file, ids }) =>
    ids.filter((id) => !sentences.has(id)).map((id) => `${file} names ${id}`),
  );
  const unproven = [...sentences.keys()].filter((id) => !proofs.some((proof) => proof.ids.includes(id)));
  if (unknown.length > 0)
    throw new Error(`tests name sentences that contract.json does not have: ${unknown.join("; ")}`);
  if (unproven.length > 0) throw new Error(`sentences of contract.json that no test names: ${unproven.join(", ")}`);
  const lines = [
    title,
    "",
    `${sentences.size} sentences, each with the tests that prove it. What a test's title says is what it checks.`,
  ];
  for (const { section, sentences: own } of contract) {
    lines.push("", `## ${section}`, "", "| id | sentence | proven by |", "| --- | --- | --- |");
    for (const [id, text] of Object.entries(own)) {
      const tests = proofs.filter((proof) => proof.ids.includes(id)).map((proof) => `${proof.file}: ${proof.title}`);
      lines.push(`| ${id} | ${cell(text)} | ${[...new Set(tests)].map(cell).join("<br>")} |`);
    }
  }
  return `${lines.join("\n")}\n`;
}

/**
 * @param {Contract} of
 * @returns {Proof[]}
 */
function readProofs({ letter, tests }) {
  const id = new RegExp(`\\[(${letter}-\\d{3})\\]`, "g");
  return tests.flatMap((folder) =>
    filesIn(folder).flatMap((name) => {
      const file = `${folder}/${name}`.replace(/^packages\//, "").replace("/test/", "/");
      return [...readFileSync(join(ROOT, folder, name), "utf8").matchAll(TITLE)].flatMap((match) => {
        const whole = match[1] ?? match[2] ?? match[3] ?? "";
        const ids = [...whole.matchAll(id)].map((found) => String(found[1]));
        if (ids.length === 0) return [];
        const title = whole
          .replace(/\[[AB]-\d{3}\]/g, "")
          .replace(/\$\{rg\.version\}/g, "13 and 15")
          .replace(/\$\{(\w+)\}/g, "<$1>")
          .replace(/\\(["'`])/g, "$1")
          .trim();
        return [{ file, title, ids }];
      });
    }),
  );
}

/** @param {string} folder */
function filesIn(folder) {
  try {
    return /** @type {string[]} */ (readdirSync(join(ROOT, folder), { recursive: true }))
      .filter((name) => name.endsWith(".test.ts"))
      .sort();
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "ENOENT") return [];
    throw error;
  }
}

/** @param {string} text */
function cell(text) {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ").replaceAll("&lt;br>", "<br>");
}
