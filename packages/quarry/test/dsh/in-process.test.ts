import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { EngineReport, SearchEngine } from "#src/search/engine.js";
import { QuarryError } from "#src/errors/errors.js";
import { LocalBashExecutor } from "#src/executors/local.js";
import { inProcessFinder } from "#src/tools/dsh-in-process.js";
import { anyPlace } from "#src/tools/dsh-places.js";
import { makeTree } from "../support/tree.js";
import { answer, byRipgrep, inProcess } from "./oracle.js";

test("[A-101] fault-12: what cannot be read is told as ripgrep tells it, and is no empty answer", () => {
  const closed = { text: "needle\n", mode: 0 };
  const root = makeTree({
    "some/shut": { dir: true, mode: 0 },
    "some/open": "needle\n",
    "some/file": closed,
    "none/shut": { dir: true, mode: 0 },
    "alone/file": closed,
    "rules/.ignore": { text: "open\n", mode: 0 },
    "rules/open": "needle\n",
  });
  const child = fileURLToPath(new URL("./unreadable.js", import.meta.url));
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const printed = execFileSync(process.execPath, [child, root], { ...nobody, encoding: "utf8" });
  const answers = JSON.parse(printed) as [string, string, string][];
  assert.equal(answers.length, 27);
  for (const [question, wanted, got] of answers) assert.equal(got, wanted, question);
  assert.match(JSON.stringify(answers), /2 paths could not be read/);
});

test("[A-101] a named file is searched whatever is in it, and lines are whole however long", async () => {
  const long = `needle${"x".repeat(5_000)}`;
  const root = makeTree({ nul: `\0\nneedle\0 1\r\n${long}\n`, "late.txt": `${"line\n".repeat(30_000)}needle 2\0\n` });
  for (const path of ["nul", "late.txt", undefined]) {
    for (const pattern of ["needle", "ne{2}dle"]) {
      const ask = (finder: typeof inProcess): Promise<string> =>
        answer(finder, "grep", { pattern, path }, { workdir: root }, { grepMaxLineBytes: 100_000 });
      const got = await ask(inProcess);
      assert.equal(got, await ask(byRipgrep));
      if (path === "nul") assert.equal(got, `Found 2 matches\n\nnul\nLine 2: needle\0 1\nLine 3: ${long}`);
      if (path === undefined) assert.equal(got, "No matches found");
    }
  }
});

test("[A-101] names that are not UTF-8 are shown and told as with ripgrep", async () => {
  const root = makeTree({
    "caf\udce9.txt": "needle\n",
    "d\udcff/x": Buffer.from([0x6e, 0x65, 0x65, 0x64, 0x6c, 0x65, 0xfe]),
  });
  for (const [tool, args] of [
    ["glob", { pattern: "*" }],
    ["grep", { pattern: "needle" }],
    ["grep", { pattern: "needle", include: "caf?.txt" }],
    ["glob", { pattern: "d*/**" }],
  ] as const)
    assert.equal(
      await answer(inProcess, tool, args, { workdir: root }),
      await answer(byRipgrep, tool, args, { workdir: root }),
    );
});

test("fault-09: a folder that becomes a link while it is searched leads nowhere", async () => {
  const secret = makeTree({ "a/f0": "needle secret\n" });
  const root = makeTree(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`a/f${i}`, "needle\n"])));
  for (let round = 0; round < 5; round++) {
    const answers = Promise.all([
      answer(inProcess, "grep", { pattern: "needle" }, { workdir: root }),
      answer(inProcess, "grep", { pattern: "ne{2}dle" }, { workdir: root }),
    ]);
    await new Promise((resolve) => setTimeout(resolve, round));
    renameSync(join(root, "a"), join(root, "b"));
    symlinkSync(join(secret, "a"), join(root, "a"));
    for (const text of await answers) assert.doesNotMatch(text, /secret/);
    rmSync(join(root, "a"));
    renameSync(join(root, "b"), join(root, "a"));
  }
});

function engine(search: SearchEngine["search"]): SearchEngine {
  return { name: "auto", status: () => Promise.resolve({ available: true, detail: "" }), search };
}

const REPORT: EngineReport = { filesSearched: 1, binary: 0, unreadable: [], incomplete: null, reason: null };

for (const [what, search, message] of [
  [
    "cannot run",
    () => Promise.reject(new QuarryError("ENGINE_UNAVAILABLE", "no engine can answer this: wasm: no WebAssembly")),
    "SEARCH_FAILED: grep could not search: no engine can answer this: wasm: no WebAssembly",
  ],
  [
    "dies in the middle",
    () => Promise.resolve({ ...REPORT, incomplete: "engine", reason: "a worker was lost" } as const),
    "SEARCH_FAILED: grep could not be finished: a worker was lost",
  ],
] as const) {
  test(`[A-103] fault-12 fault-62: an engine that ${what} is SEARCH_FAILED with its reason`, async () => {
    const root = makeTree({ a: "needle\n" });
    const finder = inProcessFinder(anyPlace(new LocalBashExecutor({ workdir: root })), engine(search));
    assert.equal(await answer(finder, "grep", { pattern: "needle" }, {}), message);
    assert.equal(await answer(finder, "glob", { pattern: "*" }, {}), "a");
  });
}

test("[A-103] fault-14: a file with more matches than are read ends the search, and memory stays bounded", async () => {
  const root = makeTree({ big: "needle\n".repeat(4_000_000) });
  for (const pattern of ["needle", "ne{2}dle"]) {
    const text = await answer(inProcess, "grep", { pattern }, { workdir: root }, { rawOutputMaxBytes: 1_000_000 });
    assert.match(
      text,
      /^SEARCH_RAW_OUTPUT_OVERFLOW: .*over 1000000 bytes; narrow pattern, path, or include and call again$/,
    );
  }
  const peak = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0);
  assert.ok(peak < 600_000, `${peak} kB`);
});

test("[A-101] a working directory that is not there, or a service that has none, is SEARCH_FAILED", async () => {
  const gone = join(makeTree({}), "gone");
  assert.equal(
    await answer(inProcess, "glob", { pattern: "*" }, { workdir: gone }),
    "SEARCH_FAILED: glob cannot search: the working directory cannot be opened (ENOENT)",
  );
  const none = inProcessFinder(
    anyPlace({
      resolve: () => {
        throw new Error("no folder");
      },
    }),
  );
  assert.equal(
    await answer(none, "grep", { pattern: "x" }, {}),
    "SEARCH_FAILED: grep has no working directory: no folder",
  );
});
