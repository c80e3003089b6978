import assert from "node:assert/strict";
import { lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { loadConfig } from "#src/config/file.js";
import { QuarryError } from "#src/errors/errors.js";
import { openConfigured, type Caller, type Configured } from "#src/tools/configured.js";
import { makeTree } from "../support/tree.js";

const OWN = `
export const plain = {
  kind: "grep", name: "x", title: "X", description: "d", readOnly: true,
  inputSchema: { type: "object", properties: {} },
  call: async () => ({ isError: false, text: "at " + process.env.QUARRY_TEST_SITE + "/docs/a.md", value: { at: [process.env.QUARRY_TEST_SITE + "/docs"] }, complete: true, empty: false }),
};
export const made = async (context) => ({ ...plain, call: async (args) => ({ isError: false, text: JSON.stringify([context.name, context.group, context.maxResults, context.options, context.workspace.mounts.length, context.settings.timeoutMs]), value: {}, complete: true, empty: false }) });
export const writes = { ...plain, kind: "write_file", readOnly: false };
export const number = 7;
export const half = { kind: "grep", name: "x" };
export const odd = { ...plain, kind: "browse" };
export const fails = () => { throw new Error("at " + process.env.QUARRY_TEST_SITE); };
export const throwing = { ...plain, call: async () => { throw new Error("at " + process.env.QUARRY_TEST_SITE); } };
`;

const site = makeTree({
  "docs/a.md": "needle\n",
  "docs/more.md": "needle\n".repeat(30),
  "threads/.keep": "",
  "skills/public/foo/SKILL.md": "needle\n",
  "tools.mjs": OWN,
  "broken.mjs": "export const = 1;",
  "node_modules/own-tools/package.json": '{ "name": "own-tools", "type": "module", "exports": "./index.js" }',
  "node_modules/own-tools/index.js": OWN,
});
process.env["QUARRY_TEST_SITE"] = site;

async function open(text: string, caller: Caller = {}): Promise<Configured> {
  writeFileSync(join(site, "quarry.yaml"), text);
  return openConfigured(await loadConfig(join(site, "quarry.yaml")), caller);
}

async function refusal(work: Promise<unknown>): Promise<QuarryError> {
  const error = await work.then(
    () => assert.fail("not refused"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof QuarryError, String(error));
  assert.ok(!error.message.includes(site), error.message);
  return error;
}

const names = ({ tools }: Configured): string[] => tools.map((tool) => tool.name);
const DOCS = "mounts: [{ path: /mnt/docs, host: docs }]\n";
const WRITABLE = "mounts: [{ path: /mnt/docs, host: docs, access: read-write }]\n";
const uses = (...lines: string[]): string => `tools:\n${lines.map((line) => `  - { ${line} }\n`).join("")}`;

test("groups: reading is on, writing is off; a caller gets fewer, never more; writing needs a read-write mount as well", async () => {
  const read = ["ls", "glob", "grep", "read_file"];
  const on = "profile: deerflow\ngroups: [file:read, file:write]\n";
  assert.deepEqual(names(await open(`profile: deerflow\n${WRITABLE}`)), read);
  assert.deepEqual(names(await open(on + WRITABLE)), [...read, "str_replace", "write_file"]);
  assert.deepEqual(names(await open(on + WRITABLE, { groups: ["file:write"] })), ["str_replace", "write_file"]);
  assert.deepEqual(names(await open(on + WRITABLE, { groups: [] })), []);
  assert.deepEqual(names(await open(on + DOCS)), read);
  const error = await refusal(open(DOCS, { groups: ["file:write"] }));
  assert.deepEqual(
    [error.code, error.message],
    ["INVALID_ARGUMENT", 'the group "file:write" is not on in the configuration; on are file:read'],
  );
});

test("tools have their configured names, order and groups, from every profile", async () => {
  const text = uses(
    'name: find, group: file:read, use: "quarry/deerflow:glob"',
    'name: lines, group: search, use: "quarry/quarry:grep"',
    'name: off, group: other, use: "./absent.js:x"',
  );
  const opened = await open(`${DOCS}${text}groups: [file:read, search]\n`);
  assert.deepEqual(names(opened), ["find", "lines"]);
  const [find, lines] = opened.tools;
  assert.match(
    (await find?.call({ pattern: "*.md", path: "/mnt/docs" }))?.text ?? "",
    /^Found 2 paths under \/mnt\/docs/,
  );
  assert.match((await lines?.call({ pattern: "needle", path: "/mnt/docs/a.md" }))?.text ?? "", /^1 match in 1 file/);
});

test("max_results is a ceiling that no call lifts, in every profile", async () => {
  const text = uses(
    'name: q, group: file:read, use: "quarry/quarry:grep", max_results: 3',
    'name: d, group: file:read, use: "quarry/deerflow:grep", max_results: 4',
    'name: h, group: file:read, use: "quarry/dsh:grep", max_results: 5',
    'name: free, group: file:read, use: "quarry/quarry:grep"',
  );
  const { tools } = await open(DOCS + text);
  const [q, d, h, free] = tools;
  const ask = { pattern: "needle", path: "/mnt/docs" };
  assert.match((await q?.call({ ...ask, max_results: 20 }))?.text ?? "", /^3 of 31 matches/);
  assert.match((await q?.call({ ...ask, max_results: 2 }))?.text ?? "", /^2 of 31 matches/);
  assert.match((await q?.call(ask))?.text ?? "", /^3 of 31 matches/);
  assert.match((await q?.call({ ...ask, max_results: -1 }))?.text ?? "", /^Error INVALID_ARGUMENT/);
  assert.match((await d?.call({ ...ask, max_results: 20 }))?.text ?? "", /^Found 4 matches .*\(showing first 4\)/);
  assert.match((await h?.call(ask))?.text ?? "", /^Found 5 of 31 matches/);
  assert.match((await free?.call({ ...ask, max_results: 20 }))?.text ?? "", /^20 of 31 matches/);
});

test("a tool of the operator's own: by file or package, as a tool or a function; what it says is masked", async () => {
  const text = uses(
    'name: one, group: own, use: "./tools.mjs:plain"',
    'name: two, group: own, use: "own-tools:made", max_results: 9, options: { a: [1, { b: c }] }',
    'name: three, group: own, use: "./tools.mjs:throwing"',
  );
  const { tools } = await open(`limits: { timeoutMs: 4321 }\n${DOCS}${text}groups: [own]\n`);
  const [one, two, three] = tools;
  assert.deepEqual([one?.name, one?.kind, one?.readOnly], ["one", "grep", true]);
  const said = await one?.call({});
  assert.deepEqual([said?.text, said?.value], ["at mnt/docs/a.md", { at: ["mnt/docs"] }]);
  assert.equal((await two?.call({}))?.text, '["two","own",9,{"a":[1,{"b":"c"}]},1,4321]');
  const failed = await three?.call({});
  assert.ok(failed?.isError === true && failed.text.startsWith("Error INTERNAL") && !failed.text.includes(site));
});

test("what cannot be loaded, or is no tool, is refused with its line and without a host path", async () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ["./absent.mjs:x", /the module \.\/absent\.mjs or one that it imports is not found/],
    ["no-such-package:x", /the module no-such-package or one that it imports is not found/],
    ["./broken.mjs:x", /cannot be loaded \(SyntaxError\)/],
    ["./tools.mjs:absent", /has no export absent; it has .*plain/],
    ["./tools.mjs:toString", /has no export toString/],
    ["./tools.mjs:number", /is no tool: it is number/],
    ["./tools.mjs:half", /is no tool: title must be text/],
    ["./tools.mjs:odd", /is no tool: kind must be one of grep, glob/],
    ["./tools.mjs:fails", /fails of \.\/tools\.mjs failed \(Error\)/],
    ["./tools.mjs:writes", /changes files and cannot be in the group file:read/],
  ];
  for (const [use, expected] of cases) {
    const error = await refusal(open(WRITABLE + uses(`name: x, group: file:read, use: "${use}"`)));
    assert.equal(error.code, "CONFIG_INVALID");
    assert.match(error.message, /^quarry\.yaml:3: the tool x: |^quarry\.yaml:3: the tool x changes/);
    assert.match(error.message, expected);
  }
});

test("threads: their folders are made for this user alone, once, and are shown to that thread alone", async () => {
  const text = "profile: deerflow\nthreads: { host: threads }\ngroups: [file:read, file:write]\n";
  const first = await open(text, { thread: "t-1" });
  const write = first.tools.find((tool) => tool.name === "write_file");
  assert.equal((await write?.call({ path: "/mnt/user-data/outputs/x.txt", content: "mine" }))?.isError, false);
  assert.equal(readFileSync(join(site, "threads/t-1/outputs/x.txt"), "utf8"), "mine");
  for (const folder of ["t-1", "t-1/workspace", "t-1/uploads", "t-1/outputs"])
    assert.equal(lstatSync(join(site, "threads", folder)).mode & 0o777, 0o700, folder);
  const second = await open(text, { thread: "T_2" });
  const ls = second.tools.find((tool) => tool.name === "ls");
  assert.doesNotMatch((await ls?.call({ path: "/mnt/user-data/outputs" }))?.text ?? "", /x\.txt/);
  const again = await open(text, { thread: "t-1" });
  const read = again.tools.find((tool) => tool.name === "read_file");
  assert.match((await read?.call({ path: "/mnt/user-data/outputs/x.txt" }))?.text ?? "", /mine/);
});

test("fault-09: a thread's id leads nowhere else, and no link on the way is followed", async () => {
  const text = "threads: { host: threads }\n";
  for (const thread of ["", ".", "..", "../docs", "a/b", "a\\b", "a\0", "a.b", "é", "~", "x".repeat(129), " a", "-\n"])
    assert.equal((await refusal(open(text, { thread }))).code, "INVALID_ARGUMENT", thread);
  symlinkSync(join(site, "docs"), join(site, "threads/linked"));
  writeFileSync(join(site, "threads/file"), "");
  for (const thread of ["linked", "file"]) {
    const error = await refusal(open(text, { thread }));
    assert.deepEqual(
      [error.code, error.message],
      ["OUTSIDE_WORKSPACE", `a folder of the thread "${thread}" is a link or a file`],
    );
  }
  assert.equal(
    (await refusal(open(text))).message,
    "the configuration shows folders of threads alone, and no thread is named",
  );
  assert.equal((await refusal(open(DOCS, { thread: "t" }))).message, "the configuration has no threads");
});

test("a thread's inner folder that was exchanged for a link is refused", async () => {
  const text = "threads: { host: threads }\n";
  mkdirSync(join(site, "threads/inner"));
  symlinkSync(site, join(site, "threads/inner/workspace"));
  assert.equal((await refusal(open(text, { thread: "inner" }))).code, "OUTSIDE_WORKSPACE");
});

test("mounts in each other, in every profile: a search from the outer one covers both, and nothing twice", async () => {
  const nested = "mounts:\n  - { path: /mnt/docs, host: docs }\n  - { path: /mnt/docs/skills, host: skills }\n";
  for (const [profile, found] of [
    ["quarry", /mnt\/docs\/a\.md[\s\S]*mnt\/docs\/skills\/public\/foo\/SKILL\.md/],
    ["deerflow", /\/mnt\/docs\/a\.md:1: needle[\s\S]*\/mnt\/docs\/skills\/public\/foo\/SKILL\.md:1: needle/],
    ["dsh", /mnt\/docs\/a\.md[\s\S]*mnt\/docs\/skills\/public\/foo\/SKILL\.md/],
  ] as const) {
    const { tools } = await open(`profile: ${profile}\n${nested}`);
    const grep = await tools.find((tool) => tool.kind === "grep")?.call({ pattern: "needle", path: "/mnt/docs" });
    assert.match(grep?.text ?? "", found);
    assert.equal(grep?.text.match(/SKILL\.md/g)?.length, 1, grep?.text);
  }
});

test("a disabled skill stays so through a mount around the skills, and where the threads are nobody else looks", async () => {
  const text =
    "skills: { host: skills, disabled: [public/foo] }\nthreads: { host: threads }\nmounts: [{ path: /mnt/all, host: . }]\n";
  const { tools } = await open(`profile: deerflow\n${text}`, { thread: "own" });
  const say = async (kind: string, args: object): Promise<string> =>
    (await tools.find((tool) => tool.kind === kind)?.call(args))?.text ?? "";
  assert.match(
    await say("ls", { path: "/mnt/all/skills/public/foo" }),
    /^Error: .* is switched off in the configuration/,
  );
  assert.doesNotMatch(await say("grep", { pattern: "needle", path: "/mnt/all" }), /SKILL/);
  assert.match(await say("ls", { path: "/mnt/all/threads" }), /^Error: /);
  assert.match(await say("ls", { path: "/mnt/all/threads/own/workspace" }), /^Error: /);
  assert.doesNotMatch(await say("ls", { path: "/mnt/user-data/workspace" }), /^Error: /);
});
