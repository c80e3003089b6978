import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { agentIn, BASE, BASH, folder, loadRows, search, textOf } from "./support/harness.js";
import { hostileValues, UNCARRIABLE } from "./support/hostile.js";
import { inPath, program, RIPGREPS } from "./support/rg.js";

const SEED = Number(process.env["QUARRY_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

/** What a value has to be to be taken as this argument. */
const taken = {
  grepPattern: (value: string) => value !== "",
  globPattern: (value: string) => value.trim() !== "" && !value.startsWith("!"),
  path: (value: string) => value.trim() !== "",
  include: (value: string) => value.trim() !== "" && !value.startsWith("!") && !value.includes(","),
};

test("[A-043][A-044][A-035][A-037] fault-07 fault-08: what reaches rg through a real bash -c is exactly the value; nothing else happens", async (t) => {
  t.diagnostic(`QUARRY_SEED=${SEED}`);
  const seen = join(folder(), "argv");
  // Puts down its arguments, byte for byte, and finds nothing.
  inPath(t, program("rg", `printf '%s\\0' "$@" > '${seen}'; exit 1`));
  const cwd = folder();
  const harness = await loadRows(t, [...BASE, BASH, search()]);
  const agent = agentIn(cwd);
  const argv = (): string[] => readFileSync(seen, "utf8").split("\0").slice(0, -1);
  const values = hostileValues(500, SEED);
  assert.ok(values.length >= 500);
  const carried = new Set<string>();
  const next = (wanted: (value: string) => boolean): string => {
    const at = values.findIndex(wanted);
    const [value = "x"] = at === -1 ? [] : values.splice(at, 1);
    carried.add(value);
    return value;
  };
  for (let round = 0; values.some(taken.grepPattern); round++) {
    if (round % 6 === 0) {
      const args = { pattern: next(taken.globPattern), path: next(taken.path) };
      assert.match(await harness.text("glob", args, { agent }), /^No files found/, JSON.stringify(args));
      const excluded = [".git", ".svn", ".hg", ".bzr", ".jj", ".sl"].map((vcs) => `--glob=!${vcs}`);
      assert.deepEqual(argv(), [
        "--files",
        `--glob=${args.pattern}`,
        "--sort=modified",
        "--no-ignore",
        "--hidden",
        "--no-config",
        "--null",
        ...excluded,
        "--",
        args.path,
      ]);
    } else {
      const args = { path: next(taken.path), include: next(taken.include), pattern: next(taken.grepPattern) };
      assert.match(await harness.text("grep", args, { agent }), /^No matches found/, JSON.stringify(args));
      assert.deepEqual(argv(), [
        "--json",
        "--no-config",
        `--regexp=${args.pattern}`,
        `--glob=${args.include}`,
        "--",
        args.path,
      ]);
    }
  }
  assert.ok(carried.size >= 500, `${carried.size} values`);
  assert.deepEqual(readdirSync(cwd), []);
  const mine = execFileSync("ps", ["-o", "pid=,args=", "--ppid", String(process.pid)], { encoding: "utf8" });
  assert.doesNotMatch(mine, /bash|touch|\brg\b/);
});

test("[A-019][A-044] what no command line can carry is an argument error, in every argument", async (t) => {
  const harness = await loadRows(t, [...BASE, BASH, search()]);
  for (const value of UNCARRIABLE) {
    for (const [name, args] of [
      ["glob", { pattern: `x${value}` }],
      ["glob", { pattern: "x", path: `x${value}` }],
      ["grep", { pattern: value }],
      ["grep", { pattern: "x", path: `x${value}` }],
      ["grep", { pattern: "x", include: `x${value}` }],
    ] as const) {
      const result = await harness.call(name, args, { agent: agentIn(folder()) });
      assert.equal(result.isError, true, JSON.stringify(args));
      assert.doesNotMatch(textOf(result), /No (?:matches|files) found/);
      if (!value.includes("\0")) continue;
      assert.equal(result.isError && result.error.info?.code, "INVALID_ARGS");
    }
  }
});

for (const rg of RIPGREPS) {
  test(`[A-044] ripgrep ${rg.version}: hostile names and patterns are found as they are, and stay inert`, async (t) => {
    inPath(t, rg.folder);
    const harness = await loadRows(t, [...BASE, BASH, search()]);
    const cwd = folder();
    const agent = agentIn(cwd);
    const names = [
      "-n",
      "--files",
      "a b",
      "it's",
      'say "x"',
      "$(touch pwned)",
      "`touch pwned`",
      "a;touch pwned",
      "[id]",
      "{x,y}",
      "*",
      "new\nline",
      "\\back",
      "日本 𝒳",
    ];
    for (const name of names) writeFileSync(join(cwd, name), `needle ${name}\n`);
    for (const name of names) {
      const shown = name.replace("\n", "\\x0a");
      const line = `needle ${name.split("\n", 1)[0]}`;
      assert.equal(
        await harness.text("grep", { pattern: "needle", path: name }, { agent }),
        `Found 1 match\n\n${shown}\nLine 1: ${line}`,
        name,
      );
      // A literal pattern, in ripgrep's own quoting of special characters.
      const literal = line.replace(/[\\^$.*+?()[\]{}|-]/g, "\\$&");
      assert.match(await harness.text("grep", { pattern: `^${literal}$` }, { agent }), /^Found 1 match\n/, name);
      const glob = name.replace(/[\\*?[\]{}]/g, "\\$&");
      assert.equal(await harness.text("glob", { pattern: glob }, { agent }), shown, name);
    }
    assert.deepEqual(readdirSync(cwd).sort(), [...names].sort());
  });
}

test("[A-044] the corpus holds every control character but NUL, quotes, newlines, dashes and astral characters", () => {
  const all = hostileValues(500, 1).join("");
  for (let code = 1; code < 32; code++) assert.ok(all.includes(String.fromCharCode(code)), String(code));
  for (const text of ["'", '"', "\n", "$(", "`", "\u{10ffff}", "\x7f"]) assert.ok(all.includes(text));
  assert.ok(hostileValues(500, 1).some((value) => value.startsWith("-")));
});
