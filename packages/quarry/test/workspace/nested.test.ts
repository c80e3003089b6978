import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { before, test } from "node:test";
import { QuarryError } from "#src/errors/errors.js";
import { tools } from "#src/tools/registry.js";
import { Workspace } from "#src/workspace/workspace.js";
import { makeTree } from "../support/tree.js";

/** `/mnt/docs` with `/mnt/docs/api` and `/mnt/docs/deep/er/api` in it, each another host folder; skills with a disabled one. */
let site: string;
let workspace: Workspace;
before(async () => {
  site = makeTree({
    "docs/top.md": "needle top",
    "docs/api/covered.md": "needle COVERED",
    "docs/deep/plain.md": "needle deep",
    "docs/to-api": { link: "api/covered.md" },
    "docs/to-real": { link: "../api/real.md" },
    "api/real.md": "needle api",
    "api/sub/more.md": "needle sub",
    "far/f.md": "needle far",
    "skills/public/foo/SKILL.md": "needle DISABLED",
    "skills/public/bar/SKILL.md": "needle bar",
    "skills/public/link": { link: "foo" },
  });
  workspace = await Workspace.open({
    mounts: [
      { name: "mnt/docs", host: path.join(site, "docs"), access: "write" },
      { name: "mnt/docs/api", host: path.join(site, "api") },
      { name: "mnt/docs/deep/er/api", host: path.join(site, "far") },
      { name: "mnt/skills", host: path.join(site, "skills"), disabled: ["public/foo"] },
    ],
  });
});

function refused(work: () => unknown): { code: string; message: string } {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof QuarryError, String(error));
    return { code: error.code, message: error.message };
  }
  return { code: "none", message: "" };
}

async function text(name: "grep" | "glob" | "ls" | "read_file", args: object): Promise<string> {
  return (await tools(workspace, { artifacts: false })[name].call(args)).text;
}

test("the longest virtual name decides, and what a mount covers is nobody's", async () => {
  assert.match(await text("read_file", { path: "/mnt/docs/api/real.md" }), /needle api/);
  assert.equal(refused(() => workspace.resolve("/mnt/docs/api/covered.md", "any")).code, "NOT_FOUND");
  // A link of the outer folder into what is covered leads to nothing anyone may see; one to the mount's own folder works.
  assert.equal(refused(() => workspace.resolve("/mnt/docs/to-api", "any")).code, "OUTSIDE_WORKSPACE");
  assert.equal(workspace.resolve("/mnt/docs/to-real", "any").mount.name, "mnt/docs/api");
});

test("a search from the outer folder covers the mounts in it, with globs relative to what was asked", async () => {
  const grep = await text("grep", { pattern: "needle", path: "/mnt/docs" });
  for (const at of ["top.md", "deep/plain.md", "api/real.md", "api/sub/more.md", "deep/er/api/f.md"])
    assert.ok(grep.includes(`mnt/docs/${at}`), `${at}\n${grep}`);
  assert.ok(!grep.includes("COVERED"), grep);
  assert.equal(await text("glob", { pattern: "api/*.md", path: "/mnt/docs" }), "1 path\nmnt/docs/api/real.md");
  assert.equal(await text("glob", { pattern: "deep/*.md", path: "/mnt/docs" }), "1 path\nmnt/docs/deep/plain.md");
  assert.equal(await text("glob", { pattern: "er/**", path: "/mnt/docs/deep" }), "1 path\nmnt/docs/deep/er/api/f.md");
  assert.match(await text("glob", { pattern: "a*", path: "/mnt/docs", include_dirs: true }), /^mnt\/docs\/api\/$/m);
  assert.match(
    await text("grep", { pattern: "needle", path: "/mnt/docs", exclude: "api", output: "count" }),
    /^2 files with 2 matching lines/,
  );
  assert.match(await text("glob", { pattern: "mnt/*/api/*.md" }), /^1 path\nmnt\/docs\/api\/real\.md/);
});

test("ls shows a mount where it stands, once, and a folder that is virtual alone", async () => {
  const listed = (await text("ls", { path: "/mnt/docs" })).split("\n").slice(1);
  assert.equal(listed.filter((line) => line.startsWith("mnt/docs/api/")).length, 1);
  assert.ok(listed.includes("mnt/docs/deep/er/api/"));
  assert.match(await text("ls", { path: "/mnt/docs/deep/er" }), /mnt\/docs\/deep\/er\/api/);
});

test("nothing is written through the outer folder into what is covered, nor into a folder that is virtual alone", async () => {
  const { write_file: write } = tools(workspace, { artifacts: false, write: true });
  assert.ok(write);
  const inner = await write.call({ path: "/mnt/docs/api/new.md", content: "x" });
  assert.ok(inner.isError && inner.text.startsWith("Error READ_ONLY"), inner.text);
  const virtual = await write.call({ path: "/mnt/docs/deep/er/new.md", content: "x", create_dirs: true });
  assert.ok(virtual.isError && virtual.text.startsWith("Error READ_ONLY"), virtual.text);
  assert.deepEqual(fs.readdirSync(path.join(site, "docs/api")), ["covered.md"]);
  assert.ok(!(await write.call({ path: "/mnt/docs/deep/new.md", content: "x" })).isError);
});

test("a disabled folder is refused in words of its own, dropped from its ancestors, and counted", async () => {
  for (const asked of ["/mnt/skills/public/foo", "/mnt/skills/public/foo/SKILL.md", "/mnt/skills/public/link"]) {
    const { code, message } = refused(() => workspace.resolve(asked, "any"));
    assert.deepEqual([code, message], ["DISABLED", `"${asked}" is switched off in the configuration`]);
  }
  const grep = await text("grep", { pattern: "needle", path: "/mnt/skills" });
  assert.match(grep, /bar/);
  assert.match(grep, /\(1 disabled\)/);
  assert.ok(!/foo|DISABLED/.test(grep), grep);
  assert.match(await text("grep", { pattern: "absent", path: "/mnt/skills" }), /Left out: .*1 disabled/);
  const ls = await text("ls", { path: "/mnt/skills/public" });
  assert.ok(!ls.includes("foo") && ls.includes("(1 disabled)"), ls);
  assert.match(await text("glob", { pattern: "**/SKILL.md", path: "/mnt/skills" }), /^1 path\n/);
});

test("host folders of nested mounts are masked by the longest", () => {
  const masked = workspace.mask(`${site}/api/x ${site}/docs/y`);
  assert.equal(masked, "mnt/docs/api/x mnt/docs/y");
});

test("a mount that would lie behind a link of the mount around it is refused", async () => {
  const odd = makeTree({ "a/real/x": "", "b/x": "", "a/link": { link: "real" } });
  await assert.rejects(
    Workspace.open({
      mounts: [
        { name: "m", host: path.join(odd, "a") },
        { name: "m/link/in", host: path.join(odd, "b") },
      ],
    }),
    /lies behind a link/,
  );
});

test("a writable part of a read-only folder: one tree, two mounts, each file once, links into the part lead there", async () => {
  const host = makeTree({
    "plain.md": "needle",
    "drafts/one.md": "needle",
    "to-draft": { link: "drafts/one.md" },
    "sub/up": { link: "../drafts" },
  });
  const both = await Workspace.open({
    mounts: [
      { name: "mnt/docs", host },
      { name: "mnt/docs/drafts", host: path.join(host, "drafts"), access: "write" },
    ],
    acceptHostPaths: true,
  });
  const { grep, ls, str_replace: replace } = tools(both, { artifacts: false, write: true });
  assert.equal(
    (await grep.call({ pattern: "needle" })).text,
    "2 matches in 2 files\nmnt/docs/plain.md\n1 needle\nmnt/docs/drafts/one.md\n1 needle",
  );
  for (const asked of ["/mnt/docs/to-draft", "/mnt/docs/sub/up/one.md", path.join(host, "drafts/one.md")]) {
    const target = both.resolve(asked, "file");
    assert.deepEqual([target.mount.name, target.path], ["mnt/docs/drafts", "one.md"], asked);
  }
  assert.equal((await ls.call({ path: "/mnt/docs" })).text.match(/drafts/g)?.length, 1);
  assert.ok(replace);
  assert.ok(!(await replace.call({ path: "/mnt/docs/drafts/one.md", old_str: "needle", new_str: "pin" })).isError);
  const outer = await replace.call({ path: "/mnt/docs/plain.md", old_str: "needle", new_str: "pin" });
  assert.ok(outer.isError && outer.text.startsWith("Error READ_ONLY"), outer.text);
});

test("a path of hundreds of missing folders is judged at once, where it may be made and where not", async () => {
  const { write_file: write } = tools(workspace, { artifacts: false, write: true });
  const started = performance.now();
  const way = Array.from({ length: 400 }, (_, i) => `no-such-folder-${i}`).join("/");
  const refused = await write?.call({ path: `/mnt/skills/${way}/x`, content: "", create_dirs: true });
  assert.ok(refused?.isError === true && refused.text.startsWith("Error READ_ONLY"), refused?.text);
  const made = await write?.call({ path: `/mnt/docs/${way}/x`, content: "", create_dirs: true });
  assert.equal(made?.isError, false);
  assert.ok(performance.now() - started < 5_000);
});
