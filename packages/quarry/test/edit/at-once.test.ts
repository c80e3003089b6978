import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { changeFile } from "#src/files/write-file.js";
import { FileLocks, lockKey } from "#src/files/write-lock.js";
import { newOwner, ownerState } from "#src/files/write-owner.js";
import { QuarryError } from "#src/errors/errors.js";
import { makeTree } from "../support/tree.js";
import { CACHE, done, editTools, refused, textOf } from "./editing.js";

const LINES = Array.from({ length: 100 }, (_, i) => `line ${i}\n`);

test("fault-05: a hundred edits of one file at once, in one process: all of them apply", async () => {
  const root = makeTree({ "a.txt": LINES.join("") });
  const { replace } = await editTools(root);
  const results = await Promise.all(
    LINES.map((line) => replace({ path: "a.txt", old_str: line, new_str: `new ${line}` })),
  );
  for (const result of results) done(result);
  assert.equal(textOf(root, "a.txt"), LINES.map((line) => `new ${line}`).join(""));
});

test("fault-05: edits of one file by four processes at once: all of them apply, under two names of its folder", async () => {
  const root = makeTree({ "d/a.txt": LINES.join(""), link: { link: "d" } });
  const script = `
    const { editTools, done } = await import(${JSON.stringify(new URL("./editing.js", import.meta.url).href)});
    process.env.QUARRY_CACHE_DIR = ${JSON.stringify(CACHE)};
    const [which] = process.argv.slice(1).map(Number);
    const { replace } = await editTools(${JSON.stringify(root)});
    process.stdout.write("ready");
    for await (const _ of process.stdin) break;
    for (let i = which; i < 100; i += 4) done(await replace({ path: which % 2 ? "d/a.txt" : "link/a.txt", old_str: "line " + i + "\\n", new_str: "new line " + i + "\\n" }));
    process.exit(0);`;
  const children = [0, 1, 2, 3].map((which) =>
    spawn(process.execPath, ["--input-type=module", "-e", script, String(which)], {
      stdio: ["pipe", "pipe", "inherit"],
    }),
  );
  await Promise.all(children.map((child) => once(child.stdout, "data")));
  for (const child of children) child.stdin.write("go\n");
  for (const [code] of await Promise.all(children.map((child) => once(child, "exit")))) assert.equal(code, 0);
  assert.equal(textOf(root, "d/a.txt"), LINES.map((line) => `new ${line}`).join(""));
  assert.deepEqual(readdirSync(join(root, "d")), ["a.txt"]);
  assert.deepEqual(readdirSync(join(CACHE, "locks")), []);
});

test("of two that make the same new file at once, one does and the other is told", async () => {
  const root = makeTree({});
  const { write } = await editTools(root);
  const results = await Promise.all(["one\n", "two\n"].map((content) => write({ path: "a.txt", content })));
  assert.equal(done(results[0] as (typeof results)[0]).created, true);
  assert.equal(refused(results[1] as (typeof results)[0]).code, "FILE_EXISTS");
  assert.equal(textOf(root, "a.txt"), "one\n");
});

for (const [what, change] of [
  ["changed in place", (path: string) => writeFileSync(path, "six\n")],
  ["replaced", (path: string) => saveByRename(path)],
] as const) {
  test(`a file that another program has ${what} while it was edited is not overwritten`, async () => {
    const root = makeTree({ "a.txt": "one\n" });
    const { rooms } = await editTools(root);
    const target = rooms.workspace.resolve("a.txt", "file");
    const write = changeFile(target, new FileLocks(null), new AbortController().signal, () => {
      change(join(root, "a.txt"));
      return Buffer.from("two\n");
    });
    await assert.rejects(write, (error) => error instanceof QuarryError && error.code === "VERSION_MISMATCH");
    assert.equal(textOf(root, "a.txt"), "six\n");
    assert.deepEqual(readdirSync(root), ["a.txt"]);
  });
}

test("a file that appears while a new one is made is not overwritten", async () => {
  const root = makeTree({ "x.txt": "" });
  const { rooms } = await editTools(root);
  const place = { mount: rooms.workspace.resolve("x.txt", "file").mount, path: "a.txt" };
  const write = changeFile(place, new FileLocks(null), new AbortController().signal, () => {
    writeFileSync(join(root, "a.txt"), "six\n");
    return Buffer.from("two\n");
  });
  await assert.rejects(write, (error) => error instanceof QuarryError && error.code === "FILE_EXISTS");
  assert.equal(textOf(root, "a.txt"), "six\n");
  assert.deepEqual(readdirSync(root).sort(), ["a.txt", "x.txt"]);
});

/** What an editor does that saves by renaming. */
function saveByRename(path: string): void {
  writeFileSync(`${path}.editor`, "six\n");
  renameSync(`${path}.editor`, path);
}

test("a lock that is held ends the waiting in time, and cancelling ends it at once; nothing is changed", async () => {
  const root = makeTree({ "a.txt": "one\n" });
  const { replace } = await editTools(root, { timeoutMs: 300 });
  const stat = statSync(root, { bigint: true });
  const lock = join(CACHE, "locks", `${lockKey(stat.dev, stat.ino, "a.txt")}.lock`);
  mkdirSync(join(CACHE, "locks"), { recursive: true });
  writeFileSync(lock, newOwner());
  try {
    const busy = refused(await replace({ path: "a.txt", old_str: "one", new_str: "two" }));
    assert.equal(busy.code, "FILE_BUSY");
    const abort = new AbortController();
    const call = replace({ path: "a.txt", old_str: "one", new_str: "two" }, { signal: abort.signal });
    await sleep(20);
    const started = performance.now();
    abort.abort();
    assert.equal(refused(await call).code, "ABORTED");
    assert.ok(performance.now() - started < 100);
    assert.equal(
      refused(await replace({ path: "a.txt", old_str: "one", new_str: "two" }, { signal: AbortSignal.abort() })).code,
      "ABORTED",
    );
    assert.equal(textOf(root, "a.txt"), "one\n");
  } finally {
    unlinkSync(lock);
  }
});

/** The word of a process that has ended. */
async function deadOwner(): Promise<string> {
  const script = `const { newOwner } = await import(${JSON.stringify(new URL("../../dist/files/write-owner.js", import.meta.url).href)}); process.stdout.write(newOwner());`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let word = "";
  child.stdout.on("data", (chunk: Buffer) => (word += chunk.toString()));
  await once(child, "close");
  return word;
}

test("a lock left by a killed process is taken by one of many at a time, also where a taker was killed too", async () => {
  const folder = makeTree({});
  const dead = await deadOwner();
  const key = lockKey("x");
  assert.equal(ownerState(dead), "dead");
  assert.equal(ownerState(newOwner()), "alive");
  for (const right of [`${key}.${dead}.own`, `${key}.${dead}.own.${await deadOwner()}`]) {
    writeFileSync(join(folder, `${key}.lock`), dead);
    writeFileSync(join(folder, right), dead);
    let inside = 0;
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        new FileLocks(folder).hold(key, new AbortController().signal, (locked) => {
          assert.equal(locked, true);
          assert.equal(++inside, 1);
          order.push(i);
          inside -= 1;
        }),
      ),
    );
    assert.equal(order.length, 20);
    assert.deepEqual(readdirSync(folder), []);
  }
});

test("a lock of which nobody can tell whether its owner lives is waited for, and taken once it is old", async () => {
  const folder = makeTree({});
  const key = lockKey("x");
  const strange = newOwner().replace(/^[0-9a-f]{8}/, "00000000");
  const lock = join(folder, `${key}.lock`);
  writeFileSync(lock, strange);
  writeFileSync(join(folder, `${key}.${strange}.own`), strange);
  const locks = new FileLocks(folder);
  await assert.rejects(
    locks.hold(key, AbortSignal.timeout(100), () => 1),
    /under way/,
  );
  const old = new Date(Date.now() - 120_000);
  utimesSync(lock, old, old);
  assert.equal(await locks.hold(key, AbortSignal.timeout(5_000), () => 1), 1);
  assert.deepEqual(readdirSync(folder), []);
});

test("what a killed writer left in a folder goes with the next write in it; what looks like it and is not stays", async () => {
  const dead = await deadOwner();
  const root = makeTree({
    [`.quarry-${dead}.tmp`]: "left",
    [`.quarry-${newOwner()}.tmp`]: "alive",
    ".quarry-x.tmp": "mine",
    "a.txt": "one\n",
  });
  const { replace } = await editTools(root);
  done(await replace({ path: "a.txt", old_str: "one", new_str: "two" }));
  const names = readdirSync(root);
  assert.equal(names.length, 3);
  assert.ok(!names.includes(`.quarry-${dead}.tmp`));
  assert.equal(readFileSync(join(root, ".quarry-x.tmp"), "utf8"), "mine");
});
