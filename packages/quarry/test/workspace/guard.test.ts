import assert from "node:assert/strict";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { test } from "node:test";
import { QuarryError } from "#src/errors/errors.js";
import { joinPath, showPath } from "#src/paths/path.js";
import { FileOpener, openFile, openFolder, openSubfolder, readSmallFile } from "#src/workspace/guard.js";
import { readNamesByLook } from "#src/workspace/entries.js";
import type { Mount } from "#src/workspace/mount.js";
import { DESCRIPTORS, LOOK_TWICE, OPENS_BY_DESCRIPTOR } from "#src/workspace/system.js";
import { Workspace, type MountOptions } from "#src/workspace/workspace.js";
import { makeDeepFolders, makeTree, type TreeSpec } from "../support/tree.js";

const isRoot = process.getuid?.() === 0;
const onLinux = process.platform === "linux";

async function mountOf(tree: TreeSpec, options: Partial<MountOptions> = {}): Promise<Mount> {
  const workspace = await Workspace.open({ mounts: [{ host: makeTree(tree), ...options }] });
  return workspace.mounts[0] as Mount;
}

function listed(mount: Mount, folder: string): Record<string, string> {
  const open = openFolder(mount, folder);
  try {
    return Object.fromEntries(open.list().map((e) => [e.name, e.kind]));
  } finally {
    open.close();
  }
}

function content(mount: Mount, file: string): string {
  const open = openFile(mount, file);
  try {
    const buffer = Buffer.alloc(open.size);
    open.read(buffer, 0);
    return buffer.toString();
  } finally {
    open.close();
  }
}

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof QuarryError, String(error));
    return error.code;
  }
  return "opened";
}

function openDescriptors(): number {
  return fs.readdirSync("/proc/self/fd").length;
}

test("a folder lists every kind of entry; denied ones only as such", async () => {
  const mount = await mountOf(
    {
      "a.txt": "a",
      d: { dir: true },
      l: { link: "a.txt" },
      hang: { link: "none" },
      p: { fifo: true },
      key: "k",
      "z\udcff": "z",
    },
    { denied: ["key", "d/x"] },
  );
  assert.deepEqual(listed(mount, ""), {
    "a.txt": "file",
    d: "directory",
    l: "link",
    hang: "link",
    p: "special",
    key: "denied",
    "z\udcff": "file",
  });
});

test("where the file system does not tell types, each name is looked at", async () => {
  const mount = await mountOf({
    "a.txt": "a",
    d: { dir: true },
    l: { link: "a.txt" },
    p: { fifo: true },
    "z\udcff": "z",
    "\ufffd": "r",
  });
  const byLook = Object.fromEntries(readNamesByLook(mount.hostRoot).map((e) => [e.name, e.kind]));
  assert.deepEqual(byLook, listed(mount, ""));
});

test("fault-09: links are never followed, wherever they stand", async () => {
  const mount = await mountOf({
    "in/a.txt": "a",
    "file-link": { link: "in/a.txt" },
    "dir-link": { link: "in" },
    out: { link: "/" },
    passwd: { link: "/etc/passwd" },
  });
  assert.equal(
    codeOf(() => openFile(mount, "file-link")),
    "OUTSIDE_WORKSPACE",
  );
  assert.equal(
    codeOf(() => openFile(mount, "dir-link/a.txt")),
    "OUTSIDE_WORKSPACE",
  );
  assert.equal(
    codeOf(() => openFile(mount, "out/etc/passwd")),
    "OUTSIDE_WORKSPACE",
  );
  assert.equal(
    codeOf(() => openFile(mount, "passwd")),
    "OUTSIDE_WORKSPACE",
  );
  assert.equal(
    codeOf(() => openFolder(mount, "dir-link")),
    "OUTSIDE_WORKSPACE",
  );
  for (const climb of ["..", "in/..", "in/../..", ".", "in//a.txt", "/etc/x", "in/a\0.txt"]) {
    assert.equal(
      codeOf(() => openFile(mount, climb)),
      "OUTSIDE_WORKSPACE",
      climb,
    );
    assert.equal(
      codeOf(() => openFile(mount, `${climb}/passwd`)),
      "OUTSIDE_WORKSPACE",
      climb,
    );
  }
});

test("fault-11: what is denied opens in no way, and nothing tells whether it exists", async () => {
  const mount = await mountOf(
    { "secret/key": "k", "src/a.ts": "a", "src/.env": "e" },
    { denied: ["secret", "src/.env", "later"] },
  );
  const root = openFolder(mount, "");
  const opener = new FileOpener(mount);
  for (const file of ["secret/key", "secret/none", "src/.env", "later", "later/x"]) {
    assert.equal(
      codeOf(() => openFile(mount, file)),
      "DENIED",
      file,
    );
    assert.equal(
      codeOf(() => opener.open(file)),
      "DENIED",
      file,
    );
    assert.equal(
      codeOf(() => opener.openSeen(file)),
      "DENIED",
      file,
    );
  }
  assert.equal(
    codeOf(() => openFolder(mount, "secret")),
    "DENIED",
  );
  assert.equal(
    codeOf(() => openSubfolder(root, "secret")),
    "DENIED",
  );
  assert.equal(readSmallFile(root, "later", 100), null);
  assert.equal(content(mount, "src/a.ts"), "a");
  root.close();
  opener.close();
});

test("fault-60: a file that was exchanged since a walk saw it is refused when it is read; a pipe keeps what is in it", async () => {
  const mount = await mountOf({
    "d/f": "text",
    pipe: { fifo: true },
    folder: { dir: true },
    out: { link: "/etc/passwd" },
  });
  const opener = new FileOpener(mount, 8, true);
  const into = Buffer.alloc(64);
  const read = (path: string): string => {
    const file = opener.openSeen(path);
    try {
      return into.toString("utf8", 0, file.read(into, 0));
    } finally {
      file.close();
    }
  };
  const pipe = fs.openSync(path.join(mount.hostRoot, "pipe"), fs.constants.O_RDWR);
  fs.writeSync(pipe, "waiting");
  assert.equal(read("d/f"), "text");
  assert.equal(
    codeOf(() => read("pipe")),
    "NOT_A_FILE",
  );
  assert.equal(
    codeOf(() => opener.openSeen("pipe").size),
    "NOT_A_FILE",
  );
  assert.equal(into.toString("utf8", 0, fs.readSync(pipe, into)), "waiting");
  fs.closeSync(pipe);
  assert.equal(
    codeOf(() => read("folder")),
    "NOT_A_FILE",
  );
  assert.equal(
    codeOf(() => read("out")),
    "OUTSIDE_WORKSPACE",
  );
  assert.equal(
    codeOf(() => read("d/none")),
    "NOT_FOUND",
  );
  fs.renameSync(path.join(mount.hostRoot, "d"), path.join(mount.hostRoot, "moved"));
  fs.mkdirSync(path.join(mount.hostRoot, "d"));
  opener.close();
  assert.equal(
    codeOf(() => read("d/f")),
    "NOT_FOUND",
  );
  opener.close();
});

test("fault-60: pipes, sockets and devices are refused at once", async () => {
  const mount = await mountOf({
    pipe: { fifo: true },
    d: { dir: true },
    ...(isRoot ? { zero: { device: true } } : {}),
  });
  const server = net.createServer().listen(path.join(mount.hostRoot, "socket"));
  await new Promise((resolve) => server.once("listening", resolve));
  const started = performance.now();
  const names = ["pipe", "socket", "d", ...(isRoot ? ["zero"] : [])];
  for (const name of names)
    assert.equal(
      codeOf(() => openFile(mount, name)),
      "NOT_A_FILE",
      name,
    );
  assert.ok(performance.now() - started < 500);
  server.close();
});

test("errors have our codes and name the path as it is known in the workspace", async () => {
  const mount = await mountOf({ "a/f.txt": "x" }, { name: "proj" });
  const table: readonly [string, string, string][] = [
    ["a/none", "NOT_FOUND", '"proj/a/none" does not exist'],
    ["none/f", "NOT_FOUND", '"proj/none" does not exist'],
    ["a/f.txt/x", "NOT_A_DIRECTORY", '"proj/a/f.txt" is not a directory'],
    ["a", "NOT_A_FILE", '"proj/a" is a directory'],
    ["x".repeat(300), "NOT_FOUND", `"proj/${"x".repeat(300)}" does not exist`],
  ];
  for (const [file, code, message] of table) assert.throws(() => openFile(mount, file), { code, message });
});

test(
  "fault-13: a folder without permission is told as unreadable, and one may pass where one may not list",
  { skip: !isRoot && "needs root to become another user" },
  async () => {
    const mount = await mountOf({
      "closed/f": "x",
      "pass/f": "through",
      shut: { text: "x", mode: 0 },
      closed: { dir: true, mode: 0 },
      pass: { dir: true, mode: 0o711 },
    });
    process.seteuid?.(65_534);
    try {
      assert.equal(
        codeOf(() => listed(mount, "closed")),
        "UNREADABLE",
      );
      assert.equal(
        codeOf(() => openFile(mount, "closed/f")),
        "UNREADABLE",
      );
      assert.equal(
        codeOf(() => openFile(mount, "shut")),
        "UNREADABLE",
      );
      assert.equal(
        codeOf(() => listed(mount, "pass")),
        "UNREADABLE",
      );
      assert.equal(content(mount, "pass/f"), "through");
    } finally {
      process.seteuid?.(0);
    }
  },
);

test("names of any bytes open by the name that was listed", async () => {
  const names = ["new\nline", "-v", "\udcff\udc80", "é", "e\u0301", "a\udcc3b", "😀", "\\x41", "[id]", " ", "..."];
  const mount = await mountOf(Object.fromEntries(names.map((n, i) => [`d${showPath(n).length}/${n}`, String(i)])));
  const seen: string[] = [];
  for (const folder of Object.keys(listed(mount, ""))) {
    for (const name of Object.keys(listed(mount, folder))) {
      assert.equal(content(mount, joinPath(folder, name)), String(names.indexOf(name)));
      seen.push(name);
    }
  }
  assert.deepEqual(seen.sort(), [...names].sort());
});

test(
  "fault-56: 3,000 levels and paths longer than the system takes",
  { skip: !OPENS_BY_DESCRIPTOR && "needs descriptors" },
  async () => {
    const root = makeTree({});
    const deepest = makeDeepFolders(root, "folder-name", 3_000, "f.txt");
    const mount = (await Workspace.open({ mounts: [{ host: root }] })).mounts[0] as Mount;
    const before = openDescriptors();
    assert.equal(content(mount, `${deepest}/f.txt`), "deep\n");
    assert.deepEqual(listed(mount, deepest), { "f.txt": "file" });
    const opener = new FileOpener(mount, 8);
    opener.open(`${deepest}/f.txt`).close();
    assert.ok(openDescriptors() - before <= 8);
    opener.close();
    assert.equal(openDescriptors(), before);
  },
);

test(
  "an opener keeps few folders open and opens in any order",
  { skip: !onLinux && "counts descriptors in /proc" },
  async () => {
    const tree: Record<string, string> = {};
    for (let i = 0; i < 200; i++) tree[`d${i % 20}/e${i % 7}/f${i}`] = String(i);
    const mount = await mountOf(tree);
    const before = openDescriptors();
    for (const limit of [1, 3, 64]) {
      const opener = new FileOpener(mount, limit);
      for (const file of [...Object.keys(tree), ...Object.keys(tree).reverse()]) {
        const open = opener.open(file);
        const buffer = Buffer.alloc(8);
        assert.equal(buffer.toString("utf8", 0, open.read(buffer, 0)), tree[file]);
        open.close();
      }
      assert.throws(() => opener.open("d0/none/f"), { code: "NOT_FOUND" });
      assert.ok(openDescriptors() - before <= limit);
      opener.close();
      opener.close();
      assert.equal(openDescriptors(), before);
    }
  },
);

test("failed opens leave no descriptor behind", { skip: !onLinux && "counts descriptors in /proc" }, async () => {
  const mount = await mountOf({ "a/b/f": "x", l: { link: "a" }, p: { fifo: true } }, { denied: ["a/no"] });
  const before = openDescriptors();
  for (const file of ["a/b/f/g", "a/x/y", "l/b", "p", "a", "a/no", "a/../b", "a/b/none"])
    codeOf(() => openFile(mount, file));
  assert.equal(openDescriptors(), before);
});

test("small files: whole, cut at a line end, or null where there is none", async () => {
  const mount = await mountOf({
    ".gitignore": "one\ntwo\nthree\n",
    dir: { dir: true },
    link: { link: ".gitignore" },
    pipe: { fifo: true },
    empty: "",
  });
  const root = openFolder(mount, "");
  assert.equal(readSmallFile(root, ".gitignore", 1_000)?.toString(), "one\ntwo\nthree\n");
  assert.equal(readSmallFile(root, ".gitignore", 10)?.toString(), "one\ntwo\n");
  assert.equal(readSmallFile(root, "empty", 10)?.length, 0);
  for (const name of ["none", "dir", "link", "pipe"]) assert.equal(readSmallFile(root, name, 10), null, name);
  root.close();
});

test("both ways of going down refuse links and see the same; looking twice sees an exchanged folder", async () => {
  const root = makeTree({ "a/f": "in", "o/f": "out", l: { link: "a" }, fl: { link: "a/f" }, p: { fifo: true } });
  for (const system of onLinux ? [DESCRIPTORS, LOOK_TWICE] : [LOOK_TWICE]) {
    const top = system.root(root);
    const a = system.folder(top, "a");
    const fd = system.file(a, "f");
    assert.equal(fs.readFileSync(fd, "utf8"), "in");
    fs.closeSync(fd);
    assert.throws(() => system.folder(top, "l"));
    assert.throws(() => system.file(top, "fl"));
    assert.throws(() => system.folder(top, "p"));
    assert.throws(() => system.folder(top, "none"), { code: "ENOENT" });
    for (const handle of [a, top]) if (handle.fd >= 0) fs.closeSync(handle.fd);
  }
  const a = LOOK_TWICE.folder(LOOK_TWICE.root(root), "a");
  fs.renameSync(path.join(root, "a"), path.join(root, "moved"));
  fs.symlinkSync("o", path.join(root, "a"));
  assert.throws(() => LOOK_TWICE.file(a, "f"), { code: "ELOOP" });
  assert.throws(() => LOOK_TWICE.recheck(a), { code: "ELOOP" });
});
