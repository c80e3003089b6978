import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { agentIn, BASE, BASH, folder, loadFile, loadRows, search, STATE } from "./support/harness.js";
import { inPath, RIPGREPS, withoutRg } from "./support/rg.js";
import { script } from "./support/scripted-shell.js";

const SCRIPTED = { id: "shell", name: new URL("./support/scripted-shell.js", import.meta.url).href };
const OLD_NAME = { id: "alias", name: new URL("./support/bash-service.js", import.meta.url).href };
const EXAMPLE = fileURLToPath(new URL("../../../examples/dsh/cordis.yml", import.meta.url));

test("[A-001][A-002] the exports are those of a namespace plugin that needs tools, systemPrompt and shell", async () => {
  const plugin: Record<string, unknown> = { ...(await import("dsh-tool-fs-search")) };
  assert.deepEqual(Object.keys(plugin).sort(), ["Config", "SearchError", "apply", "inject", "name"]);
  assert.equal(plugin["name"], "tool-fs-search");
  assert.deepEqual(plugin["inject"], ["tools", "systemPrompt", "shell"]);
  assert.equal("default" in plugin, false);
});

test("[A-002] without a bash service the plugin waits, and fs is not asked for", async (t) => {
  const harness = await loadRows(t, [...BASE, search()]);
  assert.equal(harness.entry("search").fiber?.state, STATE.PENDING);
  assert.deepEqual(Object.keys(harness.entry("search").fiber?.inject ?? {}), ["tools", "systemPrompt", "shell"]);
  assert.deepEqual(harness.toolNames(), []);
});

test("[A-004] the probe goes through resolve and run, once, with nothing else in its request", async (t) => {
  const asked = script({});
  const harness = await loadRows(t, [...BASE, SCRIPTED, search()]);
  assert.deepEqual(asked.requests, [{ command: "command -v rg >/dev/null 2>&1" }]);
  assert.deepEqual(
    asked.specs.map((spec) => spec.command),
    ["command -v rg >/dev/null 2>&1"],
  );
  assert.deepEqual(harness.toolNames(), ["glob", "grep"]);
});

for (const rg of RIPGREPS) {
  test(`[A-005][A-009] with ripgrep ${rg.version} the Loader registers both tools and their prompt sections`, async (t) => {
    inPath(t, rg.folder);
    const harness = await loadRows(t, [...BASE, BASH, search()]);
    assert.equal(harness.entry("search").fiber?.state, STATE.ACTIVE);
    assert.deepEqual(harness.toolNames(), ["glob", "grep"]);
    assert.deepEqual(await harness.promptSections(), ["tool:glob", "tool:grep"]);
    assert.deepEqual(harness.logged("warn"), []);
    assert.deepEqual(harness.logged("error"), []);
  });
}

test("[A-006] a bash without ripgrep: no tool, no prompt section, one warning", async (t) => {
  withoutRg(t);
  const harness = await loadRows(t, [...BASE, BASH, search()]);
  assert.equal(harness.entry("search").fiber?.state, STATE.ACTIVE);
  assert.deepEqual(harness.toolNames(), []);
  assert.deepEqual(await harness.promptSections(), []);
  assert.deepEqual(harness.logged("warn"), [
    "tool-fs-search: the shell finds no ripgrep (rg), so glob and grep are not offered",
  ]);
  assert.deepEqual(harness.logged("error"), []);
});

test("[A-007] a bash that cannot start fails the load", async (t) => {
  const harness = await loadRows(t, [...BASE, { ...BASH, config: { cwd: join(folder(), "gone") } }, search()]);
  const { fiber } = harness.entry("search");
  assert.equal(fiber?.state, STATE.FAILED);
  await assert.rejects(fiber.await(), /the shell cannot run commands: .*ENOENT/);
  assert.deepEqual(harness.toolNames(), []);
  assert.deepEqual(await harness.promptSections(), []);
});

for (const [title, probe, message] of [
  ["cannot start", { rejects: new Error("no bash here") }, /cannot run commands: no bash here/],
  ["times out", { exitCode: null, timedOut: true }, /cannot run commands: looking for rg timed out/],
  ["is cancelled", { exitCode: null, aborted: true }, /cannot run commands: looking for rg was cancelled/],
  ["is killed", { exitCode: null, signal: "SIGKILL" }, /cannot run commands: looking for rg was ended by SIGKILL/],
  ["gives no exit code", { exitCode: null }, /cannot run commands: looking for rg gave no exit status/],
] as const) {
  test(`[A-007] a probe that ${title} fails the load`, async (t) => {
    script({}, probe);
    const harness = await loadRows(t, [...BASE, SCRIPTED, search()]);
    const { fiber } = harness.entry("search");
    assert.equal(fiber?.state, STATE.FAILED);
    await assert.rejects(fiber.await(), message);
    assert.deepEqual(harness.toolNames(), []);
    assert.deepEqual(harness.logged("warn"), []);
  });
}

test("[A-008] disposing the plugin leaves nothing registered, and loading it again works", async (t) => {
  const harness = await loadRows(t, [...BASE, BASH, search()]);
  const before = await harness.ctx.systemPrompt.assemble({});
  assert.ok(before.sections.some((section) => section.name === "tool:glob"));
  await harness.entry("search").fiber?.dispose();
  assert.deepEqual(harness.toolNames(), []);
  assert.deepEqual(await harness.promptSections(), []);
  const gone = await harness.call("glob", { pattern: "*" });
  assert.equal(gone.isError && gone.error.info?.code, "UNKNOWN_TOOL");
  await harness.ctx.loader.create({ name: "dsh-tool-fs-search" });
  await harness.ctx.loader.await();
  assert.deepEqual(harness.toolNames(), ["glob", "grep"]);
});

test("[A-020] a field that is not a positive integer fails the load and is named", async (t) => {
  for (const [config, message] of [
    [{ globMaxResults: 0 }, /globMaxResults/],
    [{ grepMaxMatches: -1 }, /grepMaxMatches/],
    [{ grepMaxLineBytes: 1.5 }, /grepMaxLineBytes/],
    [{ rawOutputMaxBytes: "20" as unknown as number }, /rawOutputMaxBytes/],
    [{ timeoutMs: 0 }, /timeoutMs/],
    [{ sampleOverCapGlobResults: 1 }, /unknown setting sampleOverCapGlobResults; known are globMaxResults, /],
  ] as const) {
    const harness = await loadRows(t, [...BASE, BASH, search(config)]);
    const { fiber } = harness.entry("search");
    assert.equal(fiber?.state, STATE.FAILED, JSON.stringify(config));
    await assert.rejects(fiber.await(), message);
    assert.deepEqual(harness.toolNames(), []);
  }
});

test("[A-020] a plugin that is loaded by hand, without a config, has the defaults; a wrong one is refused there too", async (t) => {
  const plugin = await import("dsh-tool-fs-search");
  const harness = await loadRows(t, [...BASE, BASH]);
  await harness.ctx.inject(["tools", "systemPrompt", "shell"], (ctx) => plugin.apply(ctx));
  assert.equal(harness.ctx.tools.get("glob")?.timeoutMs, 30_000);
  await assert.rejects(async () => {
    await harness.ctx.inject(["tools", "systemPrompt", "shell"], (ctx) => plugin.apply(ctx, { timeoutMs: Number.NaN }));
  }, /timeoutMs must be a positive integer/);
});

test("[A-081] the example composition loads, finds and greps", async (t) => {
  const harness = await loadFile(t, EXAMPLE);
  const cwd = folder();
  writeFileSync(join(cwd, "a.txt"), "needle\n");
  assert.deepEqual(harness.toolNames(), ["glob", "grep"]);
  assert.ok(harness.ctx.get("spillStore"));
  assert.equal(await harness.text("glob", { pattern: "*" }, { agent: agentIn(cwd) }), "a.txt");
  assert.equal(
    await harness.text("grep", { pattern: "needle" }, { agent: agentIn(cwd) }),
    "Found 1 match\n\na.txt\nLine 1: needle",
  );
});

test("[A-090] a harness that offers its bash as ctx.bash: the other entry of the package works the same", async (t) => {
  const harness = await loadRows(t, [...BASE, BASH, OLD_NAME, search({}, "dsh-tool-fs-search/bash")]);
  const { fiber } = harness.entry("search");
  assert.deepEqual(Object.keys(fiber?.inject ?? {}), ["tools", "systemPrompt", "bash"]);
  assert.equal(fiber?.state, STATE.ACTIVE);
  const cwd = folder();
  writeFileSync(join(cwd, "a.txt"), "needle\n");
  assert.equal(await harness.text("glob", { pattern: "*" }, { agent: agentIn(cwd) }), "a.txt");
  assert.equal(
    await harness.text("grep", { pattern: "needle" }, { agent: agentIn(cwd) }),
    "Found 1 match\n\na.txt\nLine 1: needle",
  );
  const other: Record<string, unknown> = { ...(await import("dsh-tool-fs-search/bash")) };
  assert.deepEqual(Object.keys(other).sort(), ["Config", "SearchError", "apply", "inject", "name"]);
});

test("[A-090] today's names of the harness are used: ctx.shell, and the tool call timeout policy", async (t) => {
  const harness = await loadRows(t, [...BASE, BASH, search({ timeoutMs: 40 })]);
  assert.equal(harness.entry("timeouts").options.name, "@deepseek-ai/dsh-tool-call-timeout-policy");
  assert.equal(harness.ctx.tools.get("glob")?.timeoutMs, 40);
  assert.equal(harness.ctx.tools.get("grep")?.timeoutMs, 40);
});
