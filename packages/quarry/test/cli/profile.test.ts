/** `--profile dsh` on the command line and over MCP: the harness plugin's schemas, caps and texts. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { makeTour, type Tour } from "../support/tour.js";

let tour: Tour;
before(() => {
  tour = makeTour();
  const lines = Array.from({ length: 251 }, (_, i) => `needle ${i}`).join("\n");
  writeFileSync(join(tour.folder, "many.txt"), `${lines}\n`);
});
after(() => tour.remove());

function quarry(args: readonly string[], input = ""): { status: number | null; stdout: string; stderr: string } {
  return spawnSync("quarry", args, { cwd: tour.folder, env: tour.env, encoding: "utf8", input, timeout: 60_000 });
}

test("grep and glob answer with the contract's texts", () => {
  const grep = quarry(["grep", "loadConfig", "src", "--include", "server.*", "--profile", "dsh"]);
  assert.equal(grep.status, 0, grep.stderr);
  assert.equal(
    grep.stdout,
    'Found 2 matches\n\nsrc/server.ts\nLine 1: import { loadConfig } from "./config.js";\nLine 6:   const config = loadConfig();\n',
  );
  const none = quarry(["grep", "no such text", "--profile", "dsh"]);
  assert.equal(none.status, 1);
  assert.match(none.stdout, /^No matches found/);
  const glob = quarry(["glob", "*.ts", "src", "--profile", "dsh"]);
  assert.deepEqual(glob.stdout.trim().split("\n").sort(), ["src/config.ts", "src/retry.ts", "src/server.ts"]);
});

test("over its cap the complete result is one command away", () => {
  const { stdout } = quarry(["grep", "needle", "--profile", "dsh"]);
  assert.match(stdout, /^Found 250 of 251 matches\n/);
  const locator = /stored at: (@artifacts\/[0-9a-f]{16}\.txt)\./.exec(stdout)?.[1];
  assert.ok(locator !== undefined, stdout.slice(-300));
  const whole = quarry(["read", locator, "--lines", "250:260"]);
  assert.match(whole.stdout, /Line 251: needle 250/);
});

test("arguments of the other profile are refused, and so is a profile that does not exist", () => {
  const more = quarry(["grep", "x", "--context", "2", "--profile", "dsh"]);
  assert.equal(more.status, 2);
  assert.match(more.stderr, /grep has no argument "context"/);
  const unknown = quarry(["grep", "x", "--profile", "nope"]);
  assert.equal(unknown.status, 2);
  assert.match(unknown.stderr, /INVALID_ARGUMENT.*quarry, dsh/);
});

test("the MCP server serves the profile's two tools, and refuses structured content with it", () => {
  const request = (id: number, method: string, params: object): string =>
    JSON.stringify({ jsonrpc: "2.0", id, method, params });
  const start = request(1, "initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
  const input = [
    start,
    JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
    request(2, "tools/list", {}),
  ].join("\n");
  const served = quarry(["mcp", "--root", ".", "--profile", "dsh"], `${input}\n`);
  assert.equal(served.status, 0, served.stderr);
  const answers = served.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: number; result: Record<string, unknown> });
  const listed = answers.find(({ id }) => id === 2)?.result["tools"] as {
    name: string;
    inputSchema: { properties: object };
  }[];
  assert.deepEqual(
    listed.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties)]),
    [
      ["glob", ["pattern", "path"]],
      ["grep", ["pattern", "path", "include"]],
    ],
  );
  const structured = quarry(["mcp", "--root", ".", "--profile", "dsh", "--structured"]);
  assert.equal(structured.status, 2);
  assert.match(structured.stderr, /--structured/);
});
