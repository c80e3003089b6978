import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { changeFile } from "#src/files/write-file.js";
import { FileLocks } from "#src/files/write-lock.js";
import { Workspace } from "#src/workspace/workspace.js";
import { textOf } from "./editing.js";

/** The program that is killed. */
export const WRITER = fileURLToPath(new URL("./writer.js", import.meta.url));
export const BODY = "0123456789abcdef\n".repeat(20_000);

/** The number that the file holds; fails where it is not one whole version of it. */
export function wholeNumber(root: string): number {
  const text = textOf(root, "a.txt");
  const found = /^\d+/.exec(text)?.[0] ?? "";
  assert.ok(text === `${found}\n${BODY}${found}\n`, "the file is neither the old one nor the new one");
  if (readdirSync(root).includes("new.txt")) assert.equal(textOf(root, "new.txt"), "whole\n".repeat(1_000));
  return Number(found);
}

/** The next writer works, and what killed ones left is gone. */
export async function nextWriterIsFine(root: string, locks: string): Promise<void> {
  const workspace = await Workspace.open({ mounts: [{ host: root, access: "write" }] });
  const target = workspace.resolve("a.txt", "file");
  const { notes } = await changeFile(target, new FileLocks(locks), AbortSignal.timeout(5_000), () =>
    Buffer.from("next\n"),
  );
  assert.deepEqual(notes, []);
  assert.equal(textOf(root, "a.txt"), "next\n");
  assert.deepEqual(
    readdirSync(root).filter((name) => name !== "new.txt"),
    ["a.txt"],
  );
}

/** The same work four times at once: most of it is waiting for programs to start. */
export async function inLanes(work: () => Promise<void>): Promise<void> {
  await Promise.all([work(), work(), work(), work()]);
}
