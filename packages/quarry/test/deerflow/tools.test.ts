/** The profile's tools as a model meets them: schemas, texts, clamps, errors. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { deerflowTools } from "#src/tools/deerflow.js";
import { GLOB_RESULTS, GREP_RESULTS, maxResults } from "#src/profiles/deerflow/limits.js";
import { place, ROOT } from "./place.js";

const TREE = {
  "backend/app.py": "import os\n",
  "backend/tests/test_app.py": "TOOL_GROUPS = []\nx = tool_groups\n",
  "scripts/build.py": "print('TOOL_GROUPS')\n",
};

test("[B-003][B-005][B-021] the schemas are the contract's, defaults included", async () => {
  const { sandbox } = await place({ a: "" });
  const shown = deerflowTools({ sandbox, write: true }).map(({ name, inputSchema }) => {
    const properties = inputSchema["properties"] as Record<string, { type: string; default?: unknown }>;
    const required = inputSchema["required"] as string[];
    const says = (p: string): string => {
      const value = properties[p]?.default;
      return required.includes(p) ? p : value === undefined ? `${p}?` : `${p} = ${JSON.stringify(value)}`;
    };
    return `${name}(${Object.keys(properties).map(says).join(", ")})`;
  });
  assert.deepEqual(shown, [
    'ls(path, description = "")',
    'glob(pattern, path, description = "", include_dirs = false, max_results = 200)',
    'grep(pattern, path, description = "", glob?, literal = false, case_sensitive = false, max_results = 100)',
    'read_file(path, description = "", start_line?, end_line?)',
    'str_replace(path, description = "", old_str, new_str, replace_all = false)',
    'write_file(path, description = "", content, append = false)',
  ]);
  assert.deepEqual(
    deerflowTools({ sandbox }).map(({ name }) => name),
    ["ls", "glob", "grep", "read_file"],
  );
});

test("[B-014][B-048] glob's text: numbered virtual paths", async () => {
  const { text } = await place(TREE);
  assert.equal(
    await text("glob", { pattern: "**/*.py", path: ROOT }),
    `Found 3 paths under ${ROOT}\n1. ${ROOT}/backend/app.py\n2. ${ROOT}/backend/tests/test_app.py\n3. ${ROOT}/scripts/build.py`,
  );
});

test("[B-016][B-041][B-069] grep's text: path, line number, line; in path order, whatever the letter case", async () => {
  const { text } = await place(TREE);
  assert.equal(
    await text("grep", { pattern: "TOOL_GROUPS", path: ROOT }),
    [
      `Found 3 matches under ${ROOT}`,
      `${ROOT}/backend/tests/test_app.py:1: TOOL_GROUPS = []`,
      `${ROOT}/backend/tests/test_app.py:2: x = tool_groups`,
      `${ROOT}/scripts/build.py:1: print('TOOL_GROUPS')`,
    ].join("\n"),
  );
  assert.equal(
    await text("grep", { pattern: "TOOL_GROUPS", path: `${ROOT}/backend`, case_sensitive: true }),
    `Found 1 matches under ${ROOT}/backend\n${ROOT}/backend/tests/test_app.py:1: TOOL_GROUPS = []`,
  );
});

test("[B-018] nothing found is an answer of its own", async () => {
  const { text } = await place(TREE);
  assert.equal(await text("glob", { pattern: "*.rs", path: ROOT }), `No files matched under ${ROOT}`);
  assert.equal(await text("grep", { pattern: "nothing", path: ROOT }), `No matches found under ${ROOT}`);
});

test("[B-015][B-017][B-019][B-020][B-065][B-068] cut means that more exist; exactly N is not cut", async () => {
  const { text } = await place(Object.fromEntries(["a", "b", "c"].map((name) => [`${name}.txt`, "hit\n"])));
  const glob = (max_results: number): Promise<string> => text("glob", { pattern: "*.txt", path: ROOT, max_results });
  const grep = (max_results: number): Promise<string> => text("grep", { pattern: "hit", path: ROOT, max_results });
  assert.equal(await glob(3), `Found 3 paths under ${ROOT}\n1. ${ROOT}/a.txt\n2. ${ROOT}/b.txt\n3. ${ROOT}/c.txt`);
  assert.equal(
    await glob(2),
    `Found 2 paths under ${ROOT} (showing first 2)\n1. ${ROOT}/a.txt\n2. ${ROOT}/b.txt\nResults truncated. Narrow the path or pattern to see fewer matches.`,
  );
  assert.doesNotMatch(await grep(3), /showing first|truncated/);
  assert.equal(
    await grep(2),
    `Found 2 matches under ${ROOT} (showing first 2)\n${ROOT}/a.txt:1: hit\n${ROOT}/b.txt:1: hit\nResults truncated. Narrow the path or add a glob filter.`,
  );
});

test("[B-004][B-006][B-009][B-010] 0 or less is the default first; then the least of that, the configured number and the ceiling", async () => {
  const cases: [asked: number | undefined, configured: number | undefined, glob: number, grep: number][] = [
    [undefined, undefined, 200, 100],
    [0, undefined, 200, 100],
    [-5, undefined, 200, 100],
    [5, undefined, 5, 5],
    [100_000, undefined, 1_000, 500],
    [100_000, 50, 50, 50],
    [0, 50, 50, 50],
    [-1, 5_000, 200, 100],
    [7, 50, 7, 7],
    [100_000, 0, 200, 100],
  ];
  for (const [asked, configured, glob, grep] of cases) {
    const about = `${asked} with ${configured}`;
    assert.equal(maxResults(asked, configured, GLOB_RESULTS), glob, about);
    assert.equal(maxResults(asked, configured, GREP_RESULTS), grep, about);
  }
  const lines = Array.from({ length: 700 }, (_, i) => `hit ${i}\n`).join("");
  const many = { "many.txt": lines, ...Object.fromEntries(Array.from({ length: 1_100 }, (_, i) => [`f/${i}.x`, ""])) };
  const { text } = await place(many);
  const counted = async (tool: "glob" | "grep", pattern: string, max_results?: number): Promise<string> =>
    (await text(tool, { pattern, path: ROOT, ...(max_results === undefined ? {} : { max_results }) })).split(
      "\n",
      1,
    )[0] ?? "";
  assert.equal(await counted("grep", "hit"), `Found 100 matches under ${ROOT} (showing first 100)`);
  assert.equal(await counted("grep", "hit", 9_999), `Found 500 matches under ${ROOT} (showing first 500)`);
  assert.equal(await counted("glob", "*.x", -1), `Found 200 paths under ${ROOT} (showing first 200)`);
  assert.equal(await counted("glob", "*.x", 9_999), `Found 1000 paths under ${ROOT} (showing first 1000)`);
  const configured = await place(many, { maxResults: { glob: 3, grep: 4 } });
  assert.match(await configured.text("glob", { pattern: "*.x", path: ROOT, max_results: 900 }), /^Found 3 paths /);
  assert.match(await configured.text("grep", { pattern: "hit", path: ROOT, max_results: 0 }), /^Found 4 matches /);
});

test("[B-007] description changes nothing, in any tool", async () => {
  const { text, root } = await place(TREE, { write: true });
  const calls: [Parameters<typeof text>[0], Record<string, unknown>][] = [
    ["glob", { pattern: "*.py", path: ROOT }],
    ["grep", { pattern: "os", path: ROOT }],
    ["ls", { path: ROOT }],
    ["read_file", { path: `${ROOT}/backend/app.py` }],
  ];
  for (const [tool, args] of calls)
    assert.equal(await text(tool, { ...args, description: "why" }), await text(tool, args), tool);
  await text("str_replace", { path: `${ROOT}/backend/app.py`, old_str: "os", new_str: "re", description: "why" });
  await text("write_file", { path: `${ROOT}/n.txt`, content: "n", description: "why" });
  assert.equal(readFileSync(join(root, "backend/app.py"), "utf8"), "import re\n");
  assert.equal(readFileSync(join(root, "n.txt"), "utf8"), "n");
});

test("None in Python's style is an argument that was left out; an unknown or wrong one is refused with what is accepted", async () => {
  const { text } = await place(TREE);
  assert.match(
    await text("grep", { pattern: "import", path: ROOT, glob: null, max_results: null }),
    /^Found 1 matches/,
  );
  assert.match(
    await text("read_file", { path: `${ROOT}/backend/app.py`, start_line: null, end_line: null }),
    /^import os$/,
  );
  assert.match(
    await text("grep", { pattern: "x", path: ROOT, context: 2 }),
    /^Error: unknown argument "context"; accepted are pattern, path, description/,
  );
  assert.match(
    await text("grep", { pattern: "x", path: ROOT, literal: "yes" }),
    /^Error: literal is "yes"; accepted is true or false/,
  );
  assert.match(await text("grep", { path: ROOT }), /^Error: pattern is missing/);
});

test("[B-008] a relative path is refused with what is accepted, by every tool", async () => {
  const { text } = await place(TREE, { write: true });
  for (const path of ["backend/app.py", "./backend", "~/x", "..", "C:\\x", "file:///etc/passwd"]) {
    for (const [tool, args] of [
      ["glob", { pattern: "*" }],
      ["grep", { pattern: "x" }],
      ["ls", {}],
      ["read_file", {}],
      ["write_file", { content: "x" }],
      ["str_replace", { old_str: "x", new_str: "y" }],
    ] as const) {
      const said = await text(tool, { ...args, path });
      assert.match(
        said,
        /^Error: path must be an absolute path, not ".*"\. Accepted are paths below \/mnt\/user-data\/workspace\.$/,
        `${tool} ${path}`,
      );
    }
  }
});

test("[B-022] a missing root, a root that is no directory and a folder that may not be read are errors that say what to do", async () => {
  const { text } = await place(TREE);
  assert.equal(
    await text("glob", { pattern: "*", path: `${ROOT}/nope` }),
    `Error: "${ROOT}/nope" does not exist. Check the path with ls, or find it with glob.`,
  );
  assert.match(
    await text("grep", { pattern: "x", path: `${ROOT}/bakend` }),
    new RegExp(`Close names: ${ROOT}/backend\\.`),
  );
  for (const tool of ["glob", "ls"] as const) {
    const said = await text(tool, { path: `${ROOT}/backend/app.py`, ...(tool === "glob" ? { pattern: "*" } : {}) });
    assert.equal(said, `Error: "${ROOT}/backend/app.py" is a file. Give the directory that holds it.`, tool);
  }
  assert.equal(await text("read_file", { path: ROOT }), `Error: "${ROOT}" is a directory. Use ls for a directory.`);
});

test("[B-023] a search that does not end in time is an error, never an empty answer", async () => {
  const many = Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [`d${i % 2_000}/f${i}.txt`, "x\n"]));
  const { text } = await place(many, { settings: { timeoutMs: 10 } });
  // First, while no folder is known yet.
  assert.match(
    await text("glob", { pattern: "*.none", path: ROOT }),
    /^Error: Search timed out after 0\.01 s\. Narrow the path/,
  );
  assert.match(
    await text("grep", { pattern: "nothing", path: ROOT }),
    /^Error: Search timed out after 0\.01 s\. Narrow the path/,
  );
});

test("a cancelled call ends with an error", async () => {
  const { call } = await place(TREE);
  for (const [tool, args] of [
    ["grep", { pattern: "x", path: ROOT }],
    ["glob", { pattern: "*", path: ROOT }],
  ] as const) {
    const result = await call(tool, args, { signal: AbortSignal.abort() });
    assert.equal(result.isError, true);
    assert.match(result.text, /^Error: the call was cancelled/);
  }
});

test("[B-024][B-067] fault-67: an invalid pattern, and what only Python has, is refused with a remedy", async () => {
  const { text } = await place(TREE);
  const cases: [pattern: string, says: RegExp][] = [
    ["foo(", /^Error: Invalid regex pattern: unclosed group.* pass literal: true\.$/],
    ["[a", /^Error: Invalid regex pattern: unclosed character class/],
    ["*x", /^Error: Invalid regex pattern: /],
    ["foo(?=bar)", /^Error: Invalid regex pattern: look-around.*Search for the part without it.*literal: true\.$/],
    ["(?<!a)b", /^Error: Invalid regex pattern: look-around/],
    ["(a)\\1", /^Error: Invalid regex pattern: .*backreference/],
  ];
  for (const [pattern, says] of cases) {
    const said = await text("grep", { pattern, path: ROOT });
    assert.match(said, says);
    assert.doesNotMatch(said, /pcre2|--|rg\b/, said);
  }
});

test("[B-040] literal takes every character as it stands", async () => {
  const { text } = await place({ "a.txt": "f(x)[0].*\nfx0\n" });
  assert.match(await text("grep", { pattern: "F(x)[0].*", path: ROOT, literal: true }), /a\.txt:1: f\(x\)\[0\]\.\*$/);
  assert.match(await text("grep", { pattern: "--pre=x", path: ROOT, literal: true }), /^No matches found/);
});

test("[B-011][B-012][B-013][B-070] globs: a name at any depth without a slash, anchored with one; ** is zero or more folders", async () => {
  const tree = {
    "x.py": "hit\n",
    "src/x.py": "hit\n",
    "src/a/b/x.py": "hit\n",
    "lib/src/x.py": "hit\n",
    "src/y.ts": "hit\n",
  };
  const { call } = await place(tree);
  const cases: [pattern: string, found: string[]][] = [
    ["x.py", ["lib/src/x.py", "src/a/b/x.py", "src/x.py", "x.py"]],
    ["**/x.py", ["lib/src/x.py", "src/a/b/x.py", "src/x.py", "x.py"]],
    ["src/**/x.py", ["src/a/b/x.py", "src/x.py"]],
    ["src/*.py", ["src/x.py"]],
    ["src/**", ["src/a/b/x.py", "src/x.py", "src/y.ts"]],
    ["*.{ts,js}", ["src/y.ts"]],
    [`${ROOT}/src/*.py`, ["src/x.py"]],
  ];
  for (const [pattern, found] of cases) {
    const wanted = found.map((path) => `${ROOT}/${path}`);
    const glob = await call("glob", { pattern, path: ROOT });
    const grep = await call("grep", { pattern: "hit", path: ROOT, glob: pattern });
    assert.deepEqual((glob.value as { paths: string[] }).paths, wanted, pattern);
    assert.deepEqual(
      (grep.value as { matches: { path: string }[] }).matches.map(({ path }) => path),
      wanted,
      pattern,
    );
  }
});

test("a pattern that begins with another place, or that cannot be understood, is refused", async () => {
  const { text } = await place(TREE);
  assert.match(
    await text("glob", { pattern: `${ROOT}/scripts/*.py`, path: `${ROOT}/backend` }),
    /^Error: the pattern .* begins with a path, and not with that of .* Give the directory as path, and the pattern relative to it\.$/,
  );
  for (const pattern of ["../*", "!*.py", "*.{py"])
    assert.match(await text("glob", { pattern, path: ROOT }), /^Error: the glob /, pattern);
});

test("[B-063] include_dirs adds folders; without it there are files alone", async () => {
  const { text } = await place({ "src/src.txt": "" });
  assert.equal(
    await text("glob", { pattern: "src*", path: ROOT, include_dirs: true }),
    `Found 2 paths under ${ROOT}\n1. ${ROOT}/src\n2. ${ROOT}/src/src.txt`,
  );
  assert.equal(
    await text("glob", { pattern: "src*", path: ROOT }),
    `Found 1 paths under ${ROOT}\n1. ${ROOT}/src/src.txt`,
  );
});

test("[B-025] a match is path, line number and line; a search returns its matches and whether it was cut", async () => {
  const { sandbox, call } = await place(TREE);
  const question = { pattern: "tool", path: ROOT, glob: null, literal: false, caseSensitive: false };
  const { matches, truncated } = await sandbox.grep({ ...question, maxResults: 1 });
  const cut = await call("grep", { pattern: "tool", path: ROOT, max_results: 1 });
  const whole = await call("grep", { pattern: "tool", path: ROOT });
  const counts = (value: unknown): unknown[] => {
    const { shown, total, truncated: more } = value as { shown: number; total?: number; truncated: boolean };
    return [shown, total, more];
  };
  assert.deepEqual(
    [counts(cut.value), counts(whole.value)],
    [
      [1, undefined, true],
      [3, 3, false],
    ],
  );
  assert.deepEqual(matches, [{ path: `${ROOT}/backend/tests/test_app.py`, lineNumber: 1, line: "TOOL_GROUPS = []" }]);
  assert.equal(truncated, true);
});

test("[B-044] no context, no binary search, no other disk: the arguments for it do not exist", async () => {
  const { text } = await place(TREE);
  for (const argument of ["context", "binary", "pcre2", "multiline", "include_ignored", "encoding"])
    assert.match(await text("grep", { pattern: "x", path: ROOT, [argument]: 1 }), /^Error: unknown argument /);
  assert.match(await text("grep", { pattern: "root", path: "/etc/passwd" }), /^Error: "\/etc\/passwd" is not inside/);
});

test("[B-042] what looks like an option is searched as text", async () => {
  const { text } = await place({ "a.txt": "--files\n-uuu\n" });
  for (const pattern of ["--files", "-uuu"]) {
    assert.match(await text("grep", { pattern, path: ROOT }), new RegExp(`a\\.txt:\\d: ${pattern}$`));
  }
});

test("ls: one folder, folders with a slash; the way to what is in it is glob", async () => {
  const { text } = await place({ "b/c/d.txt": "", "a.txt": "" }, { settings: { lsMaxEntries: 1 } });
  assert.equal(
    await text("ls", { path: ROOT }),
    `Found 1 entries under ${ROOT} (showing first 1)\n${ROOT}/a.txt\nResults truncated. Use glob with a pattern to see fewer entries.`,
  );
  const { text: whole } = await place({ "b/c/d.txt": "", "a.txt": "", e: { dir: true } });
  assert.equal(
    await whole("ls", { path: ROOT }),
    `Found 3 entries under ${ROOT}\n${ROOT}/a.txt\n${ROOT}/b/\n${ROOT}/e/`,
  );
  assert.equal(await whole("ls", { path: `${ROOT}/e` }), `No entries found under ${ROOT}/e`);
  assert.equal(await whole("ls", { path: "/mnt" }), "Found 1 entries under /mnt\n/mnt/user-data/");
  assert.equal(await whole("ls", { path: "/" }), "Found 1 entries under /\n/mnt/");
});

test("read_file: the lines as they stand; a range says where it is; an empty file, a binary and a line behind the end are told", async () => {
  const { text } = await place({
    "a.txt": "one\ntwo\nthree\n",
    "b.txt": "no line end",
    empty: "",
    "b.bin": Buffer.from("\x89PNG\r\n\x1a\n\0\0", "latin1"),
  });
  assert.equal(await text("read_file", { path: `${ROOT}/a.txt` }), "one\ntwo\nthree");
  assert.equal(await text("read_file", { path: `${ROOT}/b.txt` }), "no line end");
  assert.equal(
    await text("read_file", { path: `${ROOT}/a.txt`, start_line: 2, end_line: 2 }),
    "two\n(lines 2-2 of 3; start_line 3 goes on)",
  );
  assert.equal(await text("read_file", { path: `${ROOT}/a.txt`, start_line: 2 }), "two\nthree\n(lines 2-3 of 3)");
  assert.equal(await text("read_file", { path: `${ROOT}/empty` }), "(the file is empty)");
  assert.match(
    await text("read_file", { path: `${ROOT}/a.txt`, start_line: 9 }),
    /^\(start_line 9 is past the end: the file has 3 lines\)$/,
  );
  assert.match(
    await text("read_file", { path: `${ROOT}/b.bin` }),
    /^Error: ".*b\.bin" is not text: PNG image, 10 bytes/,
  );
  assert.match(
    await text("read_file", { path: `${ROOT}/a.txt`, start_line: 3, end_line: 2 }),
    /^Error: end_line must be/,
  );
});
