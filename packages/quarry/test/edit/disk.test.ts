import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { contentVersion } from "#src/files/version.js";
import { grepTool } from "#src/tools/grep.js";
import { makeTree } from "../support/tree.js";
import { bytesOf, done, editTools, refused, textOf } from "./editing.js";

const isRoot = process.getuid?.() === 0;
const needsRoot = !isRoot && "needs root";

test("fault-45: mode, and owner and group where the system allows it, stay", async () => {
  const root = makeTree({ "run.sh": { text: "#!/bin/sh\necho old\n", mode: 0o6755 } });
  if (isRoot) {
    chownSync(join(root, "run.sh"), 1234, 2345);
    chmodSync(join(root, "run.sh"), 0o6755);
  }
  const { replace } = await editTools(root);
  const value = done(await replace({ path: "run.sh", old_str: "old", new_str: "new" }));
  const stat = statSync(join(root, "run.sh"));
  assert.equal(stat.mode & 0o7777, 0o6755);
  if (isRoot) assert.deepEqual([stat.uid, stat.gid], [1234, 2345]);
  assert.deepEqual(value.notes, []);
});

test("fault-45: a link inside the mount stays a link, and what it leads to is edited", async () => {
  const root = makeTree({ "real/a.txt": "one\n", "link.txt": { link: "real/a.txt" }, dir: { link: "real" } });
  const { replace, write } = await editTools(root);
  const value = done(await replace({ path: "link.txt", old_str: "one", new_str: "two" }));
  assert.equal(value.path, "link.txt");
  assert.equal(readlinkSync(join(root, "link.txt")), "real/a.txt");
  assert.equal(textOf(root, "real/a.txt"), "two\n");
  const next = done(await write({ path: "dir/a.txt", content: "three\n", if_version: value.version }));
  assert.equal(textOf(root, "real/a.txt"), "three\n");
  assert.equal(lstatSync(join(root, "dir")).isSymbolicLink(), true);
  done(await write({ path: "link.txt", content: "four\n", if_version: next.version }));
  assert.equal(readlinkSync(join(root, "link.txt")), "real/a.txt");
  assert.equal(textOf(root, "real/a.txt"), "four\n");
});

test("fault-09: links that lead outside or nowhere are refused, and nothing is made where they lead", async () => {
  const outside = makeTree({ "secret.txt": "one\n", d: { dir: true } });
  const root = makeTree({
    "out.txt": { link: join(outside, "secret.txt") },
    "new.txt": { link: join(outside, "new.txt") },
    outdir: { link: join(outside, "d") },
    "hang.txt": { link: "nowhere.txt" },
    hangdir: { link: "nowhere" },
  });
  const { replace, write } = await editTools(root);
  assert.equal(refused(await replace({ path: "out.txt", old_str: "one", new_str: "two" })).code, "OUTSIDE_WORKSPACE");
  for (const path of ["out.txt", "new.txt", "outdir/x.txt", "../x.txt", "/etc/quarry-x", "outdir/../../x.txt"]) {
    const error = refused(await write({ path, content: "x", create_dirs: true, if_version: undefined }));
    assert.equal(error.code, "OUTSIDE_WORKSPACE", `${path}: ${error.message}`);
    assert.ok(!error.text.includes(outside) && !error.text.includes(root), error.text);
  }
  assert.equal(refused(await write({ path: "hang.txt", content: "x" })).code, "NOT_A_FILE");
  assert.ok(refused(await write({ path: "hangdir/x.txt", content: "x", create_dirs: true })));
  assert.deepEqual(readdirSync(outside).sort(), ["d", "secret.txt"]);
  assert.deepEqual(readdirSync(join(outside, "d")), []);
  assert.equal(textOf(outside, "secret.txt"), "one\n");
  assert.deepEqual(readdirSync(root).sort(), ["hang.txt", "hangdir", "new.txt", "out.txt", "outdir"]);
});

test("a file with other names is edited alone, and the answer says so", async () => {
  const root = makeTree({ "a.txt": "one\n" });
  linkSync(join(root, "a.txt"), join(root, "b.txt"));
  const { replace } = await editTools(root);
  const value = done(await replace({ path: "a.txt", old_str: "one", new_str: "two" }));
  assert.deepEqual([textOf(root, "a.txt"), textOf(root, "b.txt")], ["two\n", "one\n"]);
  assert.match(value.notes.join(" "), /other names \(hard links\)/);
});

test("a new file needs no version, an existing one does", async () => {
  const root = makeTree({ "a.txt": "one\n" });
  const { write } = await editTools(root);
  const made = await write({ path: "b.txt", content: "new\n" });
  const value = done(made);
  assert.deepEqual(value, {
    path: "b.txt",
    version: contentVersion(Buffer.from("new\n")),
    created: true,
    diff: "",
    notes: [],
  });
  assert.equal(made.isError ? "" : made.text, `Created b.txt, version ${value.version}`);
  assert.equal(statSync(join(root, "b.txt")).mode & 0o7777, 0o666 & ~process.umask());
  const exists = refused(await write({ path: "a.txt", content: "x" }));
  assert.equal(exists.code, "FILE_EXISTS");
  assert.equal(
    refused(await write({ path: "a.txt", content: "x", if_version: value.version })).code,
    "VERSION_MISMATCH",
  );
  assert.equal(
    refused(await write({ path: "c.txt", content: "x", if_version: value.version })).code,
    "VERSION_MISMATCH",
  );
  assert.equal(textOf(root, "a.txt"), "one\n");
  const wrote = done(
    await write({ path: "a.txt", content: "two\n", if_version: contentVersion(Buffer.from("one\n")) }),
  );
  assert.equal(wrote.diff, "@@ -1 +1 @@\n-one\n+two");
  const same = await write({ path: "a.txt", content: "two\n", if_version: wrote.version });
  assert.match(same.text, /already holds this content; nothing was written/);
});

test("folders are made where that is asked for, and only then", async () => {
  const root = makeTree({ "a.txt": "" });
  const { write } = await editTools(root);
  const error = refused(await write({ path: "x/y/new.txt", content: "1\n" }));
  assert.equal(error.code, "NOT_FOUND");
  assert.match(error.text, /the folder "x\/y" does not exist.*create_dirs/);
  assert.equal(done(await write({ path: "x/y/new.txt", content: "1\n", create_dirs: true })).path, "x/y/new.txt");
  assert.equal(textOf(root, "x/y/new.txt"), "1\n");
  assert.equal(done(await write({ path: "./x/../x/./y/z.txt", content: "2\n" })).path, "x/y/z.txt");
  assert.equal(refused(await write({ path: "a.txt/b.txt", content: "", create_dirs: true })).code, "NOT_A_DIRECTORY");
  assert.equal(refused(await write({ path: "x/", content: "" })).code, "INVALID_ARGUMENT");
  assert.equal(refused(await write({ path: "x", content: "" })).code, "NOT_A_FILE");
  assert.equal(refused(await write({ path: "x\\y\\w.txt", content: "" })).code, "INVALID_ARGUMENT");
  assert.ok(refused(await write({ path: "~/w.txt", content: "", create_dirs: true })));
  assert.deepEqual(readdirSync(root).sort(), ["a.txt", "x"]);
});

test("fault-71: a whole new text keeps the line ends and the encoding of the old one", async () => {
  const root = makeTree({ "crlf.txt": "a\r\nb\r\n", "wide.txt": Buffer.from("\ufeffa\n", "utf16le") });
  const { write } = await editTools(root);
  const value = done(
    await write({ path: "crlf.txt", content: "a\nB\n", if_version: contentVersion(bytesOf(root, "crlf.txt")) }),
  );
  assert.equal(textOf(root, "crlf.txt"), "a\r\nB\r\n");
  assert.equal(value.diff, "@@ -1,2 +1,2 @@\n a\n-b\n+B");
  assert.deepEqual(value.notes, ["The file's line ends were kept: CR LF."]);
  done(await write({ path: "wide.txt", content: "é\n", if_version: contentVersion(bytesOf(root, "wide.txt")) }));
  assert.deepEqual(bytesOf(root, "wide.txt"), Buffer.from("\ufeffé\n", "utf16le"));
});

test("a mount that may only be read is not written to; the folder of a denied path neither", async () => {
  const root = makeTree({ "a.txt": "one\n", "no/b.txt": "one\n" });
  const readOnly = await editTools([{ host: root }]);
  for (const result of [
    await readOnly.replace({ path: "a.txt", old_str: "one", new_str: "two" }),
    await readOnly.multi({ path: "a.txt", edits: [{ old_str: "one", new_str: "two" }] }),
    await readOnly.write({ path: "new.txt", content: "x" }),
    await readOnly.write({ path: "d/new.txt", content: "x", create_dirs: true }),
  ]) {
    const error = refused(result);
    assert.equal(error.code, "READ_ONLY");
    assert.match(error.text, /--allow-write/);
  }
  const denied = await editTools([{ host: root, access: "write", denied: ["no", "later"] }]);
  assert.equal(refused(await denied.replace({ path: "no/b.txt", old_str: "one", new_str: "two" })).code, "DENIED");
  assert.equal(refused(await denied.write({ path: "no/c.txt", content: "x" })).code, "DENIED");
  assert.equal(refused(await denied.write({ path: "later/c.txt", content: "x", create_dirs: true })).code, "DENIED");
  assert.equal(refused(await denied.write({ path: "later", content: "x" })).code, "DENIED");
  assert.deepEqual(readdirSync(root).sort(), ["a.txt", "no"]);
  assert.deepEqual([textOf(root, "a.txt"), readdirSync(join(root, "no")).length], ["one\n", 1]);
});

test("of two mounts, one for reading, only the other is written to", async () => {
  const a = makeTree({ "f.txt": "one\n", "inner/g.txt": "one\n" });
  const b = makeTree({ "f.txt": "one\n" });
  const { replace, write } = await editTools([
    { name: "src", host: a, access: "write" },
    { name: "src/inner", host: join(a, "inner") },
    { name: "docs", host: b },
  ]);
  assert.equal(done(await replace({ path: "src/f.txt", old_str: "one", new_str: "two" })).path, "src/f.txt");
  assert.equal(done(await write({ path: "src/new.txt", content: "x" })).path, "src/new.txt");
  assert.equal(refused(await replace({ path: "docs/f.txt", old_str: "one", new_str: "two" })).code, "READ_ONLY");
  assert.equal(refused(await replace({ path: "src/inner/g.txt", old_str: "one", new_str: "two" })).code, "READ_ONLY");
  assert.equal(refused(await write({ path: "src/inner/n.txt", content: "x" })).code, "READ_ONLY");
  assert.deepEqual(readdirSync(join(a, "inner")), ["g.txt"]);
});

test("special files and folders are refused at once", async () => {
  const root = makeTree({ pipe: { fifo: true } });
  const { replace, write } = await editTools(root);
  assert.equal(refused(await replace({ path: "pipe", old_str: "a", new_str: "b" })).code, "NOT_A_FILE");
  assert.equal(refused(await write({ path: "pipe", content: "b" })).code, "NOT_A_FILE");
});

test("fault-35: a search right after an edit finds what is there now", async () => {
  const root = makeTree({ "src/a.ts": "const oldName = 1;\n" });
  const { replace, write, rooms } = await editTools(root);
  const grep = grepTool(rooms);
  const count = async (pattern: string): Promise<number> => {
    const result = await grep.call({ pattern });
    if (result.isError) throw new Error(result.text);
    return result.value.total;
  };
  assert.deepEqual([await count("oldName"), await count("newName")], [1, 0]);
  done(await replace({ path: "src/a.ts", old_str: "oldName", new_str: "newName" }));
  assert.deepEqual([await count("oldName"), await count("newName")], [0, 1]);
  done(await write({ path: "src/b.ts", content: "newName();\n" }));
  assert.equal(await count("newName"), 2);
});

test("a file system that is full leaves the old file, and no other one", { skip: needsRoot }, async () => {
  const root = makeTree({ m: { dir: true } });
  const at = join(root, "m");
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "none", at], { encoding: "utf8" });
  assert.equal(mounted.status, 0, `mount is not permitted here: ${mounted.stderr}`);
  try {
    const before = "x".repeat(30_000);
    writeFileSync(join(at, "a.txt"), before);
    const { replace, write } = await editTools(at);
    const error = refused(await replace({ path: "a.txt", old_str: before, new_str: "y".repeat(50_000) }));
    assert.equal(error.code, "WRITE_FAILED");
    assert.match(error.message, /no space is left on the disk/);
    assert.equal(refused(await write({ path: "b.txt", content: "y".repeat(50_000) })).code, "WRITE_FAILED");
    assert.equal(textOf(at, "a.txt"), before);
    assert.deepEqual(readdirSync(at), ["a.txt"]);
    done(await replace({ path: "a.txt", old_str: before, new_str: "y".repeat(30_000) }));
    execFileSync("mount", ["-o", "remount,ro", at]);
    const readOnly = refused(await replace({ path: "a.txt", old_str: "y".repeat(30_000), new_str: "z" }));
    assert.equal(readOnly.code, "READ_ONLY");
    assert.equal(refused(await write({ path: "d/c.txt", content: "z", create_dirs: true })).code, "READ_ONLY");
    assert.equal(textOf(at, "a.txt"), "y".repeat(30_000));
  } finally {
    execFileSync("umount", [at]);
  }
});

test("another user's file: owner told, special bits off, a closed file refused", { skip: needsRoot }, async () => {
  const root = makeTree({ "open.sh": "one\n", "closed.txt": "one\n", cache: { dir: true } });
  chownSync(root, 65534, 65534);
  chmodSync(join(root, "open.sh"), 0o4777);
  chmodSync(join(root, "closed.txt"), 0o444);
  chownSync(join(root, "cache"), 65534, 65534);
  const script = `
    process.setgid(65534); process.setuid(65534);
    const { editTools } = await import(${JSON.stringify(new URL("./editing.js", import.meta.url).href)});
    process.env.QUARRY_CACHE_DIR = ${JSON.stringify(join(root, "cache"))};
    const { replace } = await editTools(${JSON.stringify(root)});
    const all = [];
    for (const path of ["open.sh", "closed.txt"]) all.push(await replace({ path, old_str: "one", new_str: "two" }));
    console.log(JSON.stringify(all));`;
  const ran = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
    env: { ...process.env, TMPDIR: join(root, "cache") },
  });
  assert.equal(ran.status, 0, ran.stderr);
  const [open, closed] = JSON.parse(ran.stdout) as [
    { value: { notes: string[] } },
    { value: { error: { code: string; message: string } } },
  ];
  assert.match(
    open.value.notes.join(" "),
    /now belongs to the user who edited it.*set-user-ID or set-group-ID bit was taken off/,
  );
  const stat = statSync(join(root, "open.sh"));
  assert.deepEqual([stat.uid, stat.mode & 0o7777, textOf(root, "open.sh")], [65534, 0o777, "two\n"]);
  assert.deepEqual(
    [closed.value.error.code, closed.value.error.message],
    ["WRITE_FAILED", '"closed.txt" cannot be written: permission denied'],
  );
  assert.equal(textOf(root, "closed.txt"), "one\n");
});

test("a folder that takes no new files is told as such, by the name that was given", { skip: needsRoot }, async () => {
  const root = makeTree({ "mine.txt": "one\n", cache: { dir: true } });
  for (const name of ["mine.txt", "cache"]) chownSync(join(root, name), 65534, 65534);
  chmodSync(root, 0o755);
  const script = `
    process.setgid(65534); process.setuid(65534);
    const { editTools } = await import(${JSON.stringify(new URL("./editing.js", import.meta.url).href)});
    process.env.QUARRY_CACHE_DIR = ${JSON.stringify(join(root, "cache"))};
    const { replace, write } = await editTools(${JSON.stringify(root)});
    const all = [await replace({ path: "mine.txt", old_str: "one", new_str: "two" }), await write({ path: "new.txt", content: "x" })];
    console.log(JSON.stringify(all.map((r) => r.value.error.code + ": " + r.value.error.message)));`;
  const ran = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
    env: { ...process.env, TMPDIR: join(root, "cache") },
  });
  assert.equal(ran.status, 0, ran.stderr);
  const why = "cannot be written: no file can be made in its folder: permission denied";
  assert.deepEqual(JSON.parse(ran.stdout), [`WRITE_FAILED: "mine.txt" ${why}`, `WRITE_FAILED: "new.txt" ${why}`]);
  assert.equal(textOf(root, "mine.txt"), "one\n");
});

test("names with odd bytes are edited", async () => {
  const root = makeTree({ "-v": "one\n", "a\nb.txt": "one\n", "caf\udce9.txt": "one\n", "[id].ts": "one\n" });
  const { replace, write } = await editTools(root);
  for (const path of ["-v", "a\nb.txt", "caf\\xe9.txt", "[id].ts"])
    done(await replace({ path, old_str: "one", new_str: "two" }));
  assert.equal(readFileSync(Buffer.from(`${root}/caf\xe9.txt`, "latin1"), "utf8"), "two\n");
  const long = "n".repeat(255);
  assert.equal(done(await write({ path: long, content: "x" })).path, long);
  assert.equal(refused(await write({ path: "n".repeat(256), content: "x" })).code, "WRITE_FAILED");
  mkdirSync(join(root, "later"));
  done(await write({ path: "later/-x", content: "x" }));
});

test("without a place for locks an edit works, and says that it had none", async () => {
  const root = makeTree({ "a.txt": "one\n", file: "" });
  const saved = [process.env["QUARRY_CACHE_DIR"], process.env["TMPDIR"]];
  process.env["QUARRY_CACHE_DIR"] = join(root, "file", "cache");
  process.env["TMPDIR"] = join(root, "file");
  try {
    const { replace } = await editTools(root);
    const value = done(await replace({ path: "a.txt", old_str: "one", new_str: "two" }));
    assert.match(value.notes.join(" "), /^No lock could be taken/);
    assert.equal(textOf(root, "a.txt"), "two\n");
  } finally {
    process.env["QUARRY_CACHE_DIR"] = saved[0];
    if (saved[1] === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = saved[1];
  }
});
