import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { QuarryError } from "#src/errors/errors.js";
import type { BashRequest, BashResult } from "#src/executors/executor.js";
import { LocalBashExecutor, type LocalBashOptions } from "#src/executors/local.js";

const folder = (): string => realpathSync(mkdtempSync(join(tmpdir(), "bash-")));

function run(request: BashRequest, options: Partial<LocalBashOptions> = {}): Promise<BashResult> {
  const executor = new LocalBashExecutor({ workdir: folder(), ...options });
  return executor.run(executor.resolve(request));
}

/** Those of the processes that still run: one that is dead and not yet collected by its parent does not. */
const running = (pids: string): string[] =>
  pids
    .split(/\s+/)
    .filter(
      (pid) => pid !== "" && /^[^Z]/.test(spawnSync("ps", ["-o", "stat=", "-p", pid], { encoding: "utf8" }).stdout),
    );

test("[A-030] defaults and caps are applied by resolve, once and visibly", () => {
  const executor = new LocalBashExecutor({ workdir: "/here", timeoutMs: 50, maxTimeoutMs: 100, stdoutMaxBytes: 7 });
  assert.deepEqual(executor.resolve({ command: "x" }), {
    command: "x",
    workdir: "/here",
    timeoutMs: 50,
    stdoutMaxBytes: 7,
  });
  const { signal } = new AbortController();
  assert.deepEqual(
    executor.resolve({
      command: "x",
      workdir: "/there",
      timeoutMs: 500,
      stdoutMaxBytes: 9,
      signal,
      stdin: "in",
      env: { A: "1" },
    }),
    {
      command: "x",
      workdir: "/there",
      timeoutMs: 100,
      stdoutMaxBytes: 9,
      signal,
      stdin: "in",
      env: { A: "1" },
    },
  );
  for (const wrong of [
    { timeoutMs: 0 },
    { timeoutMs: Number.NaN },
    { stdoutMaxBytes: -1 },
    { stdoutMaxBytes: Number.POSITIVE_INFINITY },
  ]) {
    assert.throws(
      () => executor.resolve({ command: "x", ...wrong }),
      (error) => error instanceof QuarryError && error.code === "INVALID_ARGUMENT",
    );
  }
});

test("a command's output, exit status, folder and stdin", async () => {
  const workdir = folder();
  assert.deepEqual(await run({ command: 'pwd; cat; echo "no" >&2; exit 3', workdir, stdin: "in\n" }), {
    exitCode: 3,
    signal: null,
    timedOut: false,
    aborted: false,
    stdout: { text: `${workdir}\nin\n`, truncated: false },
    stderr: { text: "no\n", truncated: false },
  });
  // Without stdin there is nothing to wait for.
  assert.equal((await run({ command: "cat; echo end" })).stdout.text, "end\n");
  // A command that does not want its stdin.
  assert.equal(
    (await run({ command: "exec 0<&-; sleep 0.05; echo end", stdin: "x".repeat(1 << 20) })).stdout.text,
    "end\n",
  );
});

test("stdout keeps its beginning, stderr its end", async () => {
  const { stdout, stderr } = await run(
    { command: "printf 'aéb'; printf 'aéb' >&2", stdoutMaxBytes: 2 },
    { stderrMaxBytes: 2 },
  );
  assert.deepEqual(stdout, { text: "a", truncated: true });
  assert.deepEqual(stderr, { text: "b", truncated: true });
  const flood = await run({ command: "head -c 5000000 /dev/zero | tr '\\0' x", stdoutMaxBytes: 1_000 });
  assert.deepEqual([flood.exitCode, flood.stdout.text.length, flood.stdout.truncated], [0, 1_000, true]);
});

test("a command that dies by a signal says which", async () => {
  const { exitCode, signal, timedOut, aborted } = await run({ command: "kill -KILL $$" });
  assert.deepEqual(
    { exitCode, signal, timedOut, aborted },
    { exitCode: null, signal: "SIGKILL", timedOut: false, aborted: false },
  );
});

test("a folder that is not there, or a command that is too long, is an error without a path", async () => {
  await assert.rejects(
    run({ command: "true", workdir: "/no/such/folder" }),
    (error) =>
      error instanceof QuarryError &&
      error.code === "SEARCH_FAILED" &&
      !error.message.includes("/no/such") &&
      error.message.includes("ENOENT"),
  );
  await assert.rejects(
    run({ command: `: ${"x".repeat(200_000)}` }),
    (error) => error instanceof QuarryError && error.message.includes("E2BIG"),
  );
});

test("fault-53: the time limit ends everything the command started, gently first", async () => {
  const pids = join(folder(), "pids");
  const started = performance.now();
  const gentle = await run({
    command: `sleep 30 & echo $! $$ > ${pids}; trap 'echo asked; exit 7' TERM; wait`,
    timeoutMs: 200,
  });
  assert.deepEqual([gentle.exitCode, gentle.timedOut, gentle.aborted, gentle.stdout.text], [7, true, false, "asked\n"]);
  assert.deepEqual(running(readFileSync(pids, "utf8")), []);
  const deaf = await run(
    { command: `trap '' TERM; echo $$ > ${pids}; while :; do sleep 0.1; done`, timeoutMs: 200 },
    { graceMs: 150 },
  );
  assert.deepEqual([deaf.exitCode, deaf.signal, deaf.timedOut], [null, "SIGKILL", true]);
  await sleep(50);
  assert.deepEqual(running(readFileSync(pids, "utf8")), []);
  assert.ok(performance.now() - started < 5_000);
});

test("a cancelled signal ends the command; of two causes the first is told, never both", async () => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 150);
  const aborted = await run({
    command: "trap 'sleep 0.3; exit 1' TERM; sleep 30 & wait",
    signal: controller.signal,
    timeoutMs: 300,
  });
  assert.deepEqual([aborted.aborted, aborted.timedOut], [true, false]);
  const later = new AbortController();
  setTimeout(() => later.abort(), 300);
  const timed = await run({
    command: "trap 'sleep 0.3; exit 1' TERM; sleep 30 & wait",
    signal: later.signal,
    timeoutMs: 150,
  });
  assert.deepEqual([timed.aborted, timed.timedOut], [false, true]);
  const witness = join(folder(), "ran");
  const before = await run({ command: `touch ${witness}`, signal: AbortSignal.abort() });
  assert.deepEqual([before.aborted, before.exitCode, before.stdout.text], [true, null, ""]);
  assert.throws(() => readFileSync(witness));
});

test("what a command leaves in the background does not hold up its result, and ends with it", async () => {
  const pids = join(folder(), "pids");
  const started = performance.now();
  const { exitCode, stdout } = await run({ command: `sleep 30 & echo $! > ${pids}; echo done` });
  assert.deepEqual([exitCode, stdout.text], [0, "done\n"]);
  assert.ok(performance.now() - started < 5_000);
  await sleep(50);
  assert.deepEqual(running(readFileSync(pids, "utf8")), []);
});

test("the environment is a list of what is allowed: no secret, no BASH_ENV, no exported function", async (t) => {
  const evil = join(folder(), "evil.sh");
  writeFileSync(evil, "echo sourced\n");
  const given = {
    AWS_SECRET_ACCESS_KEY: "s3cret",
    MY_TOKEN: "s3cret",
    BASH_ENV: evil,
    RIPGREP_CONFIG_PATH: evil,
    "BASH_FUNC_echo%%": "() { printf pwned; }",
    LC_ALL: "C.UTF-8",
  };
  for (const [name, value] of Object.entries(given)) process.env[name] = value;
  t.after(() => {
    for (const name of Object.keys(given)) delete process.env[name];
  });
  const { stdout } = await run({ command: "echo ran; env", env: { MINE: "1" } }, { programs: ["/first"] });
  const lines = stdout.text.split("\n");
  assert.equal(lines[0], "ran");
  assert.doesNotMatch(stdout.text, /s3cret|evil\.sh|pwned|sourced/);
  for (const wanted of ["MINE=1", "LC_ALL=C.UTF-8", "NO_COLOR=1", "TERM=dumb"])
    assert.ok(lines.includes(wanted), wanted);
  assert.match(stdout.text, /^PATH=\/first:/m);
});
