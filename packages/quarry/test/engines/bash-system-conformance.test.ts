import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { BashEngine } from "#src/engines/bash/engine.js";
import { DIFFERS, executor } from "./bash.js";
import { conformance } from "./conformance.js";

const FOLDERS = ["/usr/local/bin", "/usr/bin", "/bin"];

/** The system's own ripgrep, where it has one: Debian 12 has 13.0.0, and CI installs it. */
const system = spawnSync("bash", ["-c", `PATH=${FOLDERS.join(":")}; rg --version`], { encoding: "utf8" });
const version = /^ripgrep (\S+)/.exec(system.stdout)?.[1];
const engine = (): BashEngine => new BashEngine(executor(FOLDERS));

if (version !== undefined) conformance(`bash with ripgrep ${version}`, engine, DIFFERS);

test("bash: whether the system has a ripgrep of its own is found out", async () => {
  const { available, detail } = await engine().status();
  assert.equal(available, version !== undefined, detail);
});
