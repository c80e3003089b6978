import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CLIENTS, connect, descendants, eventually, isAlive, quarryServer } from "../support/mcp.js";
import { addToTree, makeTree, type TreeSpec } from "../support/tree.js";

/** A repository with enough files that a search takes a while, each line of it known. */
function repository(files: number): TreeSpec {
  const spec: Record<string, string> = {
    ".gitignore": "dist/\n",
    "dist/out.js": "needle\n",
    "src/main.ts": "export const port = 80;\nexport const needle = port;\n",
  };
  for (let i = 0; i < files; i++)
    spec[`lib/d${i % 50}/f${i}.txt`] = `file ${i}\nword${i % 100} here\n${"filler line\n".repeat(20)}`;
  return spec;
}

const root = makeTree(repository(3_000));
addToTree(root, { "image.png": Buffer.from("89504e470d0a1a0a0000000d49484452000000020000000308", "hex") });
execFileSync("git", ["init", "--quiet", root]);

for (const kind of CLIENTS) {
  test(`${kind}: the closed loop: glob, grep, read_file, edits, the change on disk`, async () => {
    const copy = makeTree(repository(10));
    execFileSync("git", ["init", "--quiet", copy]);
    const reader = await connect(kind, quarryServer(["--root", copy]));
    const client = await connect(kind, quarryServer(["--root", copy, "--allow-write"]));
    try {
      assert.match((await client.call("glob", { pattern: "**/*.ts" })).text, /src\/main\.ts/);
      const found = await client.call("grep", { pattern: "needle" });
      assert.equal(found.isError, false);
      assert.match(found.text, /main\.ts/);
      assert.doesNotMatch(found.text, /out\.js/);
      assert.match((await client.call("read_file", { path: "src/main.ts" })).text, /port = 80;/);
      assert.match((await client.call("ls", {})).text, /src\//);
      assert.deepEqual(
        (await reader.tools()).map((t) => t.name),
        ["grep", "glob", "read_file", "ls"],
        "writing is off unless asked for",
      );
      const edit = { path: "src/main.ts", old_str: "port = 80", new_str: "port = 81 // $&" };
      await assert.rejects(reader.call("str_replace", edit), /nknown tool/);
      const path = join(copy, "src/main.ts");
      const before = readFileSync(path, "utf8");
      const edited = await client.call("str_replace", edit);
      assert.equal(edited.isError, false, edited.text);
      assert.equal(
        readFileSync(path, "utf8"),
        before.replace("port = 80", () => "port = 81 // $&"),
      );
      assert.match((await client.call("grep", { pattern: "port = 81" })).text, /main\.ts/);
      assert.equal((await client.call("str_replace", edit)).isError, true, "the old text is gone");
      const edits = [
        { old_str: "81", new_str: "82" },
        { old_str: "needle", new_str: "pin" },
      ];
      assert.equal((await client.call("multi_edit", { path: "src/main.ts", edits })).isError, false);
      assert.match(readFileSync(path, "utf8"), /port = 82 .*\n.*const pin = port/);
      assert.equal(
        (await client.call("write_file", { path: "src/new/a.ts", content: "a\n", create_dirs: true })).isError,
        false,
      );
      assert.equal(readFileSync(join(copy, "src/new/a.ts"), "utf8"), "a\n");
      for (const args of [{ pattern: "(" }, { pattern: 7 }, { nonsense: true }, undefined]) {
        const answer = await client.call("grep", args);
        assert.equal(answer.isError, true);
        assert.ok(!answer.text.includes(copy));
      }
      const outside = await client.call("read_file", { path: "../../etc/passwd" });
      assert.equal(outside.isError, true);
      assert.doesNotMatch(outside.text, /root:/);
    } finally {
      await reader.close();
      await client.close();
    }
  });

  test(`${kind}: 20 calls in flight, some cancelled at random: each answer is its own, no process is left (fault-53)`, async () => {
    const client = await connect(kind, quarryServer(["--root", root]));
    try {
      let cancelled = 0;
      const calls = Array.from({ length: 20 }, async (_, i) => {
        const abort = new AbortController();
        const timer = i % 3 === 0 ? setTimeout(() => abort.abort(), Math.random() * 120) : undefined;
        const word = `word${i}`;
        try {
          const answer = await client.call(
            "grep",
            { pattern: `${word} here`, output: "count", max_results: 100 },
            { signal: abort.signal },
          );
          assert.equal(answer.isError, false, answer.text);
          assert.match(answer.text, /\b30\b/, answer.text);
          assert.match(answer.text, new RegExp(`\\bf${i}\\.txt`));
        } catch (error) {
          if (!abort.signal.aborted) throw error;
          cancelled++;
        } finally {
          clearTimeout(timer);
        }
      });
      await Promise.all(calls);
      assert.ok(cancelled <= 7);
      await eventually(() => descendants(client.pid).length === 0, 2_000, "no process is left");
      assert.match((await client.call("grep", { pattern: "const needle" })).text, /main\.ts/);
    } finally {
      await client.close();
    }
    await eventually(() => !isAlive(client.pid), 10_000, "the server is gone");
  });
}

test("structured: the clients' own validators accept what each tool gives, errors too", async () => {
  for (const kind of CLIENTS) {
    const client = await connect(kind, quarryServer(["--root", root, "--structured", "--allow-write"]));
    rmSync(join(root, "src/made.ts"), { force: true });
    try {
      const schemas = new Map(
        (await client.tools()).map((t) => [t.name, t["outputSchema"] as { properties: Record<string, unknown> }]),
      );
      const calls: readonly [string, Record<string, unknown>][] = [
        ["grep", { pattern: "word7 here", context: 1, max_results: 2 }],
        ["grep", { pattern: "needle", output: "files" }],
        ["grep", { pattern: "no such thing anywhere" }],
        ["glob", { pattern: "**/*.txt" }],
        ["ls", { path: "src" }],
        ["read_file", { path: "src/main.ts", start_line: 2 }],
        ["read_file", { path: "gone.ts" }],
        ["read_file", { path: "image.png" }],
        ["write_file", { path: "src/made.ts", content: "one\n" }],
        ["str_replace", { path: "src/made.ts", old_str: "one", new_str: "two" }],
        ["multi_edit", { path: "src/made.ts", edits: [{ old_str: "two", new_str: "three" }] }],
        ["str_replace", { path: "src/made.ts", old_str: "absent", new_str: "x" }],
        ["grep", { pattern: "(" }],
      ];
      for (const [name, args] of calls) {
        const { structured, text } = await client.call(name, args);
        assert.ok(text.length > 0);
        // Every member is declared: a value that the schema does not know would be accepted in silence.
        for (const key of Object.keys(structured as object))
          assert.ok(key in (schemas.get(name)?.properties ?? {}), `${name}: ${key}`);
      }
    } finally {
      await client.close();
    }
  }
});

test("an artifact of this connection is a resource; another connection sees none of it", async () => {
  const one = await connect("v2", quarryServer(["--root", root]));
  const other = await connect("v1", quarryServer(["--root", root]));
  try {
    assert.deepEqual(await one.resources(), []);
    const page = await one.call("grep", { pattern: "here", max_results: 10 });
    const [resource, ...more] = await one.resources();
    assert.ok(resource !== undefined && more.length === 0, page.text);
    assert.ok(page.text.includes(resource.name), `${page.text} names ${resource.name}`);
    const whole = await one.read(resource.uri);
    assert.equal(Buffer.byteLength(whole), resource.size);
    assert.equal(whole.match(/ here$/gm)?.length, 3_000);
    assert.deepEqual(await other.resources(), []);
    await assert.rejects(other.read(resource.uri));
    for (const uri of [
      "quarry:///%40artifacts/../../../etc/passwd",
      "quarry:///%40artifacts/..%2f..%2fkey",
      "quarry:///key",
    ])
      await assert.rejects(one.read(uri));
  } finally {
    await one.close();
    await other.close();
  }
});

test("--audit writes one event for each call, and a file that cannot be opened ends the start", async () => {
  const folder = makeTree({ "logs/.keep": "" });
  const path = join(folder, "logs/audit.jsonl");
  const client = await connect(
    "v2",
    quarryServer(["--root", root, "--allow-write", "--audit", path, "--tool-prefix", "q_"]),
  );
  await client.call("q_grep", { pattern: "needle", path: "src" });
  await client.call("q_read_file", { path: join(root, "gone.ts") });
  await client.call("q_str_replace", { path: "src/main.ts", old_str: "S3CRET", new_str: "S3CRET2" });
  await client.call("q_write_file", { path: "nowhere/x", content: "S3CRET" });
  await client.close();
  const events = readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { tool: string; outcome: string; where: string[]; matches: number | null });
  assert.deepEqual(
    events.map((e) => [e.tool, e.outcome, e.matches]),
    [
      ["grep", "ok", 1],
      ["read_file", "NOT_FOUND", null],
      ["str_replace", "OLD_STR_NOT_FOUND", null],
      ["write_file", "NOT_FOUND", null],
    ],
  );
  assert.deepEqual(events[0]?.where, ["src"]);
  assert.ok(!readFileSync(path, "utf8").includes(root));
  assert.doesNotMatch(readFileSync(path, "utf8"), /S3CRET/);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  await assert.rejects(connect("v2", quarryServer(["--root", root, "--audit", folder])));
});

test("a start that cannot work says why on stderr and ends", () => {
  for (const args of [
    ["--root", join(root, "no-such")],
    ["--root", root, "--tools", "grep,nope"],
    ["--root", root, "--tool-prefix", "a b"],
    ["--root", root, "--timeout", "soon"],
  ]) {
    const run = execQuarry(args);
    assert.equal(run.status, 2, args.join(" "));
    assert.equal(run.stdout, "");
    assert.ok(run.stderr.length > 0 && !run.stderr.includes("    at "), run.stderr);
  }
});

function execQuarry(args: readonly string[]): {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
} {
  try {
    return {
      status: 0,
      stdout: execFileSync(process.execPath, [...quarryServer(args).args], {
        input: "",
        encoding: "utf8",
        stdio: "pipe",
      }),
      stderr: "",
    };
  } catch (error) {
    const { status, stdout, stderr } = error as { status: number | null; stdout: string; stderr: string };
    return { status, stdout, stderr };
  }
}
