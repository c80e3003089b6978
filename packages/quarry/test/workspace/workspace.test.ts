import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { QuarryError } from "#src/errors/errors.js";
import { readText } from "#src/profiles/quarry/read-text.js";
import { DEFAULT_SETTINGS } from "#src/config/settings.js";
import { readRange } from "#src/files/read.js";
import { Workspace, type MountOptions, type Wanted } from "#src/workspace/workspace.js";
import { makeTree, type TreeSpec } from "../support/tree.js";

async function over(
  tree: TreeSpec,
  options: Partial<MountOptions> & { acceptHostPaths?: boolean } = {},
): Promise<{ root: string; workspace: Workspace }> {
  const { acceptHostPaths = false, ...mount } = options;
  const root = makeTree(tree);
  return { root, workspace: await Workspace.open({ mounts: [{ host: root, ...mount }], acceptHostPaths }) };
}

/** `kind path` of what a path means, or the error's code. */
function meaning(workspace: Workspace, asked: string | undefined, want: Wanted = "any"): string {
  try {
    const target = workspace.resolve(asked, want);
    return `${target.kind} ${workspace.show(target, target.path)}`;
  } catch (error) {
    assert.ok(error instanceof QuarryError, String(error));
    return error.code;
  }
}

function failure(workspace: Workspace, asked: string): QuarryError {
  try {
    workspace.resolve(asked, "any");
  } catch (error) {
    assert.ok(error instanceof QuarryError, String(error));
    return error;
  }
  throw new Error(`${asked} resolved`);
}

const TREE: TreeSpec = {
  "src/utils/a.ts": "a\n",
  "src/b.ts": "b\n",
  "app/(auth)/[[...sign-in]]/p.tsx": "p\n",
  "{x}/*.md": "m\n",
  "we\\ird/f": "w\n",
};

test("relative, absolute, dotted and doubled spellings mean the same", async () => {
  const { workspace } = await over(TREE);
  for (const asked of [
    "src/b.ts",
    "/src/b.ts",
    "./src/b.ts",
    "src//b.ts",
    "src/./b.ts",
    "src/utils/../b.ts",
    "//src/b.ts",
    "src/b.ts/",
  ]) {
    assert.equal(meaning(workspace, asked), "file src/b.ts", asked);
  }
  for (const asked of [undefined, "", ".", "/", "./", "src/..", "//"])
    assert.equal(meaning(workspace, asked), "directory .", String(asked));
  assert.equal(meaning(workspace, "src", "file"), "NOT_A_FILE");
  assert.equal(meaning(workspace, ".", "file"), "NOT_A_FILE");
  assert.equal(meaning(workspace, "src/b.ts", "directory"), "NOT_A_DIRECTORY");
});

test("fault-09: every way out is refused with the same sentence", async () => {
  const outside = makeTree({ f: "secret" });
  const { root, workspace } = await over({
    "in/f": "x",
    out: { link: outside },
    "file-out": { link: `${outside}/f` },
    hang: { link: "/none/at/all" },
    up: { link: "../.." },
    chain: { link: "out" },
  });
  fs.mkdirSync(`${root}-evil`);
  fs.writeFileSync(`${root}-evil/f`, "evil");
  const base = path.basename(root);
  try {
    for (const asked of [
      "..",
      "../..",
      "in/../../x",
      `../${base}-evil/f`,
      "/etc/passwd",
      "/etc/none",
      "out",
      "out/f",
      "out/none",
      "file-out",
      "hang",
      "up",
      `up/${base}x`,
      "chain/f",
      "~",
      "~/d",
      "C:\\x",
      "..\\..\\x",
      "file:///etc/passwd",
      "file:///..%2f..%2fetc/passwd",
      "file://host/share",
      "in/%2e%2e/../../../x",
    ]) {
      const error = failure(workspace, asked);
      assert.equal(error.code, "OUTSIDE_WORKSPACE", asked);
      assert.equal(error.message, `"${asked}" is not inside the workspace`);
    }
    for (const asked of [`${root}-evil/f`, `${root}/in/f`, root, outside]) {
      const error = failure(workspace, asked);
      assert.equal(error.code, "OUTSIDE_WORKSPACE", asked);
      assert.ok(!error.message.includes(root));
    }
  } finally {
    fs.rmSync(`${root}-evil`, { recursive: true });
  }
});

test("fault-09: links inside are followed when named, and the answer keeps the asker's words", async () => {
  const { root, workspace } = await over({
    "real/sub/f.ts": "x",
    alias: { link: "real/sub" },
    "real/back": { link: "../alias" },
    hop: { link: "alias" },
    a: { link: "b" },
    b: { link: "a" },
  });
  fs.symlinkSync(`${root}/real`, path.join(root, "absolute"));
  const target = workspace.resolve("alias", "directory");
  assert.deepEqual([target.path, target.asked], ["real/sub", "alias"]);
  assert.equal(workspace.show(target, "real/sub/f.ts"), "alias/f.ts");
  assert.equal(workspace.show(target, "real/sub"), "alias");
  assert.equal(workspace.resolve("hop/f.ts", "file").path, "real/sub/f.ts");
  assert.equal(workspace.resolve("real/back/f.ts", "file").path, "real/sub/f.ts");
  assert.equal(workspace.resolve("absolute/sub", "directory").path, "real/sub");
  assert.match(failure(workspace, "a/x").message, /leads in a circle/);
});

test("fault-18: a path that does not exist names the close ones", async () => {
  const { workspace } = await over(
    {
      "src/utils/deep/helper.ts": "x",
      "src/index.ts": "x",
      "docs/guide.md": "x",
      "secret/utlis": "x",
      "README.md": "x",
    },
    { denied: ["secret"] },
  );
  const near = (asked: string): readonly string[] => failure(workspace, asked).details.nearNames ?? [];
  assert.equal(failure(workspace, "src/utlis").message, '"src/utlis" does not exist');
  assert.deepEqual(near("src/utlis"), ["src/utils"]);
  assert.deepEqual(near("src/utlis/deep/helper.ts"), ["src/utils/deep/helper.ts"]);
  assert.deepEqual(near("src/utlis/dep/helpr.ts"), ["src/utils/deep/helper.ts"]);
  assert.deepEqual(near("helper.ts"), ["src/utils/deep/helper.ts"]);
  assert.deepEqual(near("readme.md"), ["README.md"]);
  assert.deepEqual(near("src/index.tsx"), ["src/index.ts"]);
  assert.deepEqual(near("zzzzzz"), []);
  assert.equal(meaning(workspace, "src/index.ts/x"), "NOT_FOUND");
  assert.match(failure(workspace, "src/index.ts/x").message, /"src\/index.ts" is a file/);
  for (const name of near("src/utlis").concat(near("index.ts"))) assert.notEqual(meaning(workspace, name), "NOT_FOUND");
});

test("fault-18: near names are found in bounded time in a large tree", async () => {
  const tree: Record<string, string> = {};
  for (let i = 0; i < 3_000; i++) tree[`d${i % 600}/f${i}`] = "";
  const { workspace } = await over(tree);
  failure(workspace, "warm/up");
  const started = performance.now();
  failure(workspace, "d5/no-such-name");
  assert.ok(performance.now() - started < 400);
});

test("fault-23: an absolute host path is accepted where the configuration allows it, and only inside", async () => {
  const tree = { "src/a.ts": "a" };
  const { root, workspace } = await over(tree, { acceptHostPaths: true });
  assert.equal(meaning(workspace, `${root}/src/a.ts`), "file src/a.ts");
  assert.equal(meaning(workspace, root), "directory .");
  assert.equal(meaning(workspace, `${root}/src/../src`), "directory src");
  assert.equal(meaning(workspace, `${root}/none`), "NOT_FOUND");
  assert.equal(meaning(workspace, `${root}-evil`), "OUTSIDE_WORKSPACE");
  assert.equal(meaning(workspace, path.dirname(root)), "OUTSIDE_WORKSPACE");
  assert.equal(meaning(workspace, "/src/a.ts"), "file src/a.ts");
  assert.equal(meaning(workspace, "/src/b.ts"), "NOT_FOUND");
  const closed = await over(tree);
  assert.equal(meaning(closed.workspace, `${closed.root}/src/a.ts`), "OUTSIDE_WORKSPACE");
});

test("fault-24: `~` is expanded where allowed and inside, and refused clearly elsewhere; a folder of that name wins", async (t) => {
  const root = makeTree({ "d/x.md": "x" });
  const home = process.env["HOME"];
  process.env["HOME"] = root;
  t.after(() => {
    if (home === undefined) delete process.env["HOME"];
    else process.env["HOME"] = home;
  });
  assert.equal(os.homedir(), root);
  const open = await Workspace.open({ mounts: [{ host: root }], acceptHostPaths: true });
  assert.equal(meaning(open, "~/d"), "directory d");
  assert.equal(meaning(open, "~"), "directory .");
  assert.equal(meaning(open, "~/../.."), "OUTSIDE_WORKSPACE");
  const closed = await Workspace.open({ mounts: [{ host: root }] });
  assert.equal(meaning(closed, "~/d"), "OUTSIDE_WORKSPACE");
  fs.mkdirSync(path.join(root, "~"));
  assert.equal(meaning(closed, "~"), "directory ~");
});

test("fault-25: names that look like patterns are taken as they stand", async () => {
  const { workspace } = await over(TREE);
  assert.equal(meaning(workspace, "app/(auth)/[[...sign-in]]/p.tsx"), "file app/(auth)/[[...sign-in]]/p.tsx");
  assert.equal(meaning(workspace, "{x}/*.md"), "file {x}/*.md");
});

test("fault-49: backslashes separate where nothing has them in its name", async () => {
  const { workspace } = await over(TREE);
  assert.equal(meaning(workspace, "src\\utils\\a.ts"), "file src/utils/a.ts");
  assert.equal(meaning(workspace, ".\\src\\b.ts"), "file src/b.ts");
  assert.equal(meaning(workspace, "we\\ird/f"), "file we\\ird/f");
  assert.equal(meaning(workspace, "we\\ird\\f"), "NOT_FOUND");
});

test("fault-50: a root that is reached through a link is the same root", async () => {
  const { root } = await over({ "src/a.ts": "a\n" });
  const link = path.join(makeTree({}), "link");
  fs.symlinkSync(root, link);
  const workspace = await Workspace.open({ mounts: [{ host: link }], acceptHostPaths: true });
  assert.equal(workspace.mounts[0]?.hostRoot, root);
  for (const asked of ["src/a.ts", `${link}/src/a.ts`, `${root}/src/a.ts`])
    assert.equal(meaning(workspace, asked), "file src/a.ts");
  assert.equal(workspace.mask(`${link}/src/a.ts and ${root}/src/a.ts`), "src/a.ts and src/a.ts");
});

test("fault-51: file URLs are decoded", async () => {
  const { root, workspace } = await over({ "a b/ü.ts": "x", "file:": { dir: true } }, { acceptHostPaths: true });
  assert.equal(meaning(workspace, "file:///a%20b/%C3%BC.ts"), "file a b/ü.ts");
  assert.equal(meaning(workspace, pathToFileURL(`${root}/a b/ü.ts`).href), "file a b/ü.ts");
  assert.equal(meaning(workspace, "file://localhost/a%20b"), "directory a b");
  assert.equal(meaning(workspace, "file:"), "directory file:");
  assert.equal(meaning(workspace, "file:///a%00b"), "OUTSIDE_WORKSPACE");
});

test("fault-11, fault-60: denied and special paths", async () => {
  const { workspace } = await over(
    { "secret/key": "k", pipe: { fifo: true }, way: { link: "secret" }, é: "x" },
    { denied: ["secret", "é"] },
  );
  for (const asked of [
    "secret",
    "secret/key",
    "secret/none",
    "way",
    "way/key",
    "./secret//key",
    "é",
    "\\xc3\\xa9",
    "\udcc3\udca9",
  ]) {
    assert.equal(meaning(workspace, asked), "DENIED", asked);
  }
  assert.equal(
    failure(workspace, "secret/none").message,
    failure(workspace, "secret/key").message.replace("key", "none"),
  );
  for (const want of ["any", "file", "directory"] as const)
    assert.equal(meaning(workspace, "pipe", want), "NOT_A_FILE");
});

test("a denied path that is a link denies what it leads to", async () => {
  const { workspace } = await over({ "vault/key": "k", secret: { link: "vault" } }, { denied: ["secret"] });
  assert.equal(meaning(workspace, "vault/key"), "DENIED");
});

test("a NUL is an argument error", async () => {
  const { workspace } = await over(TREE);
  assert.equal(meaning(workspace, "src\0/b.ts"), "INVALID_ARGUMENT");
});

test("names of any bytes: what is shown, given back, opens the same file", async () => {
  const names = [
    "z\udcff",
    "new\nline",
    "tab\t",
    "-v",
    "\\x41",
    "both\\x41\udc80\n",
    " lead",
    "trail ",
    "😀",
    "e\u0301",
    "é",
    "a:b",
    "~",
    "C:",
    "*",
    "\ufffd",
    "x\x7f",
    "\u202edrow",
  ];
  const { workspace } = await over(
    Object.fromEntries(
      names.flatMap((name, i) => [
        [name, `${i}\n`],
        [`dir-${i}/${name}`, `${i}\n`],
        [`in-${name}/f`, `${i}\n`],
      ]),
    ),
  );
  const root = workspace.resolve(undefined, "directory");
  for (const [i, name] of names.entries()) {
    for (const file of [name, `dir-${i}/${name}`, `in-${name}/f`]) {
      const shown = workspace.show(root, file);
      // eslint-disable-next-line no-control-regex -- that none is shown is the point
      assert.doesNotMatch(shown, /[\u0000-\u001f\u007f\udc80-\udcff]/u);
      const target = workspace.resolve(shown, "file");
      assert.equal(target.path, file);
      const value = await readRange(workspace, target, {}, DEFAULT_SETTINGS);
      assert.equal(value.lines[0]?.text, String(i));
      assert.ok(readText(value).startsWith(`${shown}: 1 line, `));
    }
  }
});

test("fault-56: a path of 4,000 bytes resolves", async () => {
  const { workspace } = await over({ [`${"d".repeat(190)}/`.repeat(20)]: { dir: true } });
  const asked = `${"d".repeat(190)}/`.repeat(20);
  assert.equal(workspace.resolve(asked, "directory").path, asked.slice(0, -1));
  assert.equal(meaning(workspace, `${asked}none`), "NOT_FOUND");
  assert.equal(meaning(workspace, "x/".repeat(500_000)), "NOT_FOUND");
});
