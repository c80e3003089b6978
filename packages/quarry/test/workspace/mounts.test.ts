import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { QuarryError } from "#src/errors/errors.js";
import { foldName, isDenied } from "#src/workspace/denied.js";
import type { Mount } from "#src/workspace/mount.js";
import { Workspace } from "#src/workspace/workspace.js";
import { makeTree } from "../support/tree.js";

function code(work: () => unknown): string {
  try {
    work();
    return "resolved";
  } catch (error) {
    assert.ok(error instanceof QuarryError, String(error));
    return error.code;
  }
}

const shownOf = (workspace: Workspace, asked: string): string => {
  const target = workspace.resolve(asked, "any");
  return workspace.show(target, target.path);
};

test("several mounts: names in front, made unique, and a virtual folder above them", async () => {
  const one = makeTree({ "proj/a.ts": "a" });
  const two = makeTree({ "proj/b.ts": "b" });
  const workspace = await Workspace.open({
    mounts: [{ host: `${one}/proj` }, { host: `${two}/proj` }, { host: two, name: "mnt/data/all" }],
  });
  assert.deepEqual(
    workspace.mounts.map((m) => m.name),
    ["proj", "proj-2", "mnt/data/all"],
  );
  assert.equal(shownOf(workspace, "proj/a.ts"), "proj/a.ts");
  assert.equal(shownOf(workspace, "/proj-2/b.ts"), "proj-2/b.ts");
  assert.equal(shownOf(workspace, "proj/../proj-2"), "proj-2");
  assert.equal(shownOf(workspace, "mnt/data"), "mnt/data/all");
  assert.equal(
    code(() => workspace.resolve(undefined, "any")),
    "INVALID_ARGUMENT",
  );
  assert.equal(workspace.resolveAll("/", "directory").length, 2);
  assert.equal(
    code(() => workspace.resolve("/", "file")),
    "NOT_A_FILE",
  );
  assert.equal(
    code(() => workspace.resolve("proj/../..", "any")),
    "OUTSIDE_WORKSPACE",
  );
  assert.equal(
    code(() => workspace.resolve("a.ts", "any")),
    "NOT_FOUND",
  );
});

test("fault-18: near names with several mounts carry the mount's name", async () => {
  const workspace = await Workspace.open({
    mounts: [
      { host: makeTree({ "src/a.ts": "a" }), name: "web" },
      { host: makeTree({ "lib/b.ts": "b" }), name: "server" },
    ],
  });
  const near = (asked: string): readonly string[] => {
    try {
      workspace.resolve(asked, "any");
    } catch (error) {
      assert.ok(error instanceof QuarryError);
      return error.details.nearNames ?? [];
    }
    return ["resolved"];
  };
  assert.deepEqual(near("src/a.ts"), ["web/src/a.ts"]);
  assert.deepEqual(near("sever/lib"), ["server/lib"]);
  assert.deepEqual(near("b.ts"), ["server/lib/b.ts"]);
});

test("mounts inside each other: the innermost shows and rules, files are searched once, denials hold through both", async () => {
  const root = makeTree({
    "a/b/f": "x",
    "a/b/secret/k": "k",
    "a/b/own/k": "k",
    "a/vault/open/f": "x",
    link: { link: "a/b" },
  });
  const workspace = await Workspace.open({
    mounts: [
      { host: root, name: "all", access: "write", denied: ["a/b/secret", "a/vault"] },
      { host: `${root}/a/b`, name: "inner", denied: ["own"] },
      { host: `${root}/a/vault/open`, name: "open" },
    ],
  });
  const target = workspace.resolve("all/a/b/f", "file");
  assert.deepEqual([target.mount.name, target.mount.access], ["inner", "read"]);
  assert.equal(shownOf(workspace, "all/link/f"), "inner/f");
  for (const asked of [
    "inner/secret/k",
    "all/a/b/secret",
    "all/a/b/own/k",
    "inner/own",
    "all/link/own/k",
    "all/a/vault/open/f",
  ]) {
    assert.equal(
      code(() => workspace.resolve(asked, "any")),
      "DENIED",
      asked,
    );
  }
  assert.equal(shownOf(workspace, "open/f"), "open/f");
  assert.deepEqual(
    workspace.rootTargets().map((t) => t.mount.name),
    ["all", "open"],
  );
});

test("a link from one mount into another is inside the workspace", async () => {
  const one = makeTree({});
  const two = makeTree({ "d/f": "x" });
  fs.symlinkSync(path.join(two, "d"), path.join(one, "absolute"));
  fs.symlinkSync(path.join("..", path.basename(two), "d"), path.join(one, "relative"));
  const both = await Workspace.open({
    mounts: [
      { host: one, name: "one" },
      { host: two, name: "two" },
    ],
  });
  assert.equal(shownOf(both, "one/absolute/f"), "two/d/f");
  assert.equal(shownOf(both, "one/relative/f"), "two/d/f");
  const alone = await Workspace.open({ mounts: [{ host: one }] });
  for (const asked of ["absolute/f", "relative/f"])
    assert.equal(
      code(() => alone.resolve(asked, "any")),
      "OUTSIDE_WORKSPACE",
    );
});

test("fault-58: a workspace guesses nothing: no folder, a file, a missing folder, bad names are refused", async () => {
  const root = makeTree({ f: "x" });
  const table: readonly (readonly Parameters<typeof Workspace.open>[0]["mounts"][number][])[] = [
    [],
    [{ host: "" }],
    [{ host: `${root}/none` }],
    [{ host: `${root}/f` }],
    [{ host: `${root}\0` }],
    [
      { host: root, name: "a" },
      { host: root, name: "a" },
    ],
    [{ host: root, name: "../a" }],
    [{ host: root, name: "/a" }],
    [{ host: root, name: "a\n" }],
    [{ host: root, denied: [".."] }],
    [{ host: root, denied: ["/"] }],
  ];
  for (const mounts of table) await assert.rejects(Workspace.open({ mounts }), { code: "INVALID_ARGUMENT" });
});

test("one folder mounted twice is searched once", async () => {
  const root = makeTree({ f: "x" });
  const workspace = await Workspace.open({
    mounts: [
      { host: root, name: "a" },
      { host: root, name: "b" },
    ],
  });
  assert.equal(workspace.rootTargets().length, 1);
  assert.equal(workspace.resolveAll("b", "directory").length, 1);
});

test("where names fold, a denied path is denied in every spelling", () => {
  const mount = {
    name: "",
    hostRoot: "/x",
    access: "read",
    denied: ["Secret/Ärger"],
    disabled: [],
    covered: [],
    foldsNames: true,
  } as unknown as Mount;
  for (const asked of ["secret/ärger", "SECRET/A\u0308RGER/x", "Secret/Ärger"])
    assert.equal(isDenied(mount, asked), true, asked);
  assert.equal(isDenied(mount, "secret/other"), false);
  assert.equal(isDenied({ ...mount, foldsNames: false } as Mount, "secret/ärger"), false);
  assert.equal(foldName("É"), foldName("e\u0301"));
});

test("host roots leave every text, whatever stands around them", async () => {
  const root = makeTree({ "in ner": { dir: true }, "q'u\"o": { dir: true } });
  const only = await Workspace.open({ mounts: [{ host: root }] });
  assert.equal(only.mask(`rg: ${root}/src/a.ts: No such file`), "rg: src/a.ts: No such file");
  assert.equal(only.mask(`cannot open ${root}.`), "cannot open ..");
  assert.equal(only.mask(`'${root}' and "${root}/"`), "'.' and \"./\"");
  assert.equal(only.mask(`file://${root}/x%20y`), "file://x%20y");
  assert.equal(only.mask("nothing here / or there"), "nothing here / or there");
  const several = await Workspace.open({
    mounts: [
      { host: root, name: "all" },
      { host: `${root}/in ner`, name: "inner" },
      { host: `${root}/q'u"o`, name: "quo" },
    ],
  });
  assert.equal(several.mask(`${root}/in ner/f ${root}/x ${root}`), "inner/f all/x all");
  assert.equal(several.mask(JSON.stringify({ p: `${root}/q'u"o/f` })), '{"p":"quo/f"}');
  assert.equal(several.mask(encodeURI(`${root}/in ner/f`)), "inner/f");
  const piece = fc.constantFrom(
    root,
    `${root}/`,
    root.slice(0, 7),
    root.slice(7),
    "/",
    "-evil",
    " ",
    "'",
    ".",
    "x",
    "\n",
    encodeURIComponent(root),
    root.slice(1),
    "é",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      for (const workspace of [only, several])
        assert.ok(!workspace.mask(pieces.join("")).includes(root), JSON.stringify(pieces));
    }),
    { numRuns: 500, seed: 991 },
  );
});
