import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { BASE, BASH, folder, loadFile, loadRows, search } from "./support/harness.js";

test("[A-004] a composition with the real Loader registers both tools and their prompt sections", async (t) => {
  const harness = await loadRows(t, [...BASE, BASH, search()]);
  assert.deepEqual(harness.toolNames(), ["glob", "grep"]);
  assert.deepEqual(await harness.promptSections(), ["tool:glob", "tool:grep"]);
  assert.deepEqual(harness.logged("warn"), []);
  assert.deepEqual(harness.logged("error"), []);
  const cwd = folder();
  writeFileSync(join(cwd, "a.txt"), "needle\n");
  const { agentIn } = await import("./support/harness.js");
  assert.equal(
    await harness.text("grep", { pattern: "needle" }, { agent: agentIn(cwd) }),
    "Found 1 match\n\na.txt\nLine 1: needle",
  );
  assert.equal(await harness.text("glob", { pattern: "*" }, { agent: agentIn(cwd) }), "a.txt");
});
void loadFile;
