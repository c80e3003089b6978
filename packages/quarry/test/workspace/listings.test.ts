import assert from "node:assert/strict";
import fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { openFolder } from "#src/workspace/guard.js";
import { Listings } from "#src/workspace/listings.js";
import { isPageCached, pageCached, shortReadsEnd } from "#src/workspace/local-files.js";
import type { Mount } from "#src/workspace/mount.js";
import { Workspace } from "#src/workspace/workspace.js";
import { generatedRuns } from "../support/cases.js";
import { makeTree } from "../support/tree.js";

/** Longer than a change may still share its time with the one before. */
const SETTLED_MS = 80;
const keepsListings = process.platform === "linux" && isPageCached(makeTree({}));
const skip = keepsListings ? false : "needs Linux and a file system whose folders keep true times";

async function mountOf(root: string): Promise<Mount> {
  return (await Workspace.open({ mounts: [{ host: root }] })).mounts[0] as Mount;
}

function listed(mount: Mount, path: string): string[] {
  const folder = openFolder(mount, path);
  try {
    return folder.list().map(({ name, kind }) => `${name} ${kind}`);
  } finally {
    folder.close();
  }
}

function real(root: string): string[] {
  const kind = (entry: fs.Dirent): string =>
    entry.isFile() ? "file" : entry.isDirectory() ? "directory" : entry.isSymbolicLink() ? "link" : "special";
  return fs
    .readdirSync(root, { withFileTypes: true })
    .map((entry) => `${entry.name} ${kind(entry)}`)
    .sort();
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test("a folder that is listed again shows every change, however soon it comes", async (t) => {
  const change = fc.record({
    name: fc.constantFrom("a", "b", "c", "d"),
    to: fc.constantFrom("file", "directory", "link", "nothing", "moved", "times"),
    settled: fc.nat({ max: 9 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (changes) => {
      const root = makeTree({ "f/a": "", "f/b": "", other: "" });
      const folder = join(root, "f");
      const mount = await mountOf(root);
      for (const { name, to, settled } of changes) {
        // Now and then the folder is old enough to be remembered.
        if (settled === 0) await sleep(SETTLED_MS);
        assert.deepEqual(listed(mount, "f"), real(folder));
        const at = join(folder, name);
        if (to === "times") fs.utimesSync(folder, 1_000, 1_000);
        else {
          const before = fs.statSync(folder);
          if (to === "moved" && fs.existsSync(at)) {
            fs.rmSync(`${at}2`, { recursive: true, force: true });
            fs.renameSync(at, `${at}2`);
          } else fs.rmSync(at, { recursive: true, force: true });
          if (to === "file") fs.writeFileSync(at, "");
          if (to === "directory") fs.mkdirSync(at);
          if (to === "link") fs.symlinkSync("../other", at);
          // A time that is set back hides nothing.
          if (settled % 2 === 0) fs.utimesSync(folder, before.atime, before.mtime);
        }
        assert.deepEqual(listed(mount, "f"), real(folder));
      }
    }),
    generatedRuns(t, 60),
  );
});

test("a folder that was not changed is not listed again; a folder in its place is", { skip }, async () => {
  const root = makeTree({ "f/a": "", "g/b": "" });
  const mount = await mountOf(root);
  const listings = new Listings<string>();
  let lists = 0;
  const of = (name: string): readonly string[] => {
    const fd = fs.openSync(join(root, name), fs.constants.O_RDONLY);
    try {
      return listings.of(mount, fd, () => (lists++, fs.readdirSync(join(root, name)))).entries;
    } finally {
      fs.closeSync(fd);
    }
  };
  const future = new Date(Date.now() + 3_600_000);
  fs.utimesSync(join(root, "f"), future, future);
  of("f");
  assert.deepEqual([of("f"), lists], [["a"], 2], "its next change could carry the same time");
  fs.utimesSync(join(root, "f"), 1_000, 1_000);
  await sleep(SETTLED_MS);
  of("f");
  assert.deepEqual([of("f"), of("f"), lists], [["a"], ["a"], 3]);
  fs.renameSync(join(root, "f"), join(root, "h"));
  fs.renameSync(join(root, "g"), join(root, "f"));
  assert.deepEqual([of("f"), of("h")], [["b"], ["a"]]);
  fs.chmodSync(join(root, "f"), 0o700);
  const before = lists;
  of("f");
  assert.equal(lists, before + 1, "rights may have changed what may be listed");
});

test("which file systems are taken at their word", () => {
  const table = [
    "26 1 254:0 / / rw,relatime - ext4 /dev/vda rw",
    "21 26 0:20 / /proc rw,relatime - proc proc rw",
    "30 26 0:40 / /home/ann\\040b rw shared:3 master:1 - xfs /dev/vdb rw",
    "31 30 0:41 / /home/ann\\040b/net rw - nfs4 host:/x rw",
    "32 26 0:42 / /over rw - fuse.sshfs host:/y rw",
    "33 26 0:43 / /over rw - tmpfs tmpfs rw",
    "",
  ].join("\n");
  for (const [host, whole, alone] of [
    ["/", false, true],
    ["/usr/src", true, true],
    ["/home", false, true],
    ["/home/ann b", false, true],
    ["/home/ann b/x", true, true],
    ["/home/ann b/net", false, false],
    ["/home/ann b/network", true, true],
    ["/proc/1", false, false],
    ["/over", true, true],
  ] as const) {
    assert.deepEqual([pageCached(table, host, true), pageCached(table, host, false)], [whole, alone], host);
  }
  assert.equal(pageCached("", "/x", true), false);
  if (process.platform === "linux") assert.equal(shortReadsEnd("/"), false, "/proc lies below");
});
