import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { QuarryError } from "#src/errors/errors.js";
import { DEFAULT_SETTINGS } from "#src/config/settings.js";
import { readRange } from "#src/files/read.js";
import { FileOpener, openFile, openFolder, type OpenFile } from "#src/workspace/guard.js";
import { OPENS_BY_DESCRIPTOR } from "#src/workspace/system.js";
import { Workspace } from "#src/workspace/workspace.js";
import { makeTree } from "../support/tree.js";

const INSIDE = "inside\n";
const OUTSIDE = "OUTSIDE SECRET\n";
const ROUND_MS = 500;
const MAX_MORE_MS = 20_000;

/** Exchanges `victim` (a folder or file) for a link to `outside` and back, as fast as it can, until it is killed. */
const SWAPPER = `
  const fs = require("node:fs");
  const [victim, real, link] = process.argv.slice(1);
  // Whoever started it may be killed: it does not outlive them.
  const parent = process.ppid;
  process.stdout.write("ready");
  while (process.ppid === parent) {
    fs.renameSync(victim, real);
    fs.renameSync(link, victim);
    fs.renameSync(victim, link);
    fs.renameSync(real, victim);
  }
`;

async function whileSwapping(
  victim: string,
  outside: string,
  work: () => void | Promise<void>,
  enough: () => boolean,
): Promise<void> {
  const aside = makeTree({});
  const link = path.join(aside, "link");
  fs.symlinkSync(outside, link);
  const child = spawn(process.execPath, ["-e", SWAPPER, victim, path.join(aside, "real"), link], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  const closed = once(child, "close");
  try {
    const end = performance.now() + ROUND_MS;
    // On a busy machine the other process may have had no turn yet.
    while (performance.now() < end || (!enough() && performance.now() < end + MAX_MORE_MS)) await work();
  } finally {
    child.kill("SIGKILL");
    await closed;
  }
}

function text(file: OpenFile): string {
  try {
    const buffer = Buffer.alloc(64);
    return buffer.toString("utf8", 0, file.read(buffer, 0));
  } finally {
    file.close();
  }
}

/** What was read; null where it was refused, which is as good an answer while the path is being exchanged. */
function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    assert.ok(error instanceof QuarryError, String(error));
    return null;
  }
}

test(
  "fault-10: a folder or file exchanged for a link in a loop never leads outside",
  { skip: !OPENS_BY_DESCRIPTOR && "the weaker guard promises less" },
  async () => {
    const outside = makeTree({ "sub/f.txt": OUTSIDE, "outside-only": "", "f.txt": OUTSIDE });
    const root = makeTree({ "a/sub/f.txt": INSIDE, "flat.txt": INSIDE });
    const workspace = await Workspace.open({ mounts: [{ host: root }] });
    const [mount] = workspace.mounts;
    assert.ok(mount);
    const counts = { plainOutside: 0, inside: 0, refused: 0 };
    const note = (read: string | null): void => {
      assert.ok(read === null || read === INSIDE, `read ${JSON.stringify(read)}`);
      if (read === null) counts.refused++;
      else counts.inside++;
    };

    await whileSwapping(
      path.join(root, "a"),
      outside,
      async () => {
        try {
          if (fs.readFileSync(path.join(root, "a/sub/f.txt"), "utf8") === OUTSIDE) counts.plainOutside++;
        } catch {
          // Between two renames the path does not exist: the plain open is here only to show that the race is real.
        }
        note(attempt(() => text(openFile(mount, "a/sub/f.txt"))));
        const opener = new FileOpener(mount);
        for (let i = 0; i < 5; i++) note(attempt(() => text(opener.open("a/sub/f.txt"))));
        opener.close();
        const names = attempt(() => {
          const folder = openFolder(mount, "a");
          try {
            return folder.list().map((e) => e.name);
          } finally {
            folder.close();
          }
        });
        assert.ok(names === null || !names.includes("outside-only"));
        const target = attempt(() => workspace.resolve("a/sub/f.txt", "file"));
        if (target === null) return;
        const value = await readRange(workspace, target, {}, DEFAULT_SETTINGS).catch((error: unknown) => {
          assert.ok(error instanceof QuarryError);
          return null;
        });
        note(value === null ? null : `${value.lines[0]?.text}\n`);
      },
      () => Math.min(counts.plainOutside, counts.inside, counts.refused) > 0,
    );
    await whileSwapping(
      path.join(root, "flat.txt"),
      path.join(outside, "f.txt"),
      () => note(attempt(() => text(openFile(mount, "flat.txt")))),
      () => true,
    );

    assert.ok(counts.plainOutside > 0, "the exchange never hit the plain open: this run proves nothing");
    assert.ok(counts.inside > 0 && counts.refused > 0, JSON.stringify(counts));
  },
);
