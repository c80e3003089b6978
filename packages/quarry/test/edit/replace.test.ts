import assert from "node:assert/strict";
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { contentVersion } from "#src/files/version.js";
import { makeTree } from "../support/tree.js";
import { bytesOf, done, editTools, refused, textOf } from "./editing.js";

test("an edit answers with a small unified diff and the new version, and changes nothing else", async () => {
  const before = Array.from({ length: 40 }, (_, i) => `line ${i + 1}\n`).join("");
  const root = makeTree({ "src/a.txt": before });
  const { replace } = await editTools(root);
  const result = await replace({ path: "src/a.txt", old_str: "line 20\n", new_str: "line twenty\nand more\n" });
  const value = done(result);
  const after = before.replace("line 20\n", "line twenty\nand more\n");
  assert.equal(textOf(root, "src/a.txt"), after);
  assert.equal(value.version, contentVersion(Buffer.from(after)));
  const diff =
    "@@ -17,7 +17,8 @@\n line 17\n line 18\n line 19\n-line 20\n+line twenty\n+and more\n line 21\n line 22\n line 23";
  assert.deepEqual(value, { path: "src/a.txt", version: value.version, replacements: 1, diff, notes: [] });
  assert.equal(result.text, `Edited src/a.txt (1 replacement), version ${value.version}\n${diff}`);
});

for (const all of [false, true]) {
  test(`fault-04: $&, $$, $\` and $' are plain text (replace_all: ${all})`, async () => {
    const root = makeTree({ "a.txt": all ? "done, done\n" : "done\n" });
    const { replace } = await editTools(root);
    const now = "ok $& $$ $` $' $1 $<x>";
    done(await replace({ path: "a.txt", old_str: "done", new_str: now, replace_all: all }));
    assert.equal(textOf(root, "a.txt"), all ? `${now}, ${now}\n` : `${now}\n`);
  });
}

test("fault-06: bytes that are not UTF-8 stay as they are", async () => {
  const root = makeTree({ "a.cfg": Buffer.from("caf\xe9\nport=80\n\xff\xfe\x81", "latin1") });
  const { replace } = await editTools(root);
  const value = done(await replace({ path: "a.cfg", old_str: "80", new_str: "81é" }));
  assert.deepEqual(
    bytesOf(root, "a.cfg"),
    Buffer.concat([
      Buffer.from("caf\xe9\nport=81", "latin1"),
      Buffer.from("é"),
      Buffer.from("\n\xff\xfe\x81", "latin1"),
    ]),
  );
  assert.match(value.diff, /^ caf\ufffd$/m);
});

test("fault-42: a backslash and an n stay two characters, in both texts", async () => {
  const root = makeTree({ "a.py": 'x\nprint("1\\n2")\n' });
  const { replace } = await editTools(root);
  done(await replace({ path: "a.py", old_str: "x\n", new_str: 'print("a\\nb")\n' }));
  assert.equal(textOf(root, "a.py"), 'print("a\\nb")\nprint("1\\n2")\n');
  done(await replace({ path: "a.py", old_str: "1\\n2", new_str: "\\t" }));
  assert.equal(textOf(root, "a.py"), 'print("a\\nb")\nprint("\\t")\n');
});

test("fault-44: text that is there more than once is refused with all its lines, and the file is untouched", async () => {
  const before = "a = 1\nb = 2\na = 1\n\nif x:\n  a = 1\n";
  const root = makeTree({ "a.py": before, "b.py": "x\n".repeat(60), "c.py": "aaa\n" });
  const { replace } = await editTools(root);
  const error = refused(await replace({ path: "a.py", old_str: "a = 1", new_str: "a = 2" }));
  assert.equal(error.code, "OLD_STR_NOT_UNIQUE");
  assert.equal(error.message, 'old_str is in "a.py" 3 times: at lines 1, 3, 6');
  assert.equal(textOf(root, "a.py"), before);
  const many = refused(await replace({ path: "b.py", old_str: "x", new_str: "y" }));
  assert.match(many.message, /60 times: at lines 1, 2, 3, .*, 20, \.\.\.$/);
  const overlapping = refused(await replace({ path: "c.py", old_str: "aa", new_str: "b" }));
  assert.match(overlapping.message, /2 times: at lines 1, 1$/);
});

test("fault-44: text that is not there is refused, and the file is untouched", async () => {
  const root = makeTree({ "a.py": "def f(x):\n\treturn x\n" });
  const { replace } = await editTools(root);
  const error = refused(await replace({ path: "a.py", old_str: "    return x", new_str: "    return y" }));
  assert.equal(error.code, "OLD_STR_NOT_FOUND");
  assert.equal(
    error.message,
    'old_str is not in "a.py". The nearest line is 2, which differs in indentation (1 tab in the file, 4 spaces in old_str): the file has "\\treturn x", old_str has "    return x".',
  );
  assert.equal(textOf(root, "a.py"), "def f(x):\n\treturn x\n");
});

test("fault-73: a version is one of content, whatever the times say", async () => {
  const root = makeTree({ "a.txt": "one\n" });
  const { replace } = await editTools(root);
  const version = contentVersion(Buffer.from("one\n"));
  utimesSync(join(root, "a.txt"), new Date(), new Date(Date.now() + 60_000));
  const value = done(await replace({ path: "a.txt", old_str: "one", new_str: "two", if_version: version }));
  const time = new Date("2020-01-01");
  utimesSync(join(root, "a.txt"), time, time);
  writeFileSync(join(root, "a.txt"), "six\n");
  utimesSync(join(root, "a.txt"), time, time);
  const error = refused(await replace({ path: "a.txt", old_str: "six", new_str: "ten", if_version: value.version }));
  assert.equal(error.code, "VERSION_MISMATCH");
  assert.equal(textOf(root, "a.txt"), "six\n");
});

test("texts that say nothing are refused", async () => {
  const root = makeTree({ "a.txt": "one\n", d: { dir: true } });
  const { replace, multi } = await editTools(root);
  const empty = refused(await replace({ path: "a.txt", old_str: "", new_str: "x" }));
  assert.equal(empty.code, "INVALID_ARGUMENT");
  assert.match(empty.text, /write_file/);
  assert.match(
    refused(await replace({ path: "a.txt", old_str: "one", new_str: "one" })).message,
    /nothing would change/,
  );
  assert.match(
    refused(await replace({ path: "a.txt", old_str: "one", new_str: "\ud800" })).message,
    /half a surrogate pair/,
  );
  assert.equal(refused(await replace({ path: "d", old_str: "one", new_str: "x" })).code, "NOT_A_FILE");
  assert.equal(refused(await replace({ path: "none", old_str: "one", new_str: "x" })).code, "NOT_FOUND");
  assert.equal(
    refused(await multi({ path: "a.txt", edits: [{ old_str: "one" }] })).message,
    "edits[0].new_str is missing; accepted is a string that holds no NUL",
  );
  assert.equal(textOf(root, "a.txt"), "one\n");
});

test("a binary file is refused", async () => {
  const root = makeTree({ "a.bin": Buffer.from("port=80\0\n") });
  const { replace } = await editTools(root);
  const error = refused(await replace({ path: "a.bin", old_str: "80", new_str: "81" }));
  assert.equal(error.code, "BINARY_FILE");
  assert.deepEqual(bytesOf(root, "a.bin"), Buffer.from("port=80\0\n"));
});

test("several edits: in order, each on the result of the one before, all or none", async () => {
  const root = makeTree({ "a.txt": "one\ntwo\nthree\n" });
  const { multi } = await editTools(root);
  const value = done(
    await multi({
      path: "a.txt",
      edits: [
        { old_str: "one", new_str: "1" },
        { old_str: "1\ntwo", new_str: "1\n2" },
        { old_str: "\n", new_str: ";\n", replace_all: true },
      ],
    }),
  );
  assert.equal(textOf(root, "a.txt"), "1;\n2;\nthree;\n");
  assert.equal(value.replacements, 5);
  assert.equal(value.diff, "@@ -1,3 +1,3 @@\n-one\n-two\n-three\n+1;\n+2;\n+three;");
  const error = refused(
    await multi({
      path: "a.txt",
      edits: [
        { old_str: "three", new_str: "3" },
        { old_str: "three", new_str: "drei" },
      ],
    }),
  );
  assert.match(error.message, /^edit 2 of 2: old_str is not in "a\.txt" as the edits before have left it\./);
  assert.equal(textOf(root, "a.txt"), "1;\n2;\nthree;\n");
});

test("edits that undo each other write nothing", async () => {
  const root = makeTree({ "a.txt": "one\n" });
  const { multi } = await editTools(root);
  const before = bytesOf(root, "a.txt");
  const result = await multi({
    path: "a.txt",
    edits: [
      { old_str: "one", new_str: "two" },
      { old_str: "two", new_str: "one" },
    ],
  });
  assert.match(result.text, /^Unchanged: a\.txt .*nothing was written/s);
  assert.deepEqual(bytesOf(root, "a.txt"), before);
});

test("a large diff is cut, and says so; the change is whole", async () => {
  const root = makeTree({ "a.txt": "a\n\n\n\n\n\n\n\n".repeat(500) });
  const { replace } = await editTools(root);
  const result = await replace({ path: "a.txt", old_str: "a", new_str: "b".repeat(1000), replace_all: true });
  const value = done(result);
  assert.equal(value.replacements, 500);
  assert.equal(value.diffCut, true);
  assert.ok(value.diff.split("\n").length <= 60);
  assert.ok(value.diff.length < 13_000);
  assert.match(result.text, /\(The diff is cut here: more was changed than is shown\.\)$/);
  assert.equal(textOf(root, "a.txt"), `${"b".repeat(1000)}\n\n\n\n\n\n\n\n`.repeat(500));
});

test("fault-06: text outside ASCII that an edit brings into a file that is not UTF-8 is told", async () => {
  const root = makeTree({ "a.txt": { text: Buffer.from("caf\xe9 x\n", "latin1") }, "b.txt": "café x\n" });
  const { replace } = await editTools(root);
  const told = done(await replace({ path: "a.txt", old_str: "x", new_str: "é" }));
  assert.match(told.notes.join(" "), /holds bytes that are not UTF-8.*outside ASCII were written in UTF-8/);
  assert.deepEqual(done(await replace({ path: "a.txt", old_str: "caf", new_str: "CAF" })).notes, []);
  assert.deepEqual(done(await replace({ path: "b.txt", old_str: "x", new_str: "é" })).notes, []);
});
