import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { makeTree } from "../support/tree.js";
import { CACHE, open, openTree } from "./opened.js";

const root = makeTree({ "a.txt": "x\n".repeat(300), "b/c.txt": "\tx ÿ\n".repeat(50) });

/** The file behind a locator. */
function stored(locator: string): string {
  const name = locator.replace("@artifacts/", "");
  const owner = readdirSync(join(CACHE, "artifacts")).find((folder) =>
    readdirSync(join(CACHE, "artifacts", folder)).includes(name),
  );
  assert.ok(owner !== undefined, `${locator} is stored`);
  return join(CACHE, "artifacts", owner, name);
}

test("the complete result is kept: the same bytes and locator in ten runs, closed to others", async () => {
  const seen = new Set<string>();
  for (let run = 0; run < 10; run++) {
    const at = await open(root, {
      artifacts: { owner: "me" },
      settings: { engineProcesses: 1 + (run % 2), chunkFiles: 1 + run },
    });
    const { value } = await at.grep({ pattern: "x", offset: run * 10, max_results: 1 + run });
    const { artifact } = value;
    assert.ok(artifact !== null);
    const file = stored(artifact.locator);
    seen.add(`${artifact.locator} ${artifact.lines} ${artifact.bytes} ${readFileSync(file, "hex")}`);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(statSync(join(file, "..")).mode & 0o777, 0o700);
    assert.equal(statSync(CACHE).mode & 0o777, 0o700);
    assert.deepEqual([artifact.lines, artifact.bytes], [352, readFileSync(file).length]);
  }
  assert.equal(seen.size, 1);
});

test("read_file and grep of the same owner open an artifact; nobody else, and nothing else below it", async () => {
  const mine = await open(root, { artifacts: { owner: "me" } });
  const locator = (await mine.grep({ pattern: "x" })).value.artifact?.locator as string;
  const again = await open(root, { artifacts: { owner: "me" } });
  for (const at of [mine, again]) {
    const read = await at.read({ path: locator, start_line: 300, end_line: 304 });
    assert.deepEqual(
      read.value.lines.map((l) => l.text),
      ["299 x", "300 x", "b/c.txt", "1 x ÿ", "2 x ÿ"],
    );
    assert.equal(read.value.path, locator);
    assert.equal((await at.grep({ pattern: "^50 ", path: locator })).value.total, 2);
    assert.equal((await at.grep({ pattern: "x" })).value.total, 350, "artifacts are in no search");
    assert.deepEqual((await at.glob({ pattern: "**/*.txt" })).value.paths, ["a.txt", "b/c.txt"]);
    assert.deepEqual(
      (await at.ls({})).value.entries.map((e) => e.path),
      ["a.txt", "b/"],
    );
    const id = locator.slice("@artifacts/".length);
    for (const path of [
      "@artifacts",
      "@artifacts/",
      "@artifacts/.",
      `@artifacts/../${id}`,
      "@artifacts/0123456789abcdef.txt",
      `@artifacts/./${id}/..`,
      "@artifacts/key",
      "@artifacts/../../key",
      `${locator}/`,
      `@artifacts/x/${id}`,
    ]) {
      for (const [tool, args] of [
        ["read_file", { path }],
        ["grep", { pattern: ".", path }],
        ["ls", { path }],
        ["glob", { pattern: "*", path }],
      ] as const) {
        const { text } = await at.error(tool, args);
        assert.ok(!text.includes(CACHE), text);
      }
    }
    assert.equal((await at.glob({ pattern: "@artifacts/*" })).value.total, 0);
  }
  for (const owner of [{ owner: "you" }, undefined, false] as const) {
    const other = await open(root, owner === undefined ? {} : { artifacts: owner });
    const error = await other.error("read_file", { path: locator });
    assert.equal(error.code, "NOT_FOUND");
    if (owner !== undefined && owner !== false) assert.match(error.text, /is not kept any more.*Make the call again/);
    assert.equal((await other.error("grep", { pattern: "x", path: locator })).code, "NOT_FOUND");
  }
});

test("artifacts: false keeps nothing and promises nothing", async () => {
  const before = readdirSync(join(CACHE, "artifacts")).length;
  const at = await open(root, { artifacts: false });
  const { value, text } = await at.grep({ pattern: "x" });
  assert.equal(value.artifact, null);
  assert.match(text, /\(More: offset=100\.\)$/);
  assert.equal(readdirSync(join(CACHE, "artifacts")).length, before);
});

test("glob keeps the whole list", async () => {
  const at = await openTree(
    Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`f${String(i).padStart(3, "0")}`, ""])),
  );
  const { value } = await at.glob({ pattern: "*" });
  const read = await at.read({ path: value.artifact?.locator });
  assert.deepEqual([read.value.totalLines, read.value.lines[149]?.text], [150, "f149"]);
});

test("a result larger than artifactBytes is not kept, and the answer says so", async () => {
  const at = await open(root, { settings: { artifactBytes: 1_000 } });
  const { value, text, complete } = await at.grep({ pattern: "x" });
  assert.deepEqual([value.artifact, value.total, complete], [null, 350, true]);
  assert.match(text, /The complete result could not be saved: it is larger than artifactBytes/);
});

/** Runs a search of `root` in a process whose cache folder is `folder`. */
function searchWith(folder: string, ...uid: string[]): { status: number | null; out: string } {
  const bin = join(import.meta.dirname, "../../bin/quarry.js");
  const command = [process.execPath, bin, "grep", "x", "--root", root];
  const [program = "", ...args] = [...uid, ...command];
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], QUARRY_CACHE_DIR: folder },
  });
  return { status, out: stdout + stderr };
}

/** A tiny file system of its own; null where this machine mounts none. */
function tinyFolder(): string | null {
  const folder = makeTree({});
  return spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "none", folder]).status === 0 ? folder : null;
}
const tiny = tinyFolder();
after(() => tiny !== null && spawnSync("umount", ["-l", tiny]));

test(
  "a tiny, a read-only or a vanishing cache folder: the search answers, and says that the rest could not be saved",
  { skip: tiny === null && "needs Linux, and root to mount" },
  async () => {
    const wide = makeTree(
      Object.fromEntries(Array.from({ length: 4 }, (_, i) => [`f${i}`, `x${"y".repeat(200)}\n`.repeat(1_000)])),
    );
    assert.ok(tiny !== null);
    const before = process.env["QUARRY_CACHE_DIR"];
    try {
      process.env["QUARRY_CACHE_DIR"] = tiny;
      const { value, text, complete } = await (await open(wide)).grep({ pattern: "x" });
      assert.deepEqual([value.total, value.artifact, complete], [4_000, null, true]);
      assert.match(text, /\(The complete result could not be saved: the disk of the cache folder is full\.\)$/);
      assert.deepEqual(
        readdirSync(join(tiny, "artifacts")).flatMap((owner) => readdirSync(join(tiny, "artifacts", owner))),
        [],
        "nothing half-written stays",
      );
      assert.equal(spawnSync("mount", ["-o", "remount,ro", tiny]).status, 0);
      const closed = await (await open(wide)).grep({ pattern: "x" });
      assert.match(
        closed.text.slice(-200),
        /\(The complete result could not be saved: the cache folder cannot be written\.\)$/,
      );
      assert.equal(closed.value.shown, value.shown);

      const gone = join(makeTree({}), "cache");
      mkdirSync(gone);
      process.env["QUARRY_CACHE_DIR"] = gone;
      const at = await open(root);
      assert.notEqual((await at.grep({ pattern: "x" })).value.artifact, null);
      rmSync(gone, { recursive: true });
      const after = await at.grep({ pattern: "x" });
      assert.equal(after.value.total, 350);
      if (after.value.artifact !== null)
        assert.equal((await at.read({ path: after.value.artifact.locator })).value.totalLines, 352);
      else assert.match(after.text, /could not be saved/);
    } finally {
      process.env["QUARRY_CACHE_DIR"] = before;
    }
    const shut = makeTree({ "cache/x": "" });
    chmodSync(shut, 0o755);
    const other = searchWith(join(shut, "cache"), "runuser", "-u", "nobody", "--");
    assert.equal(other.status, 0, other.out);
    assert.match(
      other.out,
      /^100 of 350 matches.*could not be saved: the cache folder (belongs to another user|cannot be written)/s,
    );
    const file = searchWith("/dev/null");
    assert.match(file.out, /could not be saved/);
    assert.ok(!file.out.includes("/dev/null"));
  },
);
