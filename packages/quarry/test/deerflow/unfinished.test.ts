/** An engine that fails, or that says what is not true: never an empty answer, and nothing that is not in the file. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { resolveSettings } from "#src/config/settings.js";
import { QuarryError } from "#src/errors/errors.js";
import { grepText } from "#src/profiles/deerflow/texts.js";
import type { GrepFound } from "#src/sandbox/sandbox.js";
import type { EngineReport, FileBatch, FileHits, SearchEngine } from "#src/search/engine.js";
import { Clock } from "#src/tools/clock.js";
import { grepIn } from "#src/tools/local-grep.js";
import { VirtualPaths } from "#src/tools/local-place.js";
import { place, ROOT } from "./place.js";

type Says = (batch: FileBatch) => readonly Omit<FileHits, "target">[];

const REPORT: EngineReport = { filesSearched: 0, binary: 0, unreadable: [], incomplete: null, reason: null };

function engine(says: Says, report: Partial<EngineReport>): SearchEngine {
  return {
    name: "ripgrep",
    status: () => Promise.resolve({ available: true, detail: "" }),
    search: async (job, sink) => {
      for await (const batch of job.batches)
        for (const found of says(batch)) if (!(await sink({ ...found, target: batch.target }))) return REPORT;
      return { ...REPORT, ...report };
    },
  };
}

async function ask(says: Says, report: Partial<EngineReport>): Promise<GrepFound> {
  const { workspace } = await place({ "a.txt": "hit\n", "b.txt": "hit\n" });
  const made = engine(says, report);
  const rooms = {
    workspace,
    settings: resolveSettings(),
    engine: () => Promise.resolve(made),
    store: () => null,
    pcre2: false,
  };
  const question = { pattern: "hit", path: ROOT, glob: null, literal: false, caseSensitive: false, maxResults: 10 };
  const clock = new Clock(60_000, undefined);
  try {
    return await grepIn({ ...rooms, paths: new VirtualPaths(workspace) }, question, clock, undefined);
  } finally {
    clock.stop();
  }
}

const hit = (line: number, text: string): FileHits["hits"][number] => ({
  line,
  column: 0,
  text: Buffer.from(text),
  cut: false,
});

test("fault-12: an engine that could not finish and found nothing is an error, with its reason", async () => {
  await assert.rejects(
    ask(() => [], { incomplete: "engine", reason: "a worker died" }),
    (error: unknown) => {
      assert.ok(error instanceof QuarryError);
      assert.equal(error.code, "SEARCH_FAILED");
      assert.match(error.message, /could not be finished: a worker died/);
      return true;
    },
  );
});

test("fault-12: what was found before an engine failed is kept, and the answer says that it is not all", async () => {
  const says: Says = () => [{ path: "a.txt", hits: [hit(1, "hit")], guarded: false }];
  const found = await ask(says, { incomplete: "engine", reason: "a worker died" });
  assert.equal(found.unfinished, true);
  assert.equal(
    grepText(ROOT, found),
    `Found 1 matches under ${ROOT}\n${ROOT}/a.txt:1: hit\nINCOMPLETE: the search could not be finished: a worker died.`,
  );
});

test("a line that is not in the file, and a file that is gone, are not shown, and counted", async () => {
  const says: Says = () => [
    { path: "a.txt", hits: [hit(1, "hit"), hit(2, "hit")], guarded: false },
    { path: "b.txt", hits: [hit(1, "forged")], guarded: false },
    { path: "gone.txt", hits: [hit(1, "hit")], guarded: false },
  ];
  const found = await ask(says, {});
  assert.deepEqual(
    found.matches.map(({ path, lineNumber }) => [path, lineNumber]),
    [[`${ROOT}/a.txt`, 1]],
  );
  assert.equal(found.skipped.changed, 3);
});
