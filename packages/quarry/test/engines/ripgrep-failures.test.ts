import assert from "node:assert/strict";
import { chmodSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { rgPath } from "@vscode/ripgrep";
import { QuarryError } from "#src/errors/errors.js";
import { RipgrepEngine } from "#src/engines/ripgrep/engine.js";
import { fakeRipgrep } from "./fake.js";
import { ask, children, makePlace, run, type Place } from "./place.js";

const engineOf = (body: string): RipgrepEngine => new RipgrepEngine({ binary: fakeRipgrep(body) });
const place = (): Promise<Place> => makePlace({ a: "x\n", b: "x 2\n", c: "x\n" });

async function error(engine: RipgrepEngine, at: Place, files?: readonly string[]): Promise<QuarryError> {
  let caught: unknown = null;
  try {
    await run(engine, at, ask("x"), { ...(files === undefined ? {} : { files }), signal: AbortSignal.timeout(20_000) });
  } catch (e) {
    caught = e;
  }
  assert.ok(caught instanceof QuarryError, `an error, not ${String(caught)}`);
  assert.ok(!caught.message.includes(at.root), "no host path");
  assert.deepEqual(children(), []);
  return caught;
}

test("fault-12, fault-62: a binary that is missing or not executable is said so, as a status and as an error", async () => {
  const at = await place();
  const file = join(at.root, "a");
  chmodSync(file, 0o644);
  for (const binary of [join(at.root, "missing"), ...(process.getuid?.() === 0 ? [] : [file]), file]) {
    const engine = new RipgrepEngine({ binary });
    const status = await engine.status();
    assert.equal(status.available, false);
    assert.match(status.detail, /missing|not executable|does not start/);
    const caught = await error(engine, at);
    assert.equal(caught.code, "ENGINE_UNAVAILABLE");
    assert.ok(!status.detail.includes(at.root));
  }
});

test("fault-62: a file that is no program is said so", async () => {
  const at = await place();
  const binary = fakeRipgrep("");
  writeFileSync(binary, "\x7fELF not really");
  const engine = new RipgrepEngine({ binary });
  assert.equal((await engine.status()).available, false);
  assert.match((await error(engine, at)).code, /SEARCH_FAILED|ENGINE_UNAVAILABLE/);
});

test("fault-12: output that cannot be understood is no empty answer", async () => {
  const at = await place();
  for (const body of [
    `out("hello world\\n"); process.exit(0)`,
    `out("./a\\0x:1:0:x\\n"); process.exit(0)`,
    `out("./a\\0" + "1:1:0:x"); process.exit(0)`,
    `out("\\0\\0\\0\\n"); process.exit(0)`,
    `out("./zzz\\n"); process.exit(1)`,
    `process.exit(0)`,
    `process.exit(3)`,
    `process.exit(101)`,
    `console.error("thread 'main' panicked at somewhere"); process.exit(2)`,
    `console.error("rg: out of memory"); process.exit(2)`,
    `process.kill(process.pid, "SIGKILL"); setTimeout(() => {}, 1e6)`,
    `process.kill(process.pid, "SIGSEGV"); setTimeout(() => {}, 1e6)`,
  ]) {
    const caught = await error(engineOf(body), at);
    assert.equal(caught.code, "SEARCH_FAILED", body);
    assert.match(caught.message, /ripgrep/, body);
  }
});

test("fault-12: an engine that fails without files fails too", async () => {
  assert.equal((await error(engineOf(`process.exit(3)`), await place(), [])).code, "SEARCH_FAILED");
});

test("fault-03, fault-12: what came before a failure is kept, marked incomplete with the reason", async () => {
  const at = await place();
  const first = `out("./a\\0" + "1:1:0:x\\n");`;
  for (const [body, reason] of [
    [`${first} out("garbage\\n"); process.exit(0)`, /cannot be understood/],
    [`${first} process.kill(process.pid, "SIGKILL"); setTimeout(() => {}, 1e6)`, /SIGKILL/],
    [`${first} process.exit(7)`, /status 7/],
    [`${first} out("./a\\0" + "1:1:0:x"); process.exit(0)`, /without an end/],
    [`${first} process.exit(1)`, /reported none/],
  ] as const) {
    const { found, report } = await run(engineOf(body), at, ask("x"));
    assert.deepEqual(found, [{ path: "a", lines: ["1:0:x"] }], body);
    assert.equal(report.incomplete, "engine", body);
    assert.match(report.reason ?? "", reason, body);
  }
});

test("fault-12: files in a wrong order are not passed on as if nothing were", async () => {
  const { report } = await run(
    engineOf(`out("./b\\0" + "1:1:0:x 2\\n./a\\0" + "1:1:0:x\\n"); process.exit(0)`),
    await place(),
    ask("x"),
  );
  assert.equal(report.incomplete, "engine");
});

test("what a file does not hold is not confirmed", async () => {
  const at = await place();
  await assert.rejects(run(engineOf(`out("./a\\0" + "1:1:0:y\\n"); process.exit(0)`), at, ask("x")), /not confirmed/);
  await assert.rejects(run(engineOf(`out("./a\\0" + "1:1:1:\\n"); process.exit(0)`), at, ask("x")), /not confirmed/);
  await assert.rejects(run(engineOf(`out("./a\\0" + "1:1:9:x\\n"); process.exit(0)`), at, ask("x")), /not confirmed/);
});

test("fault-03, fault-53: an engine that sleeps is ended with the call", async () => {
  const at = await place();
  const engine = engineOf(`out("./a\\0" + "1:1:0:x\\n./b\\0" + "1:1:0:x 2\\n"); setTimeout(() => {}, 1e6)`);
  const { found, report } = await run(engine, at, ask("x"), { signal: AbortSignal.timeout(600) });
  assert.deepEqual(
    found.map((f) => f.path),
    ["a"],
  );
  assert.equal(report.incomplete, "cancelled");
  assert.deepEqual(children(), []);
});

test("an engine that floods standard error is bounded", async () => {
  const at = await place();
  const engine = engineOf(
    `for (let i = 0; i < 2000; i++) fs.writeSync(2, "noise ".repeat(1000) + "\\n"); process.exit(2)`,
  );
  const caught = await error(engine, at);
  assert.ok(caught.message.length < 1_000);
});

test("fault-12: killed at a random moment, never a plain zero", async () => {
  const at = await makePlace(Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`f${i}`, "x\n".repeat(200)])));
  for (let round = 0; round < 12; round++) {
    const engine = engineOf(
      `const { spawnSync } = require("node:child_process");\nconst all = spawnSync(${JSON.stringify(rgPath)}, args, { stdio: ["ignore", "pipe", "inherit"], maxBuffer: 1e9 }).stdout;\n` +
        `out(all.subarray(0, Math.floor(all.length * ${Math.random()})));\nprocess.kill(process.pid, "SIGKILL"); setTimeout(() => {}, 1e6);`,
    );
    try {
      const { report } = await run(engine, at, ask("x"));
      assert.equal(report.incomplete, "engine");
    } catch (e) {
      assert.ok(e instanceof QuarryError && e.code === "SEARCH_FAILED", String(e));
    }
  }
});

test("one part that fails leaves the others", async () => {
  const at = await place();
  const engine = engineOf(
    `if (files.includes("./b")) process.exit(9);\nfor (const f of files) out(f + "\\0" + "1:1:0:x\\n");`,
  );
  const { found, report } = await run(engine, at, ask("x"), { chunk: 1 });
  assert.deepEqual(
    found.map((f) => f.path),
    ["a", "c"],
  );
  assert.equal(report.incomplete, "engine");
  assert.equal(report.filesSearched, 2);
});

test("a mount's folder that is gone is no empty answer", async () => {
  const at = await place();
  rmSync(at.root, { recursive: true });
  const caught = await error(new RipgrepEngine(), at);
  assert.equal(caught.code, "SEARCH_FAILED");
  assert.equal(existsSync(at.root), false);
});
