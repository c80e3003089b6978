import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { rgPath } from "@vscode/ripgrep";
import fc from "fast-check";
import { comparePaths, fromHostBytes, type RelPath } from "#src/paths/path.js";
import { QuarryError } from "#src/errors/errors.js";
import type { SearchEngine } from "#src/search/engine.js";
import type { LineQuery } from "#src/search/query.js";
import { generatedRuns } from "../support/cases.js";
import { removeTree } from "../support/tree.js";
import { generatedForm, generatedQuery, generatedTree, type GeneratedTree } from "./generated.js";
import { makePlace, run, type Place, type RunOptions } from "./place.js";

const QUERIES_PER_TREE = 20;
const FIRST_BUFFER_BYTES = 65_536;

/** What an engine has to answer, by what ripgrep itself says of the same files. */
interface Expected {
  readonly found: { readonly path: RelPath; readonly lines: string[] }[];
  readonly binary: number;
  readonly incomplete: "nul-byte" | null;
}

/**
 * Registers a test that compares engines with `rg --json` over generated trees and questions, which all of them are asked.
 * `QUARRY_SEED` and `QUARRY_CASES` choose others; the seed is printed, and `QUARRY_SHRINK` looks for the smallest tree that fails.
 * @param cases how many for each engine where `QUARRY_CASES` does not say.
 */
export function oracle(engines: Readonly<Record<string, SearchEngine>>, cases: number): void {
  test(`generated questions have rg's answer from ${Object.keys(engines).join(", ")}`, async (t) => {
    const { seed, numRuns: wanted } = generatedRuns(t, cases);
    let compared = 0;
    let withHits = 0;
    const property = fc.asyncProperty(
      generatedTree,
      fc.array(fc.tuple(generatedQuery, generatedForm), {
        minLength: QUERIES_PER_TREE,
        maxLength: QUERIES_PER_TREE,
        size: "max",
      }),
      async (tree, questions) => {
        const place = await makePlace(tree);
        try {
          for (const [query, form] of questions) {
            const expected = ask(place, tree, query);
            // At once: each is busy elsewhere, in threads or programs of its own.
            const answers = Object.entries(engines).map(([name, engine]) =>
              compare(engine, { place, tree, query, form }, expected, `${name}, seed ${seed}`),
            );
            for (const answer of await Promise.allSettled(answers))
              if (answer.status === "rejected") throw answer.reason;
            compared += 1;
            if (expected !== null && expected.found.length > 0) withHits += 1;
          }
        } finally {
          removeTree(place.root);
        }
      },
    );
    await fc.assert(property, {
      seed,
      numRuns: Math.max(1, Math.ceil(wanted / QUERIES_PER_TREE)),
      endOnFailure: process.env["QUARRY_SHRINK"] === undefined,
      reporter,
    });
    t.diagnostic(`seed ${seed}: ${compared} compared, ${withHits} with matches`);
    // A few trees alone may hold little that is asked for.
    if (compared >= 200) assert.ok(withHits * 3 > compared, "at least a third of the questions find something");
  });
}

interface Question {
  readonly place: Place;
  readonly tree: GeneratedTree;
  readonly query: LineQuery;
  readonly form: RunOptions;
}

/** Fails where an engine's answer is not the expected one, or it takes what ripgrep refuses. */
async function compare(
  engine: SearchEngine,
  { place, tree, query, form }: Question,
  expected: Expected | null,
  who: string,
): Promise<void> {
  const message = `${who}: ${JSON.stringify({ query, form })}`;
  if (expected === null) {
    await assert.rejects(
      run(engine, place, query, form),
      (e: unknown) => e instanceof QuarryError && e.code === "INVALID_PATTERN",
      message,
    );
    return;
  }
  const { found, report } = await run(engine, place, query, form);
  assert.deepEqual(found, expected.found, `${message}\n${differing(tree, found, expected.found)}`);
  assert.deepEqual(
    [report.binary, report.incomplete, report.filesSearched],
    [expected.binary, expected.incomplete, place.files.length],
    message,
  );
}

/** The first difference as it is; fast-check's own report is a page of bytes. */
function reporter(details: { readonly failed: boolean; readonly errorInstance: unknown }): void {
  if (details.failed) throw details.errorInstance;
}

/** The contents of the files that two answers differ in. */
function differing(tree: GeneratedTree, a: Expected["found"], b: Expected["found"]): string {
  const text = (found: Expected["found"], path: RelPath): string =>
    JSON.stringify(found.find((f) => f.path === path) ?? null);
  return Object.keys(tree)
    .filter((path) => text(a, path) !== text(b, path))
    .map(
      (path) =>
        `${JSON.stringify(path)}: ${JSON.stringify(
          tree[path]
            ?.toString("latin1")
            .replace(/(?:(?:neither nor )+\n)+/, "<filler>")
            .replace(/(\xc3\xa9){100,}/g, (m) => `<é*${m.length / 2}>`),
        )}`,
    )
    .join("\n");
}

interface JsonMatch {
  readonly line: number;
  readonly bytes: Buffer;
  readonly starts: readonly { readonly start: number; readonly end: number }[];
}

/**
 * ripgrep's own answer, one file at a time as far as NUL bytes go; null where it refuses the pattern. It walks the tree by
 * itself: with `--binary` it treats what it finds so as it treats named files, and the tree's other entries are no files.
 */
function ask(place: Place, tree: GeneratedTree, query: LineQuery): Expected | null {
  const byPath = new Map<RelPath, JsonMatch[]>();
  const args = ["--json", "--no-config", "--crlf", "--no-mmap", "--no-ignore", "--hidden", "--binary", "-j1"];
  if (query.multiline) args.push("-U");
  if (query.literal) args.push("-F");
  args.push({ sensitive: "-s", insensitive: "-i", smart: "-S" }[query.case], "-e", query.pattern, "--", "./");
  const { stdout, stderr, status } = spawnSync(rgPath, args, {
    cwd: place.root,
    maxBuffer: 1e9,
    env: { PATH: process.env["PATH"] },
  });
  if (/^rg: (?:regex|the literal|compiled)/m.test(stderr.toString())) return null;
  assert.ok(status === 0 || status === 1, `${status}: ${stderr.toString()}`);
  assert.equal(stderr.toString(), "");
  for (const record of stdout
    .toString("utf8")
    .split("\n")
    .filter((l) => l !== "")) {
    const { type, data } = JSON.parse(record) as {
      type: string;
      data: { path: Data; lines: Data; line_number: number; submatches: { start: number; end: number }[] };
    };
    if (type !== "match") continue;
    const path = fromHostBytes(bytesOf(data.path)).slice(2);
    const matches = byPath.get(path) ?? [];
    byPath.set(path, matches);
    matches.push({ line: data.line_number, bytes: bytesOf(data.lines), starts: data.submatches });
  }
  const found: Expected["found"] = [];
  let binary = 0;
  let incomplete: Expected["incomplete"] = null;
  for (const path of [...byPath.keys()].sort(comparePaths)) {
    const nul = firstNul(tree[path] as Buffer);
    if (nul !== null && nul.offset < FIRST_BUFFER_BYTES) {
      binary += 1;
      continue;
    }
    const all = (byPath.get(path) as JsonMatch[]).flatMap(linesOf);
    const lines = nul === null ? all : all.filter((l) => l.line < nul.line);
    if (lines.length < all.length) incomplete = "nul-byte";
    if (lines.length > 0) found.push({ path, lines: lines.map((l) => `${l.line}:${l.column}:${l.text}`) });
  }
  return { found, binary, incomplete };
}

type Data = { readonly text?: string; readonly bytes?: string };

function bytesOf(data: Data): Buffer {
  return data.text === undefined ? Buffer.from(data.bytes ?? "", "base64") : Buffer.from(data.text);
}

function linesOf(match: JsonMatch): { line: number; column: number; text: string }[] {
  const out: { line: number; column: number; text: string }[] = [];
  let from = 0;
  for (let n = 0; from < match.bytes.length || n === 0; n++) {
    const lf = match.bytes.indexOf(10, from);
    const end = lf === -1 ? match.bytes.length : lf + 1;
    const first = match.starts.find(
      (s) =>
        (s.start < end && s.end > from) ||
        (s.start >= from && s.start < end) ||
        (s.start === end && end === match.bytes.length),
    );
    const text = match.bytes
      .subarray(from, end)
      .toString("latin1")
      .replace(lf === -1 ? "" : /\r?\n$/, "");
    out.push({
      line: match.line + n,
      column: Math.max(0, (first?.start ?? from) - from),
      text: Buffer.from(text, "latin1").toString("utf8"),
    });
    from = end;
    if (match.bytes.length === 0) break;
  }
  return out;
}

function firstNul(content: Buffer): { offset: number; line: number } | null {
  if ((content[0] === 0xff && content[1] === 0xfe) || (content[0] === 0xfe && content[1] === 0xff)) return null;
  const offset = content.indexOf(0);
  return offset === -1 ? null : { offset, line: content.subarray(0, offset).toString("latin1").split("\n").length };
}
