import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { HarnessError } from "@deepseek-ai/dsh-llm";
import { SearchError } from "dsh-tool-fs-search";
import { SEARCH_CODES } from "quarry/dsh";
import { agentIn, BASE, loadRows, search, textOf, type Harness } from "./support/harness.js";
import { script, SCRIPTED_TIMEOUT_MS, SCRIPTED_WORKDIR, type Scripted } from "./support/scripted-shell.js";

const SHELL = { id: "shell", name: new URL("./support/scripted-shell.js", import.meta.url).href };

/** What only a scripted shell does: one composition, one answer for each command. */
async function scripted(
  t: TestContext,
  answer: Scripted,
  config: Record<string, number> = {},
): Promise<{ harness: Harness; asked: ReturnType<typeof script> }> {
  script({});
  const harness = await loadRows(t, [...BASE, SHELL, search(config)]);
  return { harness, asked: script(answer) };
}

const match = (path: string, line: number, text: string): string =>
  JSON.stringify({
    type: "match",
    data: { path: { text: path }, lines: { text }, line_number: line, absolute_offset: 0, submatches: [] },
  });

async function fails(harness: Harness, name: "glob" | "grep", code: string, message: RegExp): Promise<string> {
  const result = await harness.call(name, { pattern: "x" });
  const text = textOf(result);
  assert.equal(result.isError && result.error.info?.code, code, text);
  assert.match(text, message);
  assert.doesNotMatch(text, /No (?:matches|files) found/);
  return text;
}

test("[A-030][A-031] one request, resolved and run: the signal itself, the cap, no task", async (t) => {
  const { harness, asked } = await scripted(t, { exitCode: 1 }, { rawOutputMaxBytes: 777 });
  harness.ctx.tools.get("grep");
  const { signal } = new AbortController();
  const seen: AbortSignal[] = [];
  harness.ctx.on("tools/execute", async (exec, next) => {
    seen.push(exec.signal);
    return next();
  });
  await harness.call("grep", { pattern: "x" }, { signal });
  await harness.call("glob", { pattern: "x" }, { signal });
  assert.equal(asked.requests.length, 2);
  assert.equal(asked.specs.length, 2);
  for (const [at, request] of asked.requests.entries()) {
    assert.deepEqual(Object.keys(request).sort(), ["command", "signal", "stdoutMaxBytes"]);
    assert.equal(request.stdoutMaxBytes, 777);
    assert.ok(request.signal instanceof AbortSignal);
    assert.equal(asked.specs[at]?.signal, request.signal);
  }
  assert.equal(asked.started, 0);
});

test("[A-031] the body's exec.signal is the request's, by reference", async (t) => {
  const { harness, asked } = await scripted(t, { exitCode: 1 });
  for (const name of ["glob", "grep"]) {
    const tool = harness.ctx.tools.get(name);
    assert.ok(tool);
    const { signal } = new AbortController();
    await tool.execute({ pattern: "x" }, { signal, name, callId: "c" } as unknown as Parameters<
      typeof tool.execute
    >[1]);
    assert.equal(asked.requests.at(-1)?.signal, signal);
    assert.equal(asked.specs.at(-1)?.signal, signal);
  }
});

test("[A-033][A-034] the session's folder is the request's; without one the executor's own decides, also how paths are shown", async (t) => {
  const { harness, asked } = await scripted(t, { stdout: `${SCRIPTED_WORKDIR}/in/a\n/elsewhere/b\n` });
  await harness.call("glob", { pattern: "x" }, { agent: agentIn("/the/session") });
  assert.equal(asked.requests[0]?.workdir, "/the/session");
  assert.equal(await harness.text("glob", { pattern: "x" }, { agent: agentIn(undefined) }), "in/a\n/elsewhere/b");
  assert.equal("workdir" in (asked.requests[1] ?? {}), false);
  assert.equal(asked.specs[1]?.workdir, SCRIPTED_WORKDIR);
  assert.equal(await harness.text("glob", { pattern: "x" }), "in/a\n/elsewhere/b");
});

test("[A-039] only match records are read", async (t) => {
  const others = [
    '{"type":"begin","data":{"path":{"text":"a"}}}',
    '{"type":"context","data":{"path":{"text":"a"},"lines":{"text":"c\\n"},"line_number":1}}',
    '{"type":"end","data":{}}',
    '{"type":"summary","data":{}}',
    '{"type":"tomorrow","data":7}',
    "[]",
    "null",
    "7",
  ];
  const { harness } = await scripted(t, { stdout: [...others, match("a", 2, "hit\r\n"), "", ...others].join("\n") });
  assert.equal(await harness.text("grep", { pattern: "x" }), "Found 1 match\n\na\nLine 2: hit");
});

for (const [what, line] of [
  ["a line that is no JSON", "oops"],
  ["a match without data", '{"type":"match"}'],
  ["a match without a path", '{"type":"match","data":{"lines":{"text":"x"},"line_number":1}}'],
  [
    "a match whose path is neither text nor bytes",
    '{"type":"match","data":{"path":{"other":1},"lines":{"text":"x"},"line_number":1}}',
  ],
  [
    "a match without a line number",
    '{"type":"match","data":{"path":{"text":"a"},"lines":{"text":"x"},"line_number":null}}',
  ],
  ["a match without its text", '{"type":"match","data":{"path":{"text":"a"},"line_number":1}}'],
] as const) {
  test(`[A-040] ${what} is SEARCH_FAILED`, async (t) => {
    const { harness } = await scripted(t, { stdout: `${match("a", 1, "x\n")}\n${line}\n` });
    const text = await fails(harness, "grep", "SEARCH_FAILED", /makes no sense: a (?:line|match)/);
    assert.doesNotMatch(text, /oops|"type"/);
  });
}

test("[A-036] a list with times that ends early is SEARCH_FAILED, and times order it", async (t) => {
  const times = (...rows: string[]): string => rows.map((row) => `${row}\0`).join("");
  const early = await scripted(t, { stdout: times("//times", "1.000000000/./b") });
  await fails(early.harness, "glob", "SEARCH_FAILED", /ends early/);
  script({ stdout: times("//times", "yesterday/./b", "//end") });
  await fails(early.harness, "glob", "SEARCH_FAILED", /makes no sense/);
  script({
    stdout: times("//times", "10.000000000/./c", "9.999999999/./b", "9.999999999/./a", "-1.500000000/./z", "//end"),
  });
  assert.equal(await early.harness.text("glob", { pattern: "x" }), "z\na\nb\nc");
});

test("[A-045] a cut stderr is shown with a note; what spilled is not read", async (t) => {
  const stderr = { text: "kept tail", truncated: true, spillPath: "/secret/spill.txt" };
  const { harness } = await scripted(t, { exitCode: 2, stdout: "", stderr });
  const text = await fails(harness, "grep", "SEARCH_FAILED", /\[beginning of stderr cut\] kept tail/);
  assert.doesNotMatch(text, /spill/);
});

test("[A-046][A-051] more raw output than the cap, or a cut one, is an overflow that shows nothing of it", async (t) => {
  const { harness } = await scripted(t, {
    stdout: { text: match("a", 1, "x\n"), truncated: true, spillPath: "/secret/raw.txt" },
  });
  const cut = await fails(
    harness,
    "grep",
    "SEARCH_RAW_OUTPUT_OVERFLOW",
    /over 20000000 bytes; narrow pattern, path, or include/,
  );
  assert.doesNotMatch(cut, /secret|"type"/);
  await fails(harness, "glob", "SEARCH_RAW_OUTPUT_OVERFLOW", /narrow pattern or path/);
  const over = await scripted(t, { stdout: "é".repeat(50) }, { rawOutputMaxBytes: 99 });
  await fails(over.harness, "glob", "SEARCH_RAW_OUTPUT_OVERFLOW", /over 99 bytes/);
  script({ stdout: `${"é".repeat(49)}\n` });
  assert.equal(await over.harness.text("glob", { pattern: "x" }), "é".repeat(49));
});

test("[A-048] exit 1 is a success without results", async (t) => {
  const { harness } = await scripted(t, { exitCode: 1 });
  assert.equal(await harness.text("glob", { pattern: "x" }), "No files found");
  assert.equal(await harness.text("grep", { pattern: "x" }), "No matches found");
});

test("[A-049] exit 2 with results and complaints of single paths only", async (t) => {
  const complaints = [
    "rg: ./a: Permission denied (os error 13)",
    "./b: Permission denied (os error 13)",
    "rg: ./x: IO error for operation on ./x: No such file or directory (os error 2)",
    "rg: ./with\na newline: Permission denied (os error 13)",
    "./.ignore: line 3: error parsing glob '[': unclosed character class",
    "",
  ];
  const { harness } = await scripted(t, {
    exitCode: 2,
    stdout: `${match("c", 1, "x\n")}\n`,
    stderr: complaints.join("\n"),
  });
  assert.equal(
    await harness.text("grep", { pattern: "x" }),
    "Found 1 match\n\nc\nLine 1: x\n\n(4 paths could not be read, so there may be more)",
  );
  script({ exitCode: 2, stdout: "c\n", stderr: "./a: Permission denied (os error 13)\n" });
  assert.equal(await harness.text("glob", { pattern: "x" }), "c\n\n(1 path could not be read, so there may be more)");
  script({
    exitCode: 2,
    stdout: "c\n",
    stderr: { text: "mission denied (os error 13)\nrg: ./a: Permission denied (os error 13)\n", truncated: true },
  });
  assert.equal(
    await harness.text("glob", { pattern: "x" }),
    "c\n\n(at least 1 path could not be read, so there may be more)",
  );
});

test("[A-050] exit 2 with anything else on stderr, or without results, is an error", async (t) => {
  const { harness } = await scripted(t, {
    exitCode: 2,
    stdout: `${match("c", 1, "x\n")}\n`,
    stderr: "rg: something else broke\n",
  });
  await fails(harness, "grep", "SEARCH_FAILED", /something else broke/);
  script({ exitCode: 2, stdout: `${match("c", 1, "x\n")}\n`, stderr: "" });
  await fails(harness, "grep", "SEARCH_FAILED", /./);
  script({ exitCode: 2, stdout: "", stderr: "rg: ./a: Permission denied (os error 13)\n" });
  await fails(harness, "glob", "SEARCH_FAILED", /\.\/a: Permission denied/);
  script({ exitCode: 2, stdout: "c\n", stderr: "./a begins a name that never ends\n" });
  await fails(harness, "glob", "SEARCH_FAILED", /never ends/);
});

test("[A-050] every other end is an error", async (t) => {
  const { harness } = await scripted(t, { exitCode: 3, stdout: "a\n" });
  await fails(harness, "glob", "SEARCH_FAILED", /failed with exit status 3/);
  script({ exitCode: 137, stdout: "a\n" });
  await fails(harness, "glob", "SEARCH_FAILED", /ended by signal 9/);
  script({ exitCode: null, signal: "SIGSEGV", stdout: "a\n" });
  await fails(harness, "grep", "SEARCH_FAILED", /ended by SIGSEGV/);
  script({ exitCode: null, stdout: "a\n" });
  await fails(harness, "grep", "SEARCH_FAILED", /ended by an unknown cause/);
  script({ rejects: new Error("spawn ENOENT") });
  await fails(harness, "grep", "SEARCH_FAILED", /could not start its command: spawn ENOENT/);
  // What an executor rejects with need not be an error.
  script({ rejects: "not even an error" as unknown as Error });
  await fails(harness, "grep", "SEARCH_FAILED", /not even an error/);
});

test("[A-052][A-032] aborted and timed out are SEARCH_ABORTED, each with its own message", async (t) => {
  const { harness } = await scripted(t, { exitCode: null, signal: "SIGTERM", aborted: true });
  await fails(
    harness,
    "grep",
    "SEARCH_ABORTED",
    /stopped before it finished: the call was cancelled or its own time limit was reached/,
  );
  script({ exitCode: null, signal: "SIGTERM", timedOut: true });
  await fails(harness, "grep", "SEARCH_ABORTED", new RegExp(`shell's own time limit of ${SCRIPTED_TIMEOUT_MS} ms`));
  script({ exitCode: 1, timedOut: true });
  await fails(harness, "glob", "SEARCH_ABORTED", /time limit/);
});

test("[A-052] an executor that rejects because the signal fired is SEARCH_ABORTED", async (t) => {
  const { harness } = await scripted(t, { rejects: new Error("aborted") });
  const tool = harness.ctx.tools.get("grep");
  assert.ok(tool);
  const exec = { signal: AbortSignal.abort(), name: "grep", callId: "c" } as unknown as Parameters<
    typeof tool.execute
  >[1];
  await assert.rejects(
    tool.execute({ pattern: "x" }, exec),
    (error) => error instanceof SearchError && error.code === "SEARCH_ABORTED",
  );
});

test("[A-053] errors are a HarnessError of this package, with four codes", async (t) => {
  assert.deepEqual(Object.keys(SEARCH_CODES), [
    "SEARCH_INVALID_PATTERN",
    "SEARCH_FAILED",
    "SEARCH_RAW_OUTPUT_OVERFLOW",
    "SEARCH_ABORTED",
  ]);
  const { harness } = await scripted(t, { exitCode: 3 });
  const result = await harness.call("grep", { pattern: "x" });
  assert.deepEqual(result.isError && result.error.info, { name: "SearchError", code: "SEARCH_FAILED" });
  const error = new SearchError("SEARCH_FAILED", "why", { cause: 7 });
  assert.ok(error instanceof HarnessError);
  assert.deepEqual([error.name, error.code, error.message, error.cause], ["SearchError", "SEARCH_FAILED", "why", 7]);
});

test("[A-054] exit 127 or 126 says that ripgrep is gone", async (t) => {
  const { harness } = await scripted(t, { exitCode: 127, stderr: "bash: line 1: rg: command not found\n" });
  await fails(
    harness,
    "glob",
    "SEARCH_FAILED",
    /ripgrep \(rg\) was there when this tool was registered.*command not found/,
  );
  script({ exitCode: 126 });
  await fails(harness, "grep", "SEARCH_FAILED", /ripgrep \(rg\) was there/);
});

test("[A-041] ripgrep's bytes form is decoded with loss, for a line and for a path, and said", async (t) => {
  const bytes = (text: string): { bytes: string } => ({ bytes: Buffer.from(text, "latin1").toString("base64") });
  const record = { type: "match", data: { path: bytes("caf\xe9"), lines: bytes("na\xefve\n"), line_number: 3 } };
  const { harness } = await scripted(t, { stdout: JSON.stringify(record) });
  assert.equal(
    await harness.text("grep", { pattern: "x" }),
    "Found 1 match\n\ncaf\ufffd\nLine 3: na\ufffdve\n\n(1 result holds bytes that are not UTF-8, shown as \ufffd)",
  );
  script({ stdout: [record, record].map((r) => JSON.stringify(r)).join("\n") });
  assert.match(await harness.text("grep", { pattern: "x" }), /\(2 results hold bytes that are not UTF-8/);
});
