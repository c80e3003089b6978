import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { linuxSource, NO_LINUX_SOURCE } from "../support/corpus.js";
import { makeTree } from "../support/tree.js";
import { aliveIn, CACHE, memoryOf, onTerminal, quarry, start } from "./quarry.js";

// Lines that take an engine seconds: a slow tree of a few files.
const slow = makeTree(
  Object.fromEntries(Array.from({ length: 4 }, (_, i) => [`f${i}`, `needle\n${"aXbc ".repeat(4_000_000)}\n`])),
);
const PATTERN = "needle|(?:\\w+X\\w+ ){1000}[A-Z]{3}";

/** The search has begun: it has children. */
async function begun(group: number): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (aliveIn(group).some((stat) => stat.includes("(rg)"))) return;
    await sleep(25);
  }
  throw new Error("no searcher was started");
}

for (const [signal, toGroup] of [
  ["SIGINT", false],
  ["SIGINT", true],
  ["SIGTERM", false],
] as const) {
  test(`fault-53: ${signal}${toGroup ? " to the whole group, as Ctrl-C sends it" : ""} in the middle: INCOMPLETE, status 3, no process is left`, async () => {
    const { child, ended } = start(slow, ["grep", PATTERN, "--engine", "ripgrep", "--no-artifacts"]);
    const group = child.pid as number;
    await begun(group);
    process.kill(toGroup ? -group : group, signal);
    const ran = await ended;
    assert.deepEqual([ran.status, ran.signal], [3, null], ran.stdout + ran.stderr);
    assert.match(ran.stdout, /^INCOMPLETE: the call was cancelled; \d+ files? searched\.\n/);
    assert.equal(ran.stderr, "");
    await sleep(100);
    assert.deepEqual(aliveIn(group), []);
  });
}

test("fault-03, fault-53: a timeout in the middle: INCOMPLETE, status 3, no process is left one second later", async () => {
  const { child, ended } = start(slow, ["grep", PATTERN, "--engine", "ripgrep", "--timeout", "60ms", "--no-artifacts"]);
  const ran = await ended;
  assert.equal(ran.status, 3, ran.stdout + ran.stderr);
  assert.match(ran.stdout, /^INCOMPLETE: the time limit was reached; \d+ files? searched\.\n/);
  assert.deepEqual(aliveIn(child.pid as number), []);
});

test("a killed command takes its searchers with it", async () => {
  const { child } = start(slow, ["grep", PATTERN, "--engine", "ripgrep", "--no-artifacts"]);
  const group = child.pid as number;
  await begun(group);
  child.kill("SIGKILL");
  await once(child, "exit");
  for (let tries = 0; aliveIn(group).length > 0 && tries < 200; tries++) await sleep(50);
  assert.deepEqual(aliveIn(group), []);
});

test("on a terminal a spinner tells of a long call, and leaves the line clean", () => {
  const shown = onTerminal(slow, ["grep", PATTERN, "--timeout", "1500ms", "--no-artifacts"]);
  assert.match(shown, /\r\u001b\[K[|/\\-] /);
  assert.ok(shown.lastIndexOf("\r\u001b[K") < shown.search(/INCOMPLETE|matches/), JSON.stringify(shown.slice(0, 300)));
  assert.ok(!onTerminal(makeTree({ a: "x\n" }), ["grep", "x"]).includes("\r\u001b[K"));
});

const corpus = linuxSource();
test(
  "Linux source: `static int` gives a page, the exact total and an artifact of 212,985 match lines, under 300 MB",
  { skip: corpus === null && NO_LINUX_SOURCE },
  async () => {
    const { child, ended } = start(corpus as string, ["grep", "static int", "--timeout", "170s"]);
    let peak = 0;
    const timer = setInterval(() => (peak = Math.max(peak, memoryOf(child.pid as number))), 50);
    const ran = await ended;
    clearInterval(timer);
    assert.equal(ran.status, 0, ran.stderr + ran.stdout.slice(0, 300));
    assert.match(ran.stdout, /^100 of 212,985 matches in [\d,]+ files\n/);
    const locator = /Complete result: (@artifacts\/([0-9a-f]{16}\.txt))/.exec(ran.stdout);
    assert.ok(locator !== null);
    const [owner = ""] = readdirSync(join(CACHE, "artifacts")).filter((one) =>
      readdirSync(join(CACHE, "artifacts", one)).includes(locator[2] as string),
    );
    const text = readFileSync(join(CACHE, "artifacts", owner, locator[2] as string), "utf8");
    assert.equal(text.match(/^\d+ /gm)?.length, 212_985);
    assert.ok(peak > 0 && peak < 300e6, `${Math.round(peak / 1e6)} MB`);
    assert.match(
      quarry(corpus as string, ["grep", "^100 .*static int", locator[1] as string, "--output", "count"]).stdout,
      /^1 file with \d+ matching lines\n/,
    );
  },
);
