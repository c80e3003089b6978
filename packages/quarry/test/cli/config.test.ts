/** `--config`, `--thread` and `--groups` on the command line and over MCP; the example configuration. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { loadConfig } from "#src/config/file.js";
import { openConfigured } from "#src/tools/configured.js";
import { connect, quarryServer } from "../support/mcp.js";
import { PACKAGE } from "../support/tour.js";
import { makeTree } from "../support/tree.js";
import { BIN, quarry } from "./quarry.js";

const FILE = `
mounts:
  - { path: /mnt/docs, host: docs, denied: [secrets] }
  - { path: /mnt/docs/api, host: api, access: read-write }
threads: { host: threads }
skills: { host: skills, disabled: [public/foo] }
groups: [file:read, file:write]
`;

const site = makeTree({
  "docs/a.md": "needle\n".repeat(5),
  "docs/secrets/s.md": "needle\n",
  "docs/api/covered.md": "needle\n",
  "api/b.md": "needle\n",
  "threads/.keep": "",
  "skills/public/foo/SKILL.md": "needle\n",
  "skills/public/bar/SKILL.md": "needle\n",
  "own.yaml": FILE,
  "deerflow.yaml": `profile: deerflow\n${FILE}`,
  "dsh.yaml": `profile: dsh\n${FILE}`,
  "bad.yaml": "mounts:\n  - path: docs\n    host: docs\n",
});
const own = ["--config", "own.yaml"];

test("every searching command works from a configuration, in the words of its profile", () => {
  const grep = quarry(site, ["grep", "needle", "/mnt/docs", ...own, "--output", "count"]);
  assert.equal(grep.stdout, "2 files with 6 matching lines\n5 mnt/docs/a.md\n1 mnt/docs/api/b.md\n(1 denied)\n");
  assert.equal(
    quarry(site, ["glob", "api/*.md", "/mnt/docs", ...own]).stdout,
    "1 path\nmnt/docs/api/b.md\n(1 denied)\n",
  );
  assert.match(quarry(site, ["ls", "/mnt/skills/public", ...own]).stdout, /bar\/\n\(1 disabled\)\n$/);
  assert.match(quarry(site, ["read", "/mnt/docs/api/b.md", ...own]).stdout, /1\tneedle/);
  const deerflow = quarry(site, ["grep", "needle", "/mnt/docs/api", "--config", "deerflow.yaml"]);
  assert.equal(deerflow.stdout, "Found 1 matches under /mnt/docs/api\n/mnt/docs/api/b.md:1: needle\n");
  assert.match(quarry(site, ["grep", "needle", "/mnt/docs/api", "--config", "dsh.yaml"]).stdout, /^Found 1 match\n/);
  const disabled = quarry(site, ["ls", "/mnt/skills/public/foo", ...own]);
  assert.deepEqual([disabled.status, disabled.stdout], [2, ""]);
  assert.match(disabled.stderr, /^Error DISABLED: "\/mnt\/skills\/public\/foo" is switched off in the configuration/);
});

test("a cut page's complete result is opened by the next command over the same file", () => {
  const { stdout } = quarry(site, ["grep", "needle", "/mnt/docs", ...own, "--max-results", "2"]);
  const locator = /@artifacts\/[0-9a-f]+\.txt/.exec(stdout)?.[0];
  assert.ok(locator !== undefined, stdout);
  assert.match(quarry(site, ["read", locator, ...own]).stdout, /mnt\/docs\/api\/b\.md/);
  assert.equal(quarry(site, ["read", locator, ...own, "--thread", "t9"]).status, 2);
});

test("edit and write follow the configuration: its groups, its read-write mounts, the thread's folders", () => {
  const write = spawnSync(process.execPath, [BIN, "write", "/mnt/user-data/outputs/x.txt", ...own, "--thread", "t1"], {
    cwd: site,
    input: "mine",
    encoding: "utf8",
  });
  assert.equal(write.status, 0, write.stderr);
  assert.equal(readFileSync(join(site, "threads/t1/outputs/x.txt"), "utf8"), "mine");
  const edit = ["edit", "--old", "needle", "--new", "pin", ...own];
  assert.match(quarry(site, [...edit, "/mnt/docs/a.md"]).stderr, /^Error READ_ONLY/);
  assert.equal(quarry(site, [...edit, "/mnt/docs/api/b.md"]).status, 0);
  assert.equal(readFileSync(join(site, "api/b.md"), "utf8"), "pin\n");
  writeFileSync(join(site, "api/b.md"), "needle\n");
  const off = quarry(site, [...edit, "/mnt/docs/api/b.md", "--groups", "file:read"]);
  assert.deepEqual([off.status, readFileSync(join(site, "api/b.md"), "utf8")], [2, "needle\n"]);
  assert.match(off.stderr, /own\.yaml has no str_replace switched on; on are grep, glob, read_file, ls/);
});

test("options that the file decides do not go with it, and its errors name line and key, no host path", () => {
  for (const [args, about] of [
    [["--root", "docs", ...own], /--root does not go with --config/],
    [["--profile", "dsh", ...own], /--profile does not go with --config/],
    [["--thread", "t"], /--thread needs --config/],
    [["--groups", "file:read"], /--groups needs --config/],
    [["--groups", "bash", ...own], /the group "bash" is not on in the configuration; on are file:read, file:write/],
    [["--thread", "../t", ...own], /"\.\.\/t" is not the id of a thread/],
    [
      ["--config", "bad.yaml"],
      /^Error CONFIG_INVALID: bad\.yaml:2: mounts\[0\]\.path is "docs"; accepted is text such as \/mnt\/docs/,
    ],
    [["--config", join(site, "none.yaml")], /^Error CONFIG_INVALID: none\.yaml does not exist/],
  ] as const) {
    const { status, stderr } = quarry(site, ["grep", "needle", ...args]);
    assert.equal(status, 2, stderr);
    assert.match(stderr, about);
    assert.ok(!stderr.includes(site), stderr);
  }
});

test("a command without a configuration does not load what reads one", () => {
  // Every version of Node names the modules that ran in its coverage.
  const loads = (args: string[]): string => {
    const folder = makeTree({});
    const env = { ...process.env, NODE_V8_COVERAGE: folder };
    spawnSync(process.execPath, [BIN, "grep", "needle", ...args], { cwd: site, env });
    return readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), "utf8"))
      .join("\n");
  };
  const without = loads(["docs"]);
  assert.ok(without.includes("/dist/cli/main.js") && !without.includes("/node_modules/yaml/"));
  assert.ok(loads(["/mnt/docs", ...own]).includes("/node_modules/yaml/"));
});

test("over MCP: the tools of the groups that are on, the thread's folders, and no folder of the client", async () => {
  const args = ["--config", join(site, "deerflow.yaml"), "--thread", "m1"];
  const client = await connect("v2", quarryServer(args), [`file://${site}/threads`, "file:///"]);
  try {
    const served = (await client.tools()).map((tool) => tool.name);
    assert.deepEqual(served, ["ls", "glob", "grep", "read_file", "str_replace", "write_file"]);
    const wrote = await client.call("write_file", { path: "/mnt/user-data/workspace/n.txt", content: "needle" });
    assert.ok(!wrote.isError, wrote.text);
    assert.ok(existsSync(join(site, "threads/m1/workspace/n.txt")));
    const found = await client.call("grep", { pattern: "needle", path: "/mnt/user-data" });
    assert.equal(found.text, "Found 1 matches under /mnt/user-data\n/mnt/user-data/workspace/n.txt:1: needle");
    for (const path of [site, `${site}/threads`, "/", "/mnt/skills/public/foo"]) {
      const { text } = await client.call("grep", { pattern: "needle", path });
      assert.ok(!text.includes(`${site}/docs`) && !/covered|SKILL\.md.*foo|secrets/.test(text), text);
    }
  } finally {
    await client.close();
  }
  const narrow = await connect("v1", quarryServer([...args, "--groups", "file:read"]));
  try {
    assert.deepEqual(
      (await narrow.tools()).map((tool) => tool.name),
      ["ls", "glob", "grep", "read_file"],
    );
  } finally {
    await narrow.close();
  }
});

test("--print-config carries the configuration, the thread and the groups", () => {
  const { stdout } = quarry(site, [
    "mcp",
    ...own,
    "--thread",
    "t",
    "--groups",
    "file:read",
    "--print-config",
    "generic",
  ]);
  const { args } = (JSON.parse(stdout) as { mcpServers: { quarry: { args: string[] } } }).mcpServers.quarry;
  assert.deepEqual(args.slice(1), [
    "mcp",
    "--config",
    join(site, "own.yaml"),
    "--thread",
    "t",
    "--groups",
    "file:read",
  ]);
});

test("the example configuration has glob and grep on in file:read, and works", async () => {
  const config = await loadConfig(join(PACKAGE, "../../quarry.example.yaml"));
  for (const [name, ceiling] of [
    ["glob", 200],
    ["grep", 100],
  ] as const) {
    const tool = config.tools?.find((one) => one.name === name);
    assert.deepEqual([tool?.group, tool?.maxResults], ["file:read", ceiling]);
  }
  assert.deepEqual(config.groups, ["file:read"]);
  const { tools } = await openConfigured(config);
  assert.deepEqual(
    tools.map((tool) => tool.name),
    ["ls", "glob", "grep", "read_file"],
  );
  const glob = await tools[1]?.call({ pattern: "settings.md", path: "/mnt/docs" });
  assert.equal(glob?.text, "Found 1 paths under /mnt/docs\n1. /mnt/docs/settings.md");
  const grep = await tools[2]?.call({ pattern: "^# Settings$", path: "/mnt/docs" });
  assert.equal(grep?.text, "Found 1 matches under /mnt/docs\n/mnt/docs/settings.md:3: # Settings");
});
