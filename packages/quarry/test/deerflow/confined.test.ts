/** Virtual paths alone: where the tools may look, and that nothing of the host shows. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { LocalSandbox } from "#src/tools/local-sandbox.js";
import { Workspace } from "#src/workspace/workspace.js";
import type { ToolKind } from "#src/tools/tool.js";
import { PACKAGE } from "../support/tour.js";
import { makeTree } from "../support/tree.js";
import { callers, place, ROOT } from "./place.js";

/** Every tool, with arguments that a path completes. */
const TOOLS: readonly (readonly [ToolKind, Readonly<Record<string, unknown>>])[] = [
  ["ls", {}],
  ["glob", { pattern: "*", include_dirs: true }],
  ["grep", { pattern: "." }],
  ["read_file", {}],
  ["write_file", { content: "x" }],
  ["str_replace", { old_str: "root", new_str: "x" }],
];

test("[B-052] fault-09: outside every mount, .. out of one, a link out of one: refused by every tool", async () => {
  const outside = makeTree({ "secret.txt": "secret root\n", "dir/f.txt": "secret root\n" });
  const { text, root } = await place(
    { "a.txt": "in\n", "link-file": { link: `${outside}/secret.txt` }, "link-dir": { link: `${outside}/dir` } },
    { write: true },
  );
  const paths = [
    "/etc/passwd",
    "/etc",
    root,
    `${root}/a.txt`,
    outside,
    "/mnt/user-data/workspace-evil/a.txt",
    "/mnt/user-data/workspac",
    "/mnt/other",
    `${ROOT}/..`.concat("/uploads"),
    `${ROOT}/../../../etc/passwd`,
    `${ROOT}/../workspace/a.txt`,
    `${ROOT}/a/../../../x`,
    `${ROOT}/link-file`,
    `${ROOT}/link-dir`,
    `${ROOT}/link-dir/f.txt`,
    `${ROOT}/..\\..\\etc`,
  ];
  for (const path of paths) {
    for (const [tool, args] of TOOLS) {
      const said = await text(tool, { ...args, path });
      assert.match(
        said,
        /^Error: .* is not inside the workspace\. Its roots are \/mnt\/user-data\/workspace\.$/,
        `${tool} ${path}`,
      );
      for (const host of [root, outside]) if (!path.startsWith(host)) assert.ok(!said.includes(host), said);
    }
  }
  assert.equal(readFileSync(join(outside, "secret.txt"), "utf8"), "secret root\n");
  assert.equal(readFileSync(join(outside, "dir/f.txt"), "utf8"), "secret root\n");
});

test("[B-053][B-050] no answer and no error holds a host path, whatever the question", async () => {
  const { text, root } = await place(
    { "a.txt": "in\n", "d/e.txt": "x\n", "b.bin": Buffer.from("\0") },
    { write: true },
  );
  const paths = [
    ROOT,
    `${ROOT}/a.txt`,
    `${ROOT}/nope`,
    `${ROOT}/a.txt/x`,
    `${ROOT}/d`,
    `${ROOT}/b.bin`,
    "/",
    "/mnt",
    root,
    `${root}/nope`,
    `file://${root}`,
  ];
  for (const path of paths) {
    for (const [tool, args] of TOOLS) {
      const said = await text(tool, { ...args, path });
      assert.ok(!said.includes(root) && !said.includes("quarry-test-"), `${tool} ${path}: ${said}`);
    }
  }
});

test("[B-047][B-064] a read-only mount is searched and read, and not written", async () => {
  const root = makeTree({ "ro/a.txt": "in\n", "rw/b.txt": "in\n" });
  const workspace = await Workspace.open({
    mounts: [
      { host: join(root, "ro"), name: "mnt/skills" },
      { host: join(root, "rw"), name: ROOT.slice(1), access: "write" },
    ],
  });
  const { text } = callers(new LocalSandbox(workspace), { write: true });
  assert.match(await text("grep", { pattern: "in", path: "/mnt/skills" }), /^Found 1 matches/);
  assert.equal(await text("read_file", { path: "/mnt/skills/a.txt" }), "in");
  for (const [tool, args] of [
    ["write_file", { content: "x" }],
    ["write_file", { content: "x", append: true }],
    ["str_replace", { old_str: "in", new_str: "x" }],
  ] as const) {
    const said = await text(tool, { ...args, path: "/mnt/skills/a.txt" });
    assert.match(
      said,
      /^Error: "\/mnt\/skills\/a\.txt" is in a part of the workspace that may only be read\. Nothing was changed\.$/,
    );
  }
  assert.match(await text("write_file", { path: "/mnt/skills/new.txt", content: "x" }), /^Error: .* may only be read/);
  assert.equal(readFileSync(join(root, "ro/a.txt"), "utf8"), "in\n");
  assert.match(
    await text("str_replace", { path: `${ROOT}/b.txt`, old_str: "in", new_str: "out" }),
    /^OK: Replaced 1 place in /,
  );
  assert.equal(readFileSync(join(root, "rw/b.txt"), "utf8"), "out\n");
});

test("[B-049] denied and disabled folders are dropped from the results of their ancestors, and refused as roots", async () => {
  const { text } = await place(
    { "skills/on/s.md": "hit\n", "skills/off/s.md": "hit\n", "keys/k.txt": "hit\n" },
    { denied: ["keys"], disabled: ["skills/off"] },
  );
  assert.equal(
    await text("grep", { pattern: "hit", path: ROOT }),
    `Found 1 matches under ${ROOT}\n${ROOT}/skills/on/s.md:1: hit\nSkipped: 1 denied path, 1 disabled folder.`,
  );
  assert.equal(
    await text("glob", { pattern: "**", path: `${ROOT}/skills`, include_dirs: true }),
    `Found 2 paths under ${ROOT}/skills\n1. ${ROOT}/skills/on\n2. ${ROOT}/skills/on/s.md\nSkipped: 1 disabled folder.`,
  );
  assert.equal(
    await text("ls", { path: `${ROOT}/skills` }),
    `Found 1 entries under ${ROOT}/skills\n${ROOT}/skills/on/\nSkipped: 1 disabled folder.`,
  );
  for (const [tool, args] of TOOLS.slice(0, 4)) {
    assert.match(
      await text(tool, { ...args, path: `${ROOT}/skills/off` }),
      /^Error: .*skills\/off" is switched off/,
      tool,
    );
    assert.match(await text(tool, { ...args, path: `${ROOT}/keys` }), /^Error: .*keys" is denied/, tool);
  }
});

test("mounts inside mounts: one path order over all, and a cut page holds the first", async () => {
  const root = makeTree({ "w/a.txt": "hit\n", "w/z.txt": "hit\n", "m/x.txt": "hit\n", "m/d/y.txt": "hit\n" });
  mkdirSync(join(root, "w/lib"));
  writeFileSync(join(root, "w/lib/covered.txt"), "hit\n");
  const workspace = await Workspace.open({
    mounts: [
      { host: join(root, "w"), name: ROOT.slice(1) },
      { host: join(root, "m"), name: `${ROOT.slice(1)}/lib` },
    ],
  });
  const { text } = callers(new LocalSandbox(workspace));
  const all = ["a.txt", "lib/d/y.txt", "lib/x.txt", "z.txt"].map((name) => `${ROOT}/${name}`);
  assert.equal(
    await text("grep", { pattern: "hit", path: ROOT }),
    [`Found 4 matches under ${ROOT}`, ...all.map((p) => `${p}:1: hit`)].join("\n"),
  );
  assert.equal(
    await text("grep", { pattern: "hit", path: ROOT, max_results: 2 }),
    [
      `Found 2 matches under ${ROOT} (showing first 2)`,
      ...all.slice(0, 2).map((p) => `${p}:1: hit`),
      "Results truncated. Narrow the path or add a glob filter.",
    ].join("\n"),
  );
  assert.equal(
    await text("glob", { pattern: "**/*.txt", path: "/mnt" }),
    ["Found 4 paths under /mnt", ...all.map((p, i) => `${i + 1}. ${p}`)].join("\n"),
  );
  assert.equal(
    await text("glob", { pattern: "lib/*.txt", path: ROOT }),
    `Found 1 paths under ${ROOT}\n1. ${ROOT}/lib/x.txt`,
  );
  assert.equal(
    await text("ls", { path: ROOT }),
    `Found 3 entries under ${ROOT}\n${ROOT}/a.txt\n${ROOT}/lib/\n${ROOT}/z.txt`,
  );
});

test("names with line ends, dashes and bytes that are not UTF-8 are shown on one line, and can be given back", async () => {
  const { call, text } = await place({
    "-v": "hit\n",
    "a\nb.txt": "hit\n",
    "caf\udce9.txt": "hit\n",
    "[id].txt": "hit\n",
  });
  const { value } = await call("glob", { pattern: "*", path: ROOT });
  const { paths } = value as { paths: string[] };
  assert.deepEqual(
    paths,
    ["-v", "[id].txt", "a\\x0ab.txt", "caf\\xe9.txt"].map((name) => `${ROOT}/${name}`),
  );
  for (const path of paths) {
    assert.equal(await text("read_file", { path }), "hit", path);
    assert.equal(await text("grep", { pattern: "hit", path }), `Found 1 matches under ${path}\n${path}:1: hit`);
  }
});

test("[B-022] fault-13: a folder that may not be read is counted, and named as such where it is the root", () => {
  const root = makeTree({ "a.txt": "hit\n", closed: { dir: true, mode: 0 } });
  // Root reads everything, so that the command runs as nobody.
  const [program = "", ...before] =
    process.getuid?.() === 0 ? ["runuser", "-u", "nobody", "--", process.execPath] : [process.execPath];
  const quarry = (...args: string[]): string => {
    const all = [...before, join(PACKAGE, "bin/quarry.js"), ...args, "--root", root, "--profile", "deerflow"];
    const { stdout, stderr } = spawnSync(program, all, { encoding: "utf8", timeout: 60_000 });
    return stdout + stderr;
  };
  assert.equal(
    quarry("grep", "hit", ROOT),
    `Found 1 matches under ${ROOT}\n${ROOT}/a.txt:1: hit\nSkipped: 1 unreadable file or folder.\n`,
  );
  for (const args of [
    ["grep", "hit"],
    ["glob", "*"],
  ]) {
    const said = quarry(...args, `${ROOT}/closed`);
    assert.match(said, /^Error: "\/mnt\/user-data\/workspace\/closed" cannot be opened: permission denied\./);
  }
});
