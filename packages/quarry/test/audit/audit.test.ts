import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { audited } from "#src/audit/audited.js";
import type { AuditEvent } from "#src/audit/event.js";
import { AuditFile, auditFiles } from "#src/audit/file.js";
import { readEvents } from "#src/audit/read.js";
import { summarise } from "#src/audit/summary.js";
import { summaryText } from "#src/audit/summary-text.js";
import { noSkips, type Coverage } from "#src/search/coverage.js";
import { QuarryError } from "#src/errors/errors.js";
import { errorResult } from "#src/tools/answer.js";
import type { Tool, ToolResult } from "#src/tools/tool.js";
import { PACKAGE } from "../support/tour.js";
import { makeTree } from "../support/tree.js";

const coverage: Coverage = { complete: true, reason: null, filesSearched: 3, skipped: noSkips() };
const page = (shown: number, total: number, complete = true): ToolResult<unknown> => ({
  isError: false,
  text: "é".repeat(shown),
  value: { shown, total, coverage },
  complete,
  empty: total === 0,
});

const inputSchema = {
  type: "object",
  properties: { pattern: {}, path: {}, content: {}, old_str: {}, new_str: {}, edits: {}, literal: {} },
};
const tool = (call: Tool["call"], name = "grep"): Tool => ({
  kind: "grep",
  name,
  title: "",
  description: "",
  inputSchema,
  readOnly: true,
  call,
});

async function eventOf(call: Tool["call"], args: unknown, signal?: AbortSignal): Promise<AuditEvent> {
  const events: AuditEvent[] = [];
  const [wrapped] = audited(
    [tool(call)],
    { record: (e) => events.push(e) },
    { mask: (text) => text.replaceAll("/host/place", "") },
  );
  await wrapped?.call(args, signal === undefined ? {} : { signal }).catch(() => undefined);
  assert.equal(events.length, 1);
  return events[0] as AuditEvent;
}

test("one event a call: what was asked, where, how much, how it ended", async () => {
  const event = await eventOf(async () => page(2, 5), {
    pattern: "x.*",
    path: ["src", "/host/place/lib"],
    literal: false,
  });
  assert.deepEqual(
    { ...event, time: "", elapsedMs: 0 },
    {
      time: "",
      tool: "grep",
      query: { pattern: "x.*", path: ["src", "/lib"], literal: false },
      where: ["src", "/lib"],
      matches: 5,
      shown: 2,
      bytes: 4,
      coverage,
      elapsedMs: 0,
      outcome: "ok",
    },
  );
  assert.ok(!Number.isNaN(Date.parse(event.time)));
  assert.equal((await eventOf(async () => page(0, 0), {})).outcome, "empty");
  assert.equal((await eventOf(async () => page(0, 0, false), {})).outcome, "incomplete");
  assert.equal((await eventOf(async () => errorResult(new QuarryError("DENIED", "no")), {})).outcome, "DENIED");
  assert.equal(
    (
      await eventOf(async () => {
        throw new Error("defect");
      }, {})
    ).outcome,
    "INTERNAL",
  );
  assert.equal((await eventOf(async () => page(1, 1), {}, AbortSignal.abort())).outcome, "cancelled");
});

test("contents never: not of edits, not of arguments that the tool does not know, not of odd values", async () => {
  const secret = "S3CRET";
  const hostile: unknown[] = [
    { path: "a", content: secret },
    { path: "a", old_str: secret, new_str: `${secret}${secret}` },
    { path: "a", edits: [{ old_str: secret, new_str: secret }] },
    { path: "a", edits: [[secret]] },
    { path: "a", literal: { deep: { content: secret } } },
    { password: secret, [secret]: 1 },
    { content: { nested: [secret] } },
    secret,
    [secret],
  ];
  for (const args of hostile) {
    const event = await eventOf(async () => page(1, 1), args);
    assert.ok(!JSON.stringify(event).includes(secret), JSON.stringify(args));
  }
  const { query } = await eventOf(async () => page(1, 1), { old_str: "é", new_str: "", pattern: "p".repeat(100_000) });
  assert.deepEqual(query["old_str"], { bytes: 2 });
  assert.deepEqual(query["new_str"], { bytes: 0 });
  assert.ok((query["pattern"] as string).length < 600);
});

test("the file is for its owner alone, grows by whole lines, and is put aside when full", async () => {
  const path = join(makeTree({ "x/.keep": "" }), "x/audit.jsonl");
  const limits = { auditMaxBytes: 10_000, auditFiles: 3 };
  const file = AuditFile.open(path, limits, assert.fail);
  const event = await eventOf(async () => page(1, 1), { pattern: "y" });
  for (let i = 0; i < 200; i++) file.record({ ...event, elapsedMs: i });
  file.close();
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(auditFiles(path), [`${path}.2`, `${path}.1`, path]);
  assert.equal(existsSync(`${path}.3`), false);
  assert.equal(existsSync(`${path}.lock`), false);
  const times = auditFiles(path).flatMap((one) => {
    assert.ok(statSync(one).size <= 10_000);
    return readFileSync(one, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as AuditEvent).elapsedMs);
  });
  assert.equal(times.at(-1), 199);
  times.forEach((time, i) =>
    assert.equal(time, 200 - times.length + i, "nothing is lost between the files that are kept"),
  );
});

test("one file only: the old events go, the new ones stay", async () => {
  const path = join(makeTree({ "x/.keep": "" }), "x/audit.jsonl");
  const file = AuditFile.open(path, { auditMaxBytes: 10_000, auditFiles: 1 }, assert.fail);
  const event = await eventOf(async () => page(1, 1), { pattern: "y" });
  for (let i = 0; i < 100; i++) file.record({ ...event, elapsedMs: i });
  file.close();
  assert.deepEqual(auditFiles(path), [path]);
  assert.match(readFileSync(path, "utf8"), /"elapsedMs":99,/);
});

test("several processes share a file: every line is whole, none is lost", async () => {
  const path = join(makeTree({ "x/.keep": "" }), "x/audit.jsonl");
  const script = `
    const { AuditFile } = await import("#src/audit/file.js");
    const file = AuditFile.open(process.argv[1], { auditMaxBytes: 60000, auditFiles: 100 }, (line) => { throw new Error(line); });
    for (let i = 0; i < 400; i++) {
      file.record({ time: new Date().toISOString(), tool: process.argv[2], query: { pattern: "p".repeat(i % 300) }, where: [], matches: i, shown: 1, bytes: 1, coverage: null, elapsedMs: 1, outcome: "ok" });
      if (i % 20 === 0) await new Promise((r) => setTimeout(r, 1));
    }`;
  const run = promisify(execFile);
  await Promise.all(
    ["a", "b", "c"].map((name) =>
      run(process.execPath, ["--input-type=module", "-e", script, path, name], { cwd: PACKAGE }),
    ),
  );
  const seen = new Map<string, number>();
  for (const one of auditFiles(path)) {
    for await (const event of readEvents(one)) {
      assert.ok(event !== null);
      seen.set(`${event.tool}${event.matches}`, (seen.get(`${event.tool}${event.matches}`) ?? 0) + 1);
    }
  }
  assert.equal(seen.size, 1_200);
  assert.ok([...seen.values()].every((times) => times === 1));
  assert.ok(auditFiles(path).length > 3);
});

test("a file that cannot be opened fails the start: a folder, a pipe, a missing folder", () => {
  const root = makeTree({ d: { dir: true }, p: { fifo: true } });
  for (const name of ["d", "p", "no/such/audit.jsonl"]) {
    assert.throws(
      () => AuditFile.open(join(root, name), { auditMaxBytes: 10_000, auditFiles: 2 }, () => undefined),
      { code: "INVALID_ARGUMENT" },
      name,
    );
  }
});

test("a write that fails is told once, fails no call, and the next events are whole lines again", async () => {
  const root = makeTree({ "x/.keep": "" });
  const told: string[] = [];
  const path = join(root, "x/audit.jsonl");
  const file = AuditFile.open(path, { auditMaxBytes: 10_000, auditFiles: 2 }, (line) => told.push(line));
  const [wrapped] = audited([tool(async () => page(1, 1))], file);
  rmSync(path);
  mkdirSync(path);
  assert.equal((await wrapped?.call({}))?.isError, false);
  assert.equal((await wrapped?.call({}))?.isError, false);
  assert.equal(told.length, 1);
  assert.match(told[0] as string, /lost/);
  assert.ok(!(told[0] as string).includes(root));
  rmSync(path, { recursive: true });
  await wrapped?.call({});
  assert.equal(readFileSync(path, "utf8").trimEnd().split("\n").length, 1);
  file.close();
});

test("the summary: per tool, slowest, most often empty, most cut, errors; broken lines are counted", async () => {
  const root = makeTree({ "x/.keep": "" });
  const path = join(root, "audit.jsonl");
  const base = await eventOf(async () => page(1, 1), { pattern: "y" });
  const events: Partial<AuditEvent>[] = [
    { elapsedMs: 900, query: { pattern: "slow\u001b[31m" }, where: ["src"] },
    { matches: 5_000, shown: 100, query: { pattern: "cut" } },
    ...Array.from({ length: 3 }, () => ({
      outcome: "empty" as const,
      matches: 0,
      shown: 0,
      query: { pattern: "gone" },
    })),
    { outcome: "empty", matches: 0, shown: 0, tool: "glob", query: { pattern: "*.zig" } },
    { outcome: "incomplete" },
    { outcome: "cancelled" },
    { outcome: "NOT_FOUND", coverage: null },
    { outcome: "NOT_FOUND", coverage: null },
  ];
  const lines = events.map((e) => JSON.stringify({ ...base, ...e }));
  writeFileSync(`${path}.1`, `${lines.slice(0, 4).join("\n")}\n`);
  writeFileSync(
    path,
    [
      "{",
      "null",
      '"x"',
      "[]",
      '{"tool":"grep"}',
      `{"x":"${"y".repeat(300_000)}"}`,
      "",
      ...lines.slice(4),
      '{"time":"torn',
    ].join("\n"),
  );
  const all = async function* (): ReturnType<typeof readEvents> {
    for (const one of auditFiles(path)) yield* readEvents(one);
  };
  const summary = await summarise(all());
  assert.equal(summary.calls, 10);
  assert.equal(summary.broken, 7);
  assert.deepEqual(
    summary.tools.map((t) => [t.tool, t.calls, t.empty, t.incomplete, t.cancelled, t.errors, t.cut]),
    [
      ["grep", 9, 3, 1, 1, 2, 1],
      ["glob", 1, 1, 0, 0, 0, 0],
    ],
  );
  assert.equal(summary.slowest[0]?.elapsedMs, 900);
  assert.deepEqual(summary.emptiest, [
    { tool: "grep", pattern: "gone", times: 3 },
    { tool: "glob", pattern: "*.zig", times: 1 },
  ]);
  assert.deepEqual(
    summary.mostCut.map((c) => c.query),
    [{ pattern: "cut" }],
  );
  assert.deepEqual(summary.errors, [{ code: "NOT_FOUND", times: 2 }]);
  const text = summaryText(summary);
  assert.match(text, /^10 calls, .*; 7 lines are no event/);
  assert.match(text, /100 of 5000 shown {2}grep "cut"/);
  assert.ok(!text.includes("\u001b"));

  const quarry = join(PACKAGE, "bin/quarry.js");
  const json = spawnSync(process.execPath, [quarry, "audit", path, "--json"], { encoding: "utf8" });
  assert.equal(json.status, 0, json.stderr);
  assert.deepEqual(JSON.parse(json.stdout), summary);
  assert.equal(spawnSync(process.execPath, [quarry, "audit", path], { encoding: "utf8" }).stdout, `${text}\n`);
  const missing = spawnSync(process.execPath, [quarry, "audit", join(root, "none")], { encoding: "utf8" });
  assert.equal(missing.status, 2);
  assert.match(missing.stderr, /no such audit file/);
});
