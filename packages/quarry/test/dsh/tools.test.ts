import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, renameSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { DEFAULT_SETTINGS } from "#src/config/settings.js";
import { LocalSpillStore } from "#src/spill/local.js";
import { ARTIFACT_FILE, ARTIFACTS_MOUNT, type MaybeStore } from "#src/spill/store.js";
import { dshTools } from "#src/tools/dsh.js";
import type { Tool } from "#src/tools/tool.js";
import { Workspace, type MountOptions } from "#src/workspace/workspace.js";
import { makeTree, type TreeSpec } from "../support/tree.js";

interface Opened {
  readonly root: string;
  readonly glob: (args: unknown) => ReturnType<Tool["call"]>;
  readonly grep: (args: unknown) => ReturnType<Tool["call"]>;
}

async function open(
  spec: TreeSpec,
  options: {
    readonly mount?: Partial<MountOptions>;
    readonly caps?: { globMaxResults?: number; grepMaxMatches?: number };
    readonly store?: boolean;
  } = {},
): Promise<Opened> {
  const root = makeTree(spec);
  const workspace = await Workspace.open({ mounts: [{ host: root, ...options.mount }] });
  let store: MaybeStore = null;
  if (options.store === true) {
    const local = LocalSpillStore.open(mkdtempSync(join(tmpdir(), "cache-")), "me", DEFAULT_SETTINGS);
    workspace.lend(ARTIFACTS_MOUNT, local.folder, ARTIFACT_FILE);
    store = local;
  }
  const tools = await dshTools({
    workspace,
    store: () => store,
    ...(options.caps === undefined ? {} : { settings: options.caps }),
  });
  const [glob, grep] = tools as [Tool, Tool];
  return { root, glob: (args) => glob.call(args), grep: (args) => grep.call(args) };
}

test("the dsh profile without the harness: two tools, their schemas, and the texts of the contract", async () => {
  const workspace = await Workspace.open({ mounts: [{ host: makeTree({}) }] });
  const tools = await dshTools({ workspace, store: () => null });
  assert.deepEqual(
    tools.map(({ name, inputSchema }) => [
      name,
      Object.keys(inputSchema["properties"] as object),
      inputSchema["required"],
      inputSchema["additionalProperties"],
    ]),
    [
      ["glob", ["pattern", "path"], ["pattern"], false],
      ["grep", ["pattern", "path", "include"], ["pattern"], false],
    ],
  );
  const { root, glob, grep } = await open({ "b.ts": "needle\n", "a/a.ts": "x needle\r\n", ".hidden/h.ts": "needle\n" });
  for (const [at, path] of ["b.ts", ".hidden/h.ts", "a/a.ts"].entries()) utimesSync(join(root, path), at + 1, at + 1);
  assert.equal((await glob({ pattern: "*.ts" })).text, "b.ts\n.hidden/h.ts\na/a.ts");
  assert.equal((await glob({ pattern: "*.ts", path: "a" })).text, "a/a.ts");
  assert.equal(
    (await grep({ pattern: "needle" })).text,
    "Found 2 matches\n\na/a.ts\nLine 1: x needle\n\nb.ts\nLine 1: needle",
  );
  assert.equal((await grep({ pattern: "needle", path: "b.ts" })).text, "Found 1 match\n\nb.ts\nLine 1: needle");
  const none = await grep({ pattern: "absent" });
  assert.deepEqual(
    [none.isError, none.text, !none.isError && none.empty, !none.isError && none.complete],
    [false, "No matches found", true, true],
  );
  assert.equal((await glob({ pattern: "absent" })).text, "No files found");
});

test("a capped result is stored, and its locator is a path that grep takes", async () => {
  const { grep, glob } = await open(
    { f: "hit 1\nhit 2\nhit 3\n", g: "", h: "" },
    { caps: { grepMaxMatches: 2, globMaxResults: 2 }, store: true },
  );
  const { text } = await grep({ pattern: "hit" });
  const parts =
    /^Found 2 of 3 matches\n\nf\nLine 1: hit 1\nLine 2: hit 2\n\n\(Full grep result stored at: (@artifacts\/[0-9a-f]{16}\.txt)\. Use grep with this path to search within it\.\)$/.exec(
      text,
    );
  assert.ok(parts, text);
  assert.equal(
    (await grep({ pattern: "hit 3", path: parts[1] })).text,
    `Found 1 match\n\n${parts[1]}\nLine 6: Line 3: hit 3`,
  );
  assert.match(
    (await glob({ pattern: "*" })).text,
    /\(Showing 2 of 3 paths\. Full sorted result stored at: @artifacts\//,
  );
  const unsaved = await open({ f: "hit\nhit\n" }, { caps: { grepMaxMatches: 1 } });
  assert.match((await unsaved.grep({ pattern: "hit" })).text, /could not be saved; narrow pattern, path, or include/);
});

test("fault-09 fault-11: nothing outside the workspace, nothing denied, no host path in an error", async () => {
  const { root, grep, glob } = await open(
    { "ok.txt": "KEY\n", "secret/key.txt": "KEY\n", out: { link: "/etc" } },
    { mount: { denied: ["secret"] } },
  );
  assert.equal((await grep({ pattern: "KEY" })).text, "Found 1 match\n\nok.txt\nLine 1: KEY");
  assert.equal((await glob({ pattern: "*.txt" })).text, "ok.txt");
  for (const [path, code] of [
    ["/etc/passwd", "OUTSIDE_WORKSPACE"],
    ["../x", "OUTSIDE_WORKSPACE"],
    ["out/passwd", "OUTSIDE_WORKSPACE"],
    ["secret", "DENIED"],
    ["gone", "NOT_FOUND"],
  ] as const) {
    for (const call of [grep, glob]) {
      const result = await call({ pattern: "KEY", path });
      assert.equal(result.isError && result.value.error.code, code, path);
      assert.match(result.text, /^Error: /);
      assert.ok(!result.text.includes(root), result.text);
    }
  }
  const file = await glob({ pattern: "*", path: "ok.txt" });
  assert.equal(file.isError && file.value.error.code, "NOT_A_DIRECTORY");
});

test("errors keep the profile's words, with Quarry's codes for programs", async () => {
  const { grep, glob } = await open({ f: "x\n" });
  for (const [result, code, message] of [
    [
      await grep({ pattern: "(" }),
      "INVALID_PATTERN",
      /^Error: ripgrep does not take this pattern: rg: regex parse error/,
    ],
    [
      await grep({ pattern: "" }),
      "INVALID_ARGUMENT",
      /^Error: invalid arguments: pattern must be a regular expression/,
    ],
    [
      await grep({ pattern: "x", include: "a,b" }),
      "INVALID_ARGUMENT",
      /^Error: invalid arguments: include must be one glob/,
    ],
    [await glob(undefined), "INVALID_ARGUMENT", /^Error: invalid arguments: pattern/],
  ] as const) {
    assert.equal(result.isError && result.value.error.code, code);
    assert.match(result.text, message);
  }
  await assert.rejects(
    async () =>
      dshTools({
        workspace: await Workspace.open({ mounts: [{ host: makeTree({}) }] }),
        store: () => null,
        settings: { grepMaxMatches: 0 },
      }),
    /grepMaxMatches must be a positive integer/,
  );
});

test("a cancelled call and a time limit are errors, never an empty answer", async () => {
  const root = makeTree({ f: "x\n" });
  const workspace = await Workspace.open({ mounts: [{ host: root }] });
  const [glob] = (await dshTools({ workspace, store: () => null })) as [Tool];
  const cancelled = await glob.call({ pattern: "*" }, { signal: AbortSignal.abort() });
  assert.equal(cancelled.isError && cancelled.value.error.code, "ABORTED");
  assert.match(cancelled.text, /stopped before it finished/);
  const [quick] = (await dshTools({ workspace, store: () => null, settings: { timeoutMs: 1 } })) as [Tool];
  const late = await quick.call({ pattern: "*" });
  assert.equal(late.isError && late.value.error.code, "TIMED_OUT");
});

test("fault-10: a folder that is exchanged for a link in a loop never shows what is outside", async () => {
  const outside = makeTree({ "in.txt": "SECRET needle\n" });
  const { root, grep, glob } = await open({ "d/in.txt": "needle\n", "keep.txt": "needle\n" });
  symlinkSync(outside, join(root, "evil"));
  let on = true;
  const swapping = (async () => {
    while (on) {
      renameSync(join(root, "d"), join(root, "d2"));
      renameSync(join(root, "evil"), join(root, "d"));
      await new Promise((resolve) => setImmediate(resolve));
      renameSync(join(root, "d"), join(root, "evil"));
      renameSync(join(root, "d2"), join(root, "d"));
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  for (let i = 0; i < 15; i++) {
    assert.doesNotMatch((await grep({ pattern: "needle" })).text, /SECRET/);
    await glob({ pattern: "*.txt" });
  }
  on = false;
  await swapping;
  assert.equal(readFileSync(join(root, "d/in.txt"), "utf8"), "needle\n");
});

test("several mounts: without a path all are searched, and shown paths say where", async () => {
  const [one, two] = [makeTree({ "a.txt": "needle\n" }), makeTree({ "b.txt": "needle\n" })];
  writeFileSync(join(two, "n\u00e9.txt"), Buffer.from("na\xefve needle\n", "latin1"));
  const workspace = await Workspace.open({
    mounts: [
      { host: one, name: "one" },
      { host: two, name: "two" },
    ],
  });
  const [glob, grep] = (await dshTools({ workspace, store: () => null })) as [Tool, Tool];
  assert.equal(
    (await grep.call({ pattern: "needle" })).text,
    "Found 3 matches\n\none/a.txt\nLine 1: needle\n\ntwo/b.txt\nLine 1: needle\n\ntwo/n\u00e9.txt\nLine 1: na\ufffdve needle\n\n(1 result holds bytes that are not UTF-8, shown as \ufffd)",
  );
  assert.deepEqual((await glob.call({ pattern: "*.txt" })).text.split("\n").sort(), [
    "one/a.txt",
    "two/b.txt",
    "two/n\u00e9.txt",
  ]);
});
