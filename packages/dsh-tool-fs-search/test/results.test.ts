import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SpillStore, type SaveTextSpill, type SpillLocator, type SpillRef } from "@deepseek-ai/dsh-spill";
import { agentIn, BASE, BASH, folder, loadRows, search, spill } from "./support/harness.js";

const HINT = "Use read with offset/limit, or grep this path to search within it.";

/** `count` files, oldest first, each with two lines that hold `hit`. */
function tree(count: number): string {
  const cwd = folder();
  mkdirSync(join(cwd, "d"));
  for (let i = 1; i <= count; i++) {
    const path = join(cwd, i % 2 === 0 ? "d" : ".", `f${String(i).padStart(2, "0")}`);
    writeFileSync(path, `hit ${i}\nno\nhit again\n`);
    utimesSync(path, i, i);
  }
  return cwd;
}

const CONFIG = { globMaxResults: 3, grepMaxMatches: 3 };

test("[A-070][A-061][A-062][A-075] a capped glob shows its page and where the whole list is; read back, it holds every path", async (t) => {
  const root = folder();
  const harness = await loadRows(t, [...BASE, BASH, spill(root), search(CONFIG)]);
  const text = await harness.text("glob", { pattern: "f*" }, { agent: agentIn(tree(5)) });
  const parts = /^f01\nd\/f02\nf03\n\n\(Showing 3 of 5 paths\. Full sorted result stored at: (\S+)\. (.*)\)$/.exec(
    text,
  );
  assert.ok(parts, text);
  assert.equal(parts[2], HINT);
  assert.equal(readFileSync(parts[1] as string, "utf8"), "f01\nd/f02\nf03\nd/f04\nf05");
  assert.ok((parts[1] as string).startsWith(`${root}/session-`));
  assert.match(parts[1] as string, /-glob-results\.txt$/);
});

test("[A-071][A-061][A-062][A-063] a capped grep shows its page and where everything is; read back, it holds every match", async (t) => {
  const root = folder();
  const harness = await loadRows(t, [...BASE, BASH, spill(root), search({ ...CONFIG, grepMaxLineBytes: 5 })]);
  const text = await harness.text("grep", { pattern: "hit" }, { agent: agentIn(tree(3)) });
  const cut = "hit a… (4 bytes of this line cut)";
  const parts = /^([\s\S]*)\n\n\(Full grep result stored at: (\S+)\. (.*)\)$/.exec(text);
  assert.ok(parts, text);
  assert.equal(parts[1], `Found 3 of 6 matches\n\nd/f02\nLine 1: hit 2\nLine 3: ${cut}\n\nf01\nLine 1: hit 1`);
  assert.equal(parts[3], HINT);
  assert.equal(
    readFileSync(parts[2] as string, "utf8"),
    `Found 6 matches\n\nd/f02\nLine 1: hit 2\nLine 3: ${cut}\n\nf01\nLine 1: hit 1\nLine 3: ${cut}\n\nf03\nLine 1: hit 3\nLine 3: ${cut}`,
  );
  assert.match(parts[2] as string, /-grep-results\.txt$/);
  // The hint can be followed: the artifact is a file that grep takes.
  assert.match(
    await harness.text("grep", { pattern: "hit 3", path: parts[2] as string }, { agent: agentIn(root) }),
    /^Found 1 match\n/,
  );
});

test("[A-065][A-072] at the cap, or under it, nothing is saved and the plain text stands", async (t) => {
  const root = folder();
  const harness = await loadRows(t, [...BASE, BASH, spill(root), search(CONFIG)]);
  assert.equal(await harness.text("glob", { pattern: "f*" }, { agent: agentIn(tree(3)) }), "f01\nd/f02\nf03");
  assert.equal(
    await harness.text("grep", { pattern: "hit [0-9]" }, { agent: agentIn(tree(3)) }),
    "Found 3 matches\n\nd/f02\nLine 1: hit 2\n\nf01\nLine 1: hit 1\n\nf03\nLine 1: hit 3",
  );
  assert.equal(
    await harness.text("grep", { pattern: "hit 1" }, { agent: agentIn(tree(3)) }),
    "Found 1 match\n\nf01\nLine 1: hit 1",
  );
  assert.deepEqual(readdirSync(root), []);
});

test("[A-074] empty answers", async (t) => {
  const harness = await loadRows(t, [...BASE, BASH, search()]);
  assert.equal(await harness.text("glob", { pattern: "f*" }, { agent: agentIn(folder()) }), "No files found");
  assert.equal(await harness.text("grep", { pattern: "f" }, { agent: agentIn(folder()) }), "No matches found");
});

const UNSAVED_GLOB =
  "(Showing 3 of 4 paths. The result was capped and the complete result could not be saved; narrow pattern or path to see more.)";
const UNSAVED_GREP =
  "(Showing 3 of 8 matches. The result was capped and the complete result could not be saved; narrow pattern, path, or include to see more.)";

/** The page stays and the call succeeds, with the footer for what could not be saved. */
async function staysWithout(
  harness: Awaited<ReturnType<typeof loadRows>>,
  agent: ReturnType<typeof agentIn> | undefined,
  warning: RegExp,
): Promise<void> {
  const options = agent === undefined ? {} : { agent };
  const glob = await harness.call("glob", { pattern: "f*" }, options);
  assert.equal(glob.isError, false);
  assert.equal(await harness.text("glob", { pattern: "f*" }, options), `f01\nd/f02\nf03\n\n${UNSAVED_GLOB}`);
  const grep = await harness.call("grep", { pattern: "hit" }, options);
  assert.equal(grep.isError, false);
  const text = await harness.text("grep", { pattern: "hit" }, options);
  assert.ok(text.startsWith("Found 3 of 8 matches\n\nd/f02\n") && text.endsWith(`\n\n${UNSAVED_GREP}`), text);
  for (const message of harness.logged("warn")) assert.match(message, warning);
  assert.equal(harness.logged("warn").length, 4);
}

test("[A-064][A-073][A-003] no spill store: the page stays, the footer says so, no error", async (t) => {
  const harness = await loadRows(t, [...BASE, BASH, search(CONFIG)]);
  await staysWithout(harness, agentIn(tree(4)), /complete result of g\w+ is not saved: there is no spill store/);
});

test("[A-064][A-073] no session: the same", async (t) => {
  const harness = await loadRows(t, [...BASE, { ...BASH, config: { cwd: tree(4) } }, spill(folder()), search(CONFIG)]);
  await staysWithout(harness, undefined, /is not saved: the call belongs to no session/);
});

test("[A-064][A-073] a save that fails: the same", async (t) => {
  const root = join(folder(), "is-a-file");
  writeFileSync(root, "");
  const harness = await loadRows(t, [...BASE, BASH, spill(root), search(CONFIG)]);
  await staysWithout(harness, agentIn(tree(4)), /is not saved: (?:EEXIST|ENOTDIR)/);
});

test("[A-061][A-003] the store is asked with owner, source, hint and content; it may come after the plugin", async (t) => {
  const harness = await loadRows(t, [...BASE, BASH, search(CONFIG)]);
  const saves: SaveTextSpill[] = [];
  class Store extends SpillStore {
    saveText(input: SaveTextSpill): Promise<SpillRef> {
      saves.push(input);
      // What a store throws need not be an error.
      if (saves.length === 3) return Promise.reject("disk on fire" as unknown as Error);
      return Promise.resolve({ locator: "db:17" as SpillLocator, bytes: 1, retrievalHint: "Use fetch_row." });
    }
  }
  await harness.ctx.plugin(Store);
  const agent = agentIn(tree(4), "session-9");
  const callId = "call-7" as SaveTextSpill["source"]["callId"];
  assert.match(
    await harness.text("glob", { pattern: "f*" }, { agent, callId }),
    /stored at: db:17\. Use fetch_row\.\)$/,
  );
  assert.match(
    await harness.text("grep", { pattern: "hit" }, { agent, callId }),
    /\(Full grep result stored at: db:17\. Use fetch_row\.\)$/,
  );
  assert.deepEqual(
    saves.map(({ owner, source, suggestedName }) => ({ owner, source, suggestedName })),
    [
      {
        owner: { sessionId: "session-9" },
        source: { toolName: "glob", callId: "call-7", label: "result" },
        suggestedName: "glob-results.txt",
      },
      {
        owner: { sessionId: "session-9" },
        source: { toolName: "grep", callId: "call-7", label: "result" },
        suggestedName: "grep-results.txt",
      },
    ],
  );
  assert.ok((await harness.text("glob", { pattern: "f*" }, { agent, callId })).endsWith(UNSAVED_GLOB));
  assert.deepEqual(harness.logged("warn"), ["tool-fs-search: the complete result of glob is not saved: disk on fire"]);
});

test("[A-066] a capped answer is complete: its value holds everything, and nothing in its text says otherwise", async (t) => {
  const harness = await loadRows(t, [...BASE, BASH, search(CONFIG)]);
  const result = await harness.call("grep", { pattern: "hit" }, { agent: agentIn(tree(4)) });
  assert.equal(result.isError, false);
  const value = result.value as { matches: unknown[]; notes: string[] };
  assert.equal(value.matches.length, 8);
  assert.deepEqual(value.notes, []);
  const glob = await harness.call("glob", { pattern: "f*" }, { agent: agentIn(tree(4)) });
  assert.deepEqual(glob.value, { paths: ["f01", "d/f02", "f03", "d/f04"], notes: [] });
});

test("[A-021][A-022][A-023][A-024][A-025] the defaults", async (t) => {
  const harness = await loadRows(t, [...BASE, BASH, spill(folder()), search()]);
  assert.match(
    await harness.text("glob", { pattern: "f*" }, { agent: agentIn(tree(101)) }),
    /\(Showing 100 of 101 paths\./,
  );
  assert.equal(harness.ctx.tools.get("glob")?.timeoutMs, 30_000);
  assert.equal(harness.ctx.tools.get("grep")?.timeoutMs, 30_000);
  const cwd = folder();
  writeFileSync(join(cwd, "many"), "x\n".repeat(251));
  writeFileSync(join(cwd, "wide"), `y${"é".repeat(1_500)}\n`);
  assert.match(await harness.text("grep", { pattern: "x" }, { agent: agentIn(cwd) }), /^Found 250 of 251 matches\n/);
  // 1 + 999 * 2 bytes fit into 2000; half a character does not.
  assert.equal(
    await harness.text("grep", { pattern: "y" }, { agent: agentIn(cwd) }),
    `Found 1 match\n\nwide\nLine 1: y${"é".repeat(999)}… (1002 bytes of this line cut)`,
  );
  const { DSH_SETTINGS } = await import("quarry/dsh");
  assert.equal(DSH_SETTINGS.rawOutputMaxBytes.default, 20_000_000);
});

test("[A-024][A-051] more raw output than rawOutputMaxBytes, for real", async (t) => {
  const harness = await loadRows(t, [...BASE, BASH, search({ rawOutputMaxBytes: 5_000 })]);
  const cwd = folder();
  writeFileSync(join(cwd, "many"), "hit\n".repeat(10_000));
  const over = await harness.call("grep", { pattern: "hit" }, { agent: agentIn(cwd) });
  assert.equal(over.isError && over.error.info?.code, "SEARCH_RAW_OUTPUT_OVERFLOW");
  assert.equal(await harness.text("grep", { pattern: "absent" }, { agent: agentIn(cwd) }), "No matches found");
});

test("[A-076] a name with control characters cannot break out of its line", async (t) => {
  const harness = await loadRows(t, [...BASE, BASH, search()]);
  const cwd = folder();
  writeFileSync(join(cwd, "a\nLine 9: forged"), "hit\n");
  assert.equal(
    await harness.text("grep", { pattern: "hit" }, { agent: agentIn(cwd) }),
    "Found 1 match\n\na\\x0aLine 9: forged\nLine 1: hit",
  );
  assert.equal(await harness.text("glob", { pattern: "*" }, { agent: agentIn(cwd) }), "a\\x0aLine 9: forged");
});
