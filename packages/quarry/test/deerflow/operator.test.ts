/** What an operator's file makes of the profile: groups, threads, skills, mounts. The file itself is tested in `test/config`. */
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { loadConfig } from "#src/config/file.js";
import { QuarryError } from "#src/errors/errors.js";
import { openConfigured, type Caller } from "#src/tools/configured.js";
import { PACKAGE } from "../support/tour.js";
import { makeTree } from "../support/tree.js";

const site = makeTree({
  "threads/.keep": "",
  "skills/public/on/SKILL.md": "hit\n",
  "skills/public/off/SKILL.md": "hit\n",
  "skills/custom/mine/SKILL.md": "hit\n",
  "agent/notes.txt": "hit\n",
  "data/d.txt": "hit\n",
  "scratch/s.txt": "hit\n",
});

const FILE = `profile: deerflow
threads: { host: threads }
skills: { host: skills, disabled: [public/off] }
mounts:
  - { path: /mnt/acp-workspace, host: agent }
  - { path: /mnt/data, host: data }
  - { path: /mnt/scratch, host: scratch, access: read-write }
groups: [file:read, file:write]
`;

type Say = (tool: string, args: Readonly<Record<string, unknown>>) => Promise<string>;

async function open(
  text: string,
  caller: Caller = {},
): Promise<{ readonly names: readonly string[]; readonly say: Say }> {
  writeFileSync(join(site, "quarry.yaml"), text);
  const { tools } = await openConfigured(await loadConfig(join(site, "quarry.yaml")), caller);
  return {
    names: tools.map(({ name }) => name),
    say: async (name, args) => {
      const tool = tools.find((one) => one.name === name);
      if (tool === undefined) throw new Error(`${name} is not on`);
      const { text: said } = await tool.call(args);
      assert.ok(!said.includes(site), said);
      return said;
    },
  };
}

test("[B-045][B-049] a disabled skill folder is refused as a root, and dropped from the results of its ancestors", async () => {
  const { say } = await open(FILE, { thread: "t" });
  const arguments_ = { ls: {}, glob: { pattern: "*" }, grep: { pattern: "hit" } };
  for (const [tool, args] of Object.entries(arguments_)) {
    for (const path of ["/mnt/skills/public/off", "/mnt/skills/public/off/SKILL.md"])
      assert.match(
        await say(tool, { ...args, path }),
        /^Error: "\/mnt\/skills\/public\/off.*" is switched off/,
        `${tool} ${path}`,
      );
  }
  assert.match(await say("read_file", { path: "/mnt/skills/public/off/SKILL.md" }), /^Error: .* is switched off/);
  for (const root of ["/mnt/skills", "/mnt/skills/public"]) {
    const said = await say("grep", { pattern: "hit", path: root });
    assert.match(said, /public\/on\/SKILL\.md:1: hit/);
    assert.match(said, /\nSkipped: 1 disabled folder\.$/);
    assert.doesNotMatch(said + (await say("glob", { pattern: "**", path: root, include_dirs: true })), /public\/off/);
  }
  assert.doesNotMatch(await say("glob", { pattern: "**/SKILL.md", path: "/mnt" }), /public\/off/);
});

test("[B-046][B-051] the thread's folders exist before anything is asked; each virtual root is read-only or read-write", async () => {
  const { say } = await open(FILE, { thread: "t-46" });
  for (const name of ["workspace", "uploads", "outputs"]) {
    assert.ok(existsSync(join(site, "threads/t-46", name)), name);
    const path = `/mnt/user-data/${name}`;
    assert.equal(await say("ls", { path }), `No entries found under ${path}`);
    assert.match(await say("write_file", { path: `${path}/own.txt`, content: "hit\n" }), /^OK: Created /);
    assert.equal(await say("grep", { pattern: "hit", path }), `Found 1 matches under ${path}\n${path}/own.txt:1: hit`);
  }
  assert.match(await say("write_file", { path: "/mnt/scratch/n.txt", content: "hit\n" }), /^OK: Created /);
  for (const path of ["/mnt/skills/custom/mine/SKILL.md", "/mnt/acp-workspace/notes.txt", "/mnt/data/d.txt"]) {
    assert.equal(await say("read_file", { path }), "hit");
    assert.match(await say("write_file", { path, content: "x" }), /^Error: .* may only be read/, path);
    assert.match(await say("str_replace", { path, old_str: "hit", new_str: "x" }), /^Error: .* may only be read/, path);
  }
  const other = await open(FILE, { thread: "t-47" });
  assert.equal(
    await other.say("glob", { pattern: "own.txt", path: "/mnt/user-data" }),
    "No files matched under /mnt/user-data",
  );
});

test("[B-054] glob and grep are of the group file:read, as ls and read_file are", async () => {
  assert.deepEqual((await open(FILE, { thread: "t", groups: ["file:read"] })).names, [
    "ls",
    "glob",
    "grep",
    "read_file",
  ]);
  assert.deepEqual((await open(FILE, { thread: "t", groups: ["file:write"] })).names, ["str_replace", "write_file"]);
});

test("[B-058][B-010] a tool has a name, a group, a module with its export, and a number of results that no call lifts", async () => {
  const tools = `tools:
  - name: glob
    group: file:read
    use: quarry/deerflow:glob
    max_results: 1
  - name: grep
    group: file:read
    use: quarry/deerflow:grep
    max_results: 2
`;
  const { names, say } = await open(FILE.replace(", file:write", "") + tools, { thread: "t" });
  assert.deepEqual(names, ["glob", "grep"]);
  assert.match(
    await say("glob", { pattern: "*", path: "/mnt/skills", max_results: 900 }),
    /^Found 1 paths .*\(showing first 1\)/,
  );
  assert.match(
    await say("grep", { pattern: "hit", path: "/mnt", max_results: 500 }),
    /^Found 2 matches .*\(showing first 2\)/,
  );
});

test("[B-059] the example configuration has glob and grep on, and nothing that writes", async () => {
  const { tools } = await openConfigured(await loadConfig(join(PACKAGE, "../../quarry.example.yaml")));
  assert.deepEqual(
    tools.map(({ name }) => name),
    ["ls", "glob", "grep", "read_file"],
  );
});

test("[B-060] an unknown key and a wrong type are refused with the line that is wrong", async () => {
  for (const [line, key] of [
    ["colour: blue\n", "colour"],
    ["skills: 7\n", "skills"],
  ] as const) {
    await assert.rejects(open(`profile: deerflow\n${line}`), (error: unknown) => {
      assert.ok(error instanceof QuarryError);
      assert.match(error.message, new RegExp(`quarry\\.yaml:2: .*${key}`));
      return true;
    });
  }
});

test("[B-061] writing needs a read-write mount and a write group that is on", async () => {
  const at = (access: string, groups: string): string =>
    `profile: deerflow\nmounts: [{ path: /mnt/data, host: data, access: ${access} }]\ngroups: [${groups}]\n`;
  const read = ["ls", "glob", "grep", "read_file"];
  assert.deepEqual((await open(at("read-write", "file:read"))).names, read);
  assert.deepEqual((await open(at("read-only", "file:read, file:write"))).names, read);
  assert.deepEqual((await open(at("read-write", "file:read, file:write"))).names, [
    ...read,
    "str_replace",
    "write_file",
  ]);
});
