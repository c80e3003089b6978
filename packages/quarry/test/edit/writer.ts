/**
 * A program that edits and is killed: `node writer.js <root> <locks> <n> [<k>]`. It replaces the number n at both ends of `a.txt`
 * by n + 1, and makes `new.txt`. Without k it goes on with n + 1 for ever, after a line on stdin, and tells each start; with
 * k it kills itself right before the k-th call to the file system that the edit makes.
 */
import fs from "node:fs";
import { changeFile } from "#src/files/write-file.js";
import { FileLocks } from "#src/files/write-lock.js";
import { Workspace } from "#src/workspace/workspace.js";

const [root = "", locks = "", first = "0", kill] = process.argv.slice(2);
const workspace = await Workspace.open({ mounts: [{ host: root, access: "write" }] });
const target = workspace.resolve("a.txt", "file");
const fileLocks = new FileLocks(locks);
const never = new AbortController().signal;

async function edit(n: number): Promise<void> {
  await changeFile(target, fileLocks, never, (content) => {
    const text = content?.bytes.toString("latin1") ?? "";
    if (!text.startsWith(`${n}\n`)) throw new Error(`not ${n}`);
    return Buffer.from(`${n + 1}${text.slice(`${n}`.length, -`${n}\n`.length)}${n + 1}\n`, "latin1");
  });
  await changeFile({ mount: target.mount, path: "new.txt" }, fileLocks, never, () =>
    Buffer.from("whole\n".repeat(1_000)),
  );
}

if (kill === undefined) {
  for await (const _ of process.stdin) break;
  for (let n = Number(first); ; n++) {
    fs.writeSync(1, "+");
    await edit(n);
  }
}

let left = Number(kill);
const calls = fs as unknown as Record<string, unknown>;
for (const [name, call] of Object.entries(calls)) {
  if (!name.endsWith("Sync") || typeof call !== "function") continue;
  calls[name] = (...args: unknown[]): unknown => {
    if (--left === 0) process.kill(process.pid, "SIGKILL");
    return Reflect.apply(call, fs, args) as unknown;
  };
}
await edit(Number(first));
