import assert from "node:assert/strict";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { rgPath } from "@vscode/ripgrep";
import { generatedRuns } from "../support/cases.js";
import { makeTree } from "../support/tree.js";
import { grepWith, lines, open, openTree } from "./opened.js";

const TREE = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`f${i}`, "a needle\nhay\n".repeat(6)]));
const root = makeTree(TREE);
const folder = makeTree({});

/** A shell script in ripgrep's place: quick to start. */
function program(name: string, body: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Processes of this one, by their command. */
function children(): string[] {
  const found: string[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (Number(parent) === process.pid && state !== "Z") found.push(stat);
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}

/** Numbers from 0 to 1 that a seed gives again (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

test("fault-03, fault-12: an engine that prints rubbish, is killed at a random moment, or sleeps: 500 rounds, never a plain zero", async (t) => {
  const captured = join(folder, "captured");
  const truth = new Set(lines((await (await open(root, { artifacts: false })).grep({ pattern: "needle" })).value));
  const real = await (
    await grepWith(root, program("tee", `${rgPath} "$@" >${captured}; cat ${captured}`))
  ).call({ pattern: "needle" });
  assert.ok(!real.isError && real.value.total === 48);
  const size = readFileSync(captured).length;
  const { numRuns, seed } = generatedRuns(t, 500);
  const random = randomFrom(seed);
  const count = { error: 0, incomplete: 0, zero: 0 };
  for (let round = 0; round < numRuns; round++) {
    // Round 0 has nothing, round 1 everything before its end: what is asserted of all rounds together holds for any seed.
    const cut = round % 3 === 0 ? 0 : round === 1 ? size : Math.floor(random() * (size + 1));
    const noise = JSON.stringify(
      Array.from({ length: 1 + Math.floor(random() * 30) }, () => String.fromCharCode(32 + Math.floor(random() * 94)))
        .join("")
        .replace(/[\\$`"%]/g, "~"),
    );
    const kind = ["rubbish", "killed", "sleeps", "status"][round % 4] as "rubbish" | "killed" | "sleeps" | "status";
    const end = {
      rubbish: `printf '%s\\n' ${noise}; exit ${round % 8 < 4 ? 0 : 1}`,
      killed: `kill -${["KILL", "SEGV", "TERM", "ABRT"][Math.floor(random() * 4)]} $$`,
      sleeps: "exec sleep 20",
      status: `exit ${3 + Math.floor(random() * 200)}`,
    }[kind];
    const binary = program("rg", `head -c ${cut} ${captured}\n${end}`);
    const settings = { secondLookFiles: round % 10 === 0 ? 50 : 0, ...(kind === "sleeps" ? { timeoutMs: 60 } : {}) };
    const result = await (await grepWith(root, binary, settings)).call({ pattern: "needle" });
    const said = `round ${round}, ${kind}, cut ${cut} of ${size}, ${noise}: ${result.text}`;
    if (result.isError) {
      count.error += 1;
      assert.match(result.value.error.code, /^(SEARCH_FAILED|TIMED_OUT)$/, said);
      continue;
    }
    assert.equal(result.complete, false, said);
    const { coverage, matches = [] } = result.value;
    // Rubbish behind a line that was cut makes another line: then it is the file that seems to have changed.
    const reasons = { sleeps: ["timeout"], rubbish: ["engine", "changed"], killed: ["engine"], status: ["engine"] }[
      kind
    ];
    assert.ok(!coverage.complete && reasons.includes(coverage.reason ?? ""), said);
    assert.match(result.text.split("\n")[0] ?? "", /^INCOMPLETE: .*; \d+ files? searched\.$/, said);
    for (const line of lines(result.value)) assert.ok(truth.has(line), said);
    assert.equal(matches.length, result.value.shown, said);
    count[matches.length === 0 ? "zero" : "incomplete"] += 1;
  }
  t.diagnostic(JSON.stringify(count));
  assert.deepEqual(children(), []);
  assert.ok(count.error > 0 && count.incomplete > 0);
});

test("fault-53: a call that is cancelled or runs out of time keeps what it found, says how far it came, and leaves no process", async () => {
  const captured = readFileSync(join(folder, "captured"), "latin1");
  const slow = program("slow", `head -c ${captured.indexOf("./f3\0")} ${join(folder, "captured")}; exec sleep 20`);
  const timed = await (await grepWith(root, slow, { timeoutMs: 700 })).call({ pattern: "needle" });
  assert.ok(!timed.isError && timed.value.total > 0 && timed.value.coverage.reason === "timeout", timed.text);
  assert.match(
    timed.text,
    /^INCOMPLETE: the time limit was reached; \d files? searched\.\n\d+ matches in \d files\nf0\n1 a needle/,
  );
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 700);
  const cancelled = await (await grepWith(root, slow)).call({ pattern: "needle" }, { signal: abort.signal });
  assert.ok(
    !cancelled.isError && cancelled.value.total > 0 && cancelled.value.coverage.reason === "cancelled",
    cancelled.text,
  );
  assert.match(cancelled.text, /^INCOMPLETE: the call was cancelled; /);
  assert.deepEqual(children(), []);
});

test("a file that ends at a NUL byte behind its start is incomplete, with the reason", async () => {
  const at = await openTree({ f: `needle\n${"-".repeat(70_000)}\n\0 needle\n` }, { artifacts: false });
  const { value, text, complete } = await at.grep({ pattern: "needle" });
  assert.deepEqual([complete, value.coverage.reason, lines(value)], [false, "nul-byte", ["f:1:needle"]]);
  assert.match(text, /^INCOMPLETE: matches behind a NUL byte are not shown; /);
});

test("a cut page of an incomplete answer does not call its artifact complete", async () => {
  const at = await openTree({ f: `${"needle\n".repeat(20_000)}\0 needle\n` });
  const { text } = await at.grep({ pattern: "needle" });
  assert.match(text, /^INCOMPLETE: /);
  assert.match(text, /All that was found: @artifacts\/[0-9a-f]{16}\.txt\)/);
});

test("read_file ends with its call", async () => {
  const at = await openTree(
    { f: Buffer.alloc(80_000_000, "line of text\n") },
    { artifacts: false, settings: { timeoutMs: 10 } },
  );
  assert.equal((await at.error("read_file", { path: "f" })).code, "TIMED_OUT");
  const patient = await open(at.root, { artifacts: false });
  const started = performance.now();
  await assert.rejects(patient.read({ path: "f" }, { signal: AbortSignal.abort() }), /ABORTED/);
  assert.ok(performance.now() - started < 5_000);
});
