import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CLIENTS, clientConfig } from "#src/mcp/client-config.js";
import { PACKAGE } from "../support/tour.js";
import { makeTree } from "../support/tree.js";

const quarry = join(PACKAGE, "bin/quarry.js");
const printed = (client: string, args: readonly string[], cwd = PACKAGE): string => {
  const run = spawnSync(process.execPath, [quarry, "mcp", ...args, "--print-config", client], {
    cwd,
    encoding: "utf8",
  });
  assert.equal(run.status, 0, run.stderr);
  return run.stdout.trimEnd();
};

for (const client of CLIENTS) {
  test(`docs/install.md and --print-config agree: ${client}`, () => {
    const root = makeTree({ "a.txt": "a" });
    const here = printed(client, ["--root", root]);
    const general = here
      .replaceAll(process.execPath, "node")
      .replaceAll(join(PACKAGE, "../.."), "/absolute/path/to/quarry")
      .replaceAll(root, "/absolute/path/to/project");
    const { title, file, language } = clientConfig(client, { command: "node", args: [] });
    const install = readFileSync(join(PACKAGE, "../../docs/install.md"), "utf8");
    const section = install.split(/^## /m).find((one) => one.startsWith(`${title}\n`));
    assert.ok(section !== undefined, `a section for ${title}`);
    assert.ok(section.includes(file), file);
    assert.ok(section.includes(`\`\`\`${language}\n${general}\n\`\`\``), `${section}\nshould hold\n${general}`);
  });
}

test("--print-config takes the folder one is in, and carries the other options", () => {
  const root = makeTree({ "a b/x.txt": "x" });
  const { mcpServers } = JSON.parse(
    printed(
      "generic",
      ["--tools", "grep,glob", "--tool-prefix", "q_", "--structured", "--audit", "log.jsonl"],
      join(root, "a b"),
    ),
  ) as {
    mcpServers: { quarry: { command: string; args: string[] } };
  };
  assert.deepEqual(mcpServers.quarry, {
    command: process.execPath,
    args: [
      quarry,
      "mcp",
      "--root",
      join(root, "a b"),
      "--tools",
      "grep,glob",
      "--tool-prefix",
      "q_",
      "--structured",
      "--audit",
      join(root, "a b/log.jsonl"),
    ],
  });
});

test("odd paths stay whole in JSON and TOML", () => {
  const args = ['C:\\dir "x"', "a\nb\u007f"];
  assert.deepEqual(
    (JSON.parse(clientConfig("cursor", { command: "node", args }).block) as { mcpServers: { quarry: unknown } })
      .mcpServers.quarry,
    { type: "stdio", command: "node", args },
  );
  assert.equal(
    clientConfig("codex", { command: "node", args }).block,
    '[mcp_servers.quarry]\ncommand = "node"\nargs = ["C:\\\\dir \\"x\\"", "a\\nb\\u007f"]',
  );
});

test("an unknown client is refused with the list", () => {
  const run = spawnSync(process.execPath, [quarry, "mcp", "--print-config", "emacs"], { encoding: "utf8" });
  assert.equal(run.status, 2);
  assert.match(run.stderr, /claude-code.*generic/);
});
