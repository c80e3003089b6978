import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { GREP_ARGUMENTS } from "#src/tools/schemas.js";
import { PACKAGE } from "../support/tour.js";
import { makeTree } from "../support/tree.js";
import { CACHE, onTerminal, quarry, shell } from "./quarry.js";

const root = makeTree({
  "a.txt": "needle one\nother\n",
  "src/b.ts": "const needle = 1; // needle\r\n",
  "-v": "needle\n",
  many: "x line\n".repeat(500),
  "evil.txt": "evil \u001b]0;title\u0007\u001b[2J text \u0000".slice(0, -1) + "\n",
});

test("exit status: 0 results, 1 none and complete, 2 error, 3 incomplete", () => {
  assert.deepEqual(
    [
      quarry(root, ["grep", "needle"]).status,
      quarry(root, ["glob", "*.ts"]).status,
      quarry(root, ["read", "a.txt"]).status,
      quarry(root, ["ls"]).status,
    ],
    [0, 0, 0, 0],
  );
  assert.deepEqual([quarry(root, ["grep", "nowhere"]).status, quarry(root, ["glob", "*.none"]).status], [1, 1]);
  for (const args of [
    ["grep", "("],
    ["grep", "x", "--nope"],
    ["nope"],
    ["read", "none"],
    ["grep", "x", "--case", "loud"],
    ["grep", "x", "--timeout", "soon"],
    ["grep", "x", "--root", "/no/such"],
  ]) {
    const ran = quarry(root, args);
    assert.equal(ran.status, 2, args.join(" "));
    assert.equal(ran.stdout, "", args.join(" "));
    assert.ok(ran.stderr.length > 0 && !/\n\s+at /.test(ran.stderr), ran.stderr);
  }
  assert.match(
    quarry(root, ["grep", "x", "--max-results", "many"]).stderr,
    /max_results is "many"; accepted is a whole number from 1 to 10000/,
  );
});

test("every argument is an option of the same name with dashes", () => {
  const help = quarry(root, ["grep", "--help"]).stdout;
  for (const name of Object.keys(GREP_ARGUMENTS.properties))
    if (name !== "pattern" && name !== "path") assert.ok(help.includes(`--${name.replaceAll("_", "-")}`), name);
  for (const [args, total] of [
    [
      [
        "NEEDLE",
        "--case",
        "insensitive",
        "--exclude",
        "*.ts",
        "--max-results",
        "1",
        "--offset",
        "1",
        "--include-ignored",
      ],
      2,
    ],
    [
      [
        "needle = 1;",
        "src",
        "a.txt",
        "--literal",
        "--glob",
        "*.ts",
        "--type",
        "ts",
        "--encoding",
        "utf-8",
        "--context",
        "1",
      ],
      1,
    ],
    [["one\\nother", "--multiline", "--output", "count"], 2],
  ] as const) {
    const { stdout, status } = quarry(root, ["grep", ...args, "--json"]);
    assert.equal(status, 0, stdout);
    assert.equal((JSON.parse(stdout) as { total: number }).total, total, args.join(" "));
  }
  assert.match(quarry(root, ["glob", "s*", "--include-dirs", "--sort", "modified"]).stdout, /^1 path\nsrc\/\n$/);
  assert.match(
    quarry(root, ["read", "many", "--lines", "3:4"]).stdout,
    /^many: lines 3-4 of 500, version \S+\n3\tx line\n4\tx line\n/,
  );
  assert.equal(
    quarry(root, ["read", "many", "--start-line", "3", "--end-line", "4"]).stdout,
    quarry(root, ["read", "many", "--lines", "3:4"]).stdout,
  );
});

test("a name that begins with a dash is given after --, and a pattern too", () => {
  assert.equal(quarry(root, ["grep", "needle", "--", "-v"]).stdout, "1 match in 1 file\n-v\n1 needle\n");
  assert.equal(quarry(root, ["grep", "--", "-needle"]).status, 1);
  assert.match(quarry(root, ["read", "--", "-v"]).stdout, /^-v: 1 line/);
});

test("--json is one value with the documented fields, and errors are values too", () => {
  const value = JSON.parse(quarry(root, ["grep", "needle", "--json"]).stdout) as Record<string, unknown>;
  assert.deepEqual(Object.keys(value).sort(), [
    "artifact",
    "coverage",
    "matches",
    "meta",
    "notes",
    "shown",
    "total",
    "totalFiles",
    "truncated",
  ]);
  assert.deepEqual((value["matches"] as unknown[])[2], {
    path: "src/b.ts",
    line: 1,
    column: 7,
    text: "const needle = 1; // needle",
  });
  const glob = JSON.parse(quarry(root, ["glob", "*", "--json", "--max-results", "1"]).stdout) as Record<
    string,
    unknown
  >;
  assert.deepEqual(Object.keys(glob).sort(), [
    "artifact",
    "coverage",
    "meta",
    "nextOffset",
    "notes",
    "paths",
    "shown",
    "total",
    "truncated",
  ]);
  const failed = quarry(root, ["grep", "(", "--json"]);
  assert.equal((JSON.parse(failed.stdout) as { error: { code: string } }).error.code, "INVALID_PATTERN");
});

test("| head ends quietly, with the reader's status", () => {
  const wide = makeTree({ f: `${"x".repeat(290)}\n`.repeat(9_000) });
  for (const line of [
    "$Q grep x --max-results 10000 --json | head -1; echo ${PIPESTATUS[0]} >&2",
    "$Q read f --json | head -c 10; echo ${PIPESTATUS[0]} >&2",
    "$Q grep x | true; echo ${PIPESTATUS[0]} >&2",
  ]) {
    const ran = shell(wide, line);
    assert.equal(ran.stderr, "0\n", line);
  }
});

test("fault-58: in the home folder or at the top of the disk nobody guesses", () => {
  for (const folder of [root, "/"]) {
    const ran = quarry(folder, ["grep", "x"], { HOME: root });
    assert.equal(ran.status, 2);
    assert.match(ran.stderr, /home folder or the top of a disk.*--root/);
  }
  assert.equal(quarry(root, ["grep", "needle", "--root", "."], { HOME: root }).status, 0);
});

test("fault-23, fault-24, fault-50: host paths and ~ are taken on the command line where they lead inside, also through a link", () => {
  const link = join(makeTree({}), "link");
  symlinkSync(root, link);
  for (const path of [join(root, "a.txt"), join(link, "a.txt")])
    assert.equal(quarry(root, ["grep", "needle", path]).stdout, "1 match in 1 file\na.txt\n1 needle one\n");
  assert.equal(quarry(root, ["grep", "needle", "a.txt", "--root", link]).status, 0);
  assert.equal(
    quarry(root, ["grep", "needle", "~/a.txt", "--root", "."], { HOME: root }).stdout,
    "1 match in 1 file\na.txt\n1 needle one\n",
  );
  assert.match(
    quarry(root, ["grep", "needle", "~/../x"], { HOME: join(root, "src") }).stderr,
    /OUTSIDE_WORKSPACE|NOT_FOUND/,
  );
  assert.match(quarry(root, ["grep", "x", "/etc/passwd"]).stderr, /OUTSIDE_WORKSPACE/);
});

test("fault-52: nothing waits for input", () => {
  const ran = shell(root, "sleep 5 | timeout 4 $Q grep needle; echo ${PIPESTATUS[1]}");
  assert.match(ran.stdout, /^3 matches in 3 files\n[^]*\n0\n$/);
});

test("fault-64: a ripgrep configuration of the user has no effect", () => {
  const rc = join(makeTree({ rc: "--replace=hacked\n--pre=/bin/false\n" }), "rc");
  assert.equal(
    quarry(root, ["grep", "needle"], { RIPGREP_CONFIG_PATH: rc }).stdout,
    quarry(root, ["grep", "needle"]).stdout,
  );
});

test("on a terminal: colours, highlighted matches, a spinner after half a second; content cannot move the cursor", () => {
  const shown = onTerminal(root, ["grep", "needle"]);
  assert.ok(shown.includes("\u001b[35ma.txt\u001b[39m"), JSON.stringify(shown));
  assert.ok(shown.includes("\u001b[1m\u001b[31mneedle\u001b[39m\u001b[22m one"), JSON.stringify(shown));
  assert.ok(
    shown.includes("const \u001b[1m\u001b[31mneedle\u001b[39m\u001b[22m = 1; // \u001b[1m\u001b[31mneedle"),
    JSON.stringify(shown),
  );
  // On a busy machine there is a spinner too, which takes its line back.
  const plain = (args: readonly string[]): string =>
    onTerminal(root, args, { NO_COLOR: "1" }).replaceAll("\r\u001b[K", "");
  assert.ok(!plain(["grep", "needle"]).includes("\u001b["));
  for (const args of [
    ["grep", "evil"],
    ["read", "evil.txt"],
  ]) {
    const evil = plain(args);
    assert.ok(
      evil.includes("\\x1b]0;title\\x07\\x1b[2J text") && !evil.includes("\u001b") && !evil.includes("\u0007"),
      JSON.stringify(evil),
    );
  }
  assert.ok(!quarry(root, ["grep", "needle"]).stdout.includes("\u001b["));
  assert.ok(
    quarry(root, ["grep", "evil"]).stdout.includes("\u001b]0;title"),
    "bytes stay as they are where no terminal reads them",
  );
});

test("artifacts: the next command over the same root opens them, another root does not; cache status and clear; --no-artifacts", () => {
  quarry(root, ["cache", "clear"]);
  const cut = quarry(root, ["grep", "x line"]);
  const locator = /Complete result: (@artifacts\/[0-9a-f]{16}\.txt)/.exec(cut.stdout)?.[1] as string;
  assert.ok(locator !== undefined, cut.stdout.slice(-200));
  assert.match(quarry(root, ["read", locator, "--lines", "500:501"]).stdout, /\n500\t499 x line\n501\t500 x line$/m);
  assert.equal(quarry(root, ["grep", "^250 ", locator]).stdout, `1 match in 1 file\n${locator}\n251 250 x line\n`);
  assert.equal(quarry("/tmp", ["grep", "^250 ", locator, "--root", root]).status, 0);
  assert.match(quarry(join(root, "src"), ["read", locator]).stderr, /NOT_FOUND/);
  assert.equal(quarry(root, ["ls", "@artifacts"]).status, 2);
  const owners = readdirSync(join(CACHE, "artifacts"));
  for (const owner of owners) assert.equal(statSync(join(CACHE, "artifacts", owner)).mode & 0o777, 0o700);
  assert.deepEqual(JSON.parse(quarry(root, ["cache", "status", "--json"]).stdout), {
    folder: CACHE,
    artifacts: 1,
    bytes: statSync(join(CACHE, "artifacts", owners[0] as string, locator.slice(11))).size,
  });
  assert.match(quarry(root, ["cache", "clear"]).stdout, /^deleted 1 artifact, /);
  assert.match(quarry(root, ["read", locator]).stderr, /NOT_FOUND/);
  const without = quarry(root, ["grep", "x line", "--no-artifacts"]);
  assert.match(without.stdout, /\(More: offset=100\.\)\n$/);
  assert.match(quarry(root, ["cache", "status"]).stdout, /: 0 artifacts, 0 bytes\n$/);
});

test("doctor says in plain words what is in order", () => {
  const ran = quarry(root, ["doctor"]);
  assert.equal(ran.status, 0, ran.stdout);
  for (const says of [
    /^ok {3}Node /m,
    /^ok {3}engine ripgrep: ripgrep \d/m,
    /^ok {3}1 root: /m,
    /^ok {3}cache folder /m,
    /^ok {3}open files: /m,
  ])
    assert.match(ran.stdout, says);
  const bad = quarry(root, ["doctor", "--root", "/no/such"]);
  assert.equal(bad.status, 2);
  assert.match(bad.stdout, /^BAD {2}roots: /m);
});

test("fault-63: nothing that is needed at run time downloads or runs a script at install", () => {
  const repository = join(PACKAGE, "../..");
  const lock = JSON.parse(readFileSync(join(repository, "package-lock.json"), "utf8")) as {
    packages: Record<string, { dev?: boolean; hasInstallScript?: boolean; link?: boolean; resolved?: string }>;
  };
  const scripts = Object.entries(lock.packages).filter(
    ([path, one]) => path.startsWith("node_modules/") && one.dev !== true && one.hasInstallScript === true,
  );
  assert.deepEqual(
    scripts.map(([path]) => path),
    [],
  );
  const own = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as { scripts?: Record<string, string> };
  for (const name of ["preinstall", "install", "postinstall"]) assert.equal(own.scripts?.[name], undefined);
});
