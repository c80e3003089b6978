import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { agentIn, BASE, BASH, folder, loadRows, search, textOf } from "./support/harness.js";

const cwd = folder();
mkdirSync(join(cwd, "sub"));
writeFileSync(join(cwd, "sub/a.ts"), "two  blanks\n");
writeFileSync(join(cwd, "b.tsx"), "needle\n");
const agent = agentIn(cwd);

test("[A-010] the model sees these two schemas and nothing else", async (t) => {
  const harness = await loadRows(t, [...BASE, BASH, search()]);
  const shapes = harness.ctx.tools.schemas().map(({ name, parameters }) => {
    const { type, properties, required, ...rest } = parameters as {
      type: string;
      properties: Record<string, { type: string }>;
      required: string[];
    };
    return { name, type, types: Object.entries(properties).map(([key, p]) => `${key}: ${p.type}`), required, rest };
  });
  assert.deepEqual(shapes, [
    { name: "glob", type: "object", types: ["pattern: string", "path: string"], required: ["pattern"], rest: {} },
    {
      name: "grep",
      type: "object",
      types: ["pattern: string", "path: string", "include: string"],
      required: ["pattern"],
      rest: {},
    },
  ]);
});

test("[A-015][A-016][A-018][A-019] wrong arguments are ordinary argument errors that name the argument", async (t) => {
  const harness = await loadRows(t, [...BASE, BASH, search()]);
  for (const [name, args, message] of [
    ["glob", {}, /pattern/],
    ["glob", { pattern: "" }, /pattern must be a glob that is not blank/],
    ["glob", { pattern: " " }, /pattern must be a glob that is not blank/],
    ["glob", { pattern: 1 }, /pattern/],
    ["glob", { pattern: "!*.ts" }, /pattern must not begin with "!"/],
    ["glob", { pattern: "*", path: "" }, /path must not be blank/],
    ["glob", { pattern: "*", path: " \t" }, /path must not be blank/],
    ["glob", { pattern: "*", path: null }, /path/],
    ["glob", { pattern: "a\0b" }, /pattern holds a NUL character/],
    ["glob", { pattern: "*", path: "a\0b" }, /path holds a NUL character/],
    ["glob", { pattern: "*", limit: "5" }, /glob has no argument "limit"; it takes pattern, path/],
    ["grep", {}, /pattern/],
    ["grep", { pattern: "" }, /pattern must be a regular expression that is not empty/],
    ["grep", { pattern: "a\0b" }, /pattern holds a NUL character/],
    ["grep", { pattern: "x", path: " " }, /path must not be blank/],
    ["grep", { pattern: "x", path: "\0" }, /path holds a NUL character/],
    ["grep", { pattern: "x", include: "" }, /include must not be blank/],
    ["grep", { pattern: "x", include: "  " }, /include must not be blank/],
    ["grep", { pattern: "x", include: "!*.ts" }, /include must not begin with "!"/],
    ["grep", { pattern: "x", include: "*.ts,*.tsx" }, /include must be one glob, not a list/],
    ["grep", { pattern: "x", include: "*.{ts,tsx},*.js" }, /include must be one glob, not a list/],
    ["grep", { pattern: "x", include: "*.ts\0" }, /include holds a NUL character/],
    ["grep", { pattern: "\ud800" }, /pattern holds half of a surrogate pair/],
    ["grep", { pattern: "x", case_insensitive: true }, /grep has no argument "case_insensitive"/],
    ["grep", "x", /./],
  ] as const) {
    const result = await harness.call(name, args, { agent });
    assert.equal(result.isError, true, JSON.stringify(args));
    assert.equal(result.isError && result.error.info?.code, "INVALID_ARGS", JSON.stringify(args));
    assert.match(textOf(result), message);
    assert.match(textOf(result), /^Error: invalid arguments: /);
  }
});

test("[A-015] commas in braces, in a class or behind a backslash make no list", async (t) => {
  const harness = await loadRows(t, [...BASE, BASH, search()]);
  for (const include of ["*.{ts,tsx}", "{a,b}.{ts,tsx}", "b[,.]tsx", "b\\.tsx", "*.tsx"]) {
    assert.equal(
      await harness.text("grep", { pattern: "needle", include }, { agent }),
      "Found 1 match\n\nb.tsx\nLine 1: needle",
      include,
    );
  }
  assert.equal(await harness.text("grep", { pattern: "needle", include: "a\\,b}" }, { agent }), "No matches found");
});

test("[A-017] a pattern of blanks is searched for", async (t) => {
  const harness = await loadRows(t, [...BASE, BASH, search()]);
  assert.equal(
    await harness.text("grep", { pattern: "  " }, { agent }),
    "Found 1 match\n\nsub/a.ts\nLine 1: two  blanks",
  );
});

test("[A-011][A-013][A-014] grep takes a file or a directory; without a path it means the working directory", async (t) => {
  const harness = await loadRows(t, [...BASE, BASH, search()]);
  const found = "Found 1 match\n\nsub/a.ts\nLine 1: two  blanks";
  for (const path of ["sub", "sub/", "./sub", "sub/a.ts", join(cwd, "sub"), join(cwd, "sub/a.ts"), undefined]) {
    const args = { pattern: "two", ...(path === undefined ? {} : { path }) };
    assert.equal(await harness.text("grep", args, { agent }), found, String(path));
  }
});

test("[A-012][A-013][A-014] glob takes a directory; a file is an argument error", async (t) => {
  const harness = await loadRows(t, [...BASE, BASH, search()]);
  for (const path of ["sub", "sub/", "./sub", join(cwd, "sub")]) {
    assert.equal(await harness.text("glob", { pattern: "*.ts", path }, { agent }), "sub/a.ts", path);
  }
  assert.equal(await harness.text("glob", { pattern: "*.ts" }, { agent }), "sub/a.ts");
  for (const path of ["sub/a.ts", "sub/a.ts/", "./b.tsx", join(cwd, "b.tsx")]) {
    const result = await harness.call("glob", { pattern: "*", path }, { agent });
    assert.equal(result.isError && result.error.info?.code, "INVALID_ARGS", path);
    assert.match(textOf(result), /path must be a directory, and this is a file/);
  }
});

test("both tools may run beside other calls, and a defect is told as what it is", async (t) => {
  const harness = await loadRows(t, [...BASE, BASH, search()]);
  const { signal } = new AbortController();
  for (const name of ["glob", "grep"]) {
    const callId = "c" as Parameters<typeof harness.ctx.tools.executionMode>[0]["callId"];
    assert.deepEqual(harness.ctx.tools.executionMode({ callId, name, arguments: { pattern: "x" }, signal }), {
      kind: "parallel",
    });
    const broken = await harness.call(name, { pattern: "x" }, { agent: {} as ReturnType<typeof agentIn> });
    assert.match(textOf(broken), /^Error: .*undefined/);
  }
});
